import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  createFairQueue,
  createWaitingLine,
  type FairQueue,
  type WaitingLine,
} from '../../src/base/waiting-line.ts';

interface Request {
  queue?: string;
  signal?: AbortSignal;
}

let line: WaitingLine<Request, string>;
let changes: number;

beforeEach(() => {
  changes = 0;
  line = createWaitingLine(() => {
    changes += 1;
  });
});

describe('who waits in a line', () => {
  test('is let go when their turn comes', async () => {
    const joined = line.join({});
    expect([line.size(), changes]).toEqual([1, 1]);
    line.next()?.admit('now');
    await expect(joined).resolves.toBe('now');
    expect(line.size()).toBe(0);
  });

  test('has their turn after one of every other queue', async () => {
    const turns: Promise<string>[] = ['ada', 'ada', 'ben'].map((queue) => line.join({ queue }));
    expect([line.size('ada'), line.size('ben'), line.size('cleo')]).toEqual([2, 1, 0]);
    for (const turn of ['first', 'second', 'third']) line.next()?.admit(turn);
    await expect(Promise.all(turns)).resolves.toEqual(['first', 'third', 'second']);
  });

  test('leaves when their signal aborts, with its reason', async () => {
    const leaving = new AbortController();
    const left = line.join({ signal: leaving.signal });
    const stays = line.join({});
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect([line.size(), changes]).toEqual([1, 3]);
    line.next()?.admit('now');
    await expect(stays).resolves.toBe('now');
  });

  test('does not join with a signal that has aborted already', async () => {
    await expect(line.join({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow(
      'gone',
    );
    expect([line.size(), changes]).toEqual([0, 0]);
  });

  test('is sent away with all the others', async () => {
    const all = Promise.allSettled([line.join({ queue: 'ada' }), line.join({ queue: 'ben' })]);
    const reason = new Error('closed');
    line.clear(reason);
    expect(await all).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(line.size()).toBe(0);
  });
});

function drain<T>(lane: FairQueue<T>): T[] {
  const items: T[] = [];
  for (let item = lane.next(); item !== undefined; item = lane.next()) items.push(item);
  return items;
}

function fill(items: string[]): FairQueue<string> {
  const lane = createFairQueue<string>();
  for (const item of items) lane.add(item.charAt(0), item);
  return lane;
}

describe('a fair queue', () => {
  test('lets queues take turns, first come first served inside each', () => {
    expect(drain(fill(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  test('does not let 500 of one queue hold up one of another', () => {
    const lane = fill(Array.from({ length: 500 }, (_, index) => `a${index}`));
    lane.next();
    lane.add('b', 'b1');
    expect([lane.next(), lane.next()]).toEqual(['a1', 'b1']);
  });

  test('gives a queue that comes back the last turn', () => {
    const lane = fill(['a1', 'b1', 'b2']);
    lane.next();
    lane.add('a', 'a2');
    expect(drain(lane)).toEqual(['b1', 'a2', 'b2']);
  });

  test('shows whose turn it is without taking it', () => {
    const lane = fill(['a1', 'b1']);
    expect([lane.peek(), lane.peek(), lane.size()]).toEqual(['a1', 'a1', 2]);
  });

  test('forgets who leaves, and leaving twice is harmless', () => {
    const lane = createFairQueue<string>();
    const leave = lane.add('a', 'a1');
    lane.add('a', 'a2');
    leave();
    leave();
    expect(lane.size()).toBe(1);
    expect(drain(lane)).toEqual(['a2']);
    expect(lane.size()).toBe(0);
  });

  test('leaving after one was served takes nobody else out', () => {
    const lane = createFairQueue<string>();
    const leave = lane.add('a', 'same');
    lane.add('a', 'same');
    lane.next();
    leave();
    expect(lane.size()).toBe(1);
  });

  test('no queue is served twice while another has waited all along', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 }), (queues) => {
        const served = drain(fill(queues.map((queue, index) => `${queue}${index}`)));
        expect(served.toSorted()).toEqual(
          queues.map((queue, index) => `${queue}${index}`).toSorted(),
        );
        const left = new Map(Map.groupBy(queues, (queue) => queue));
        for (let round = 0; served.length > 0; round += 1) {
          const waiting = [...left].filter(([, all]) => all.length > round).map(([queue]) => queue);
          const turn = served.splice(0, waiting.length).map((item) => item.charAt(0));
          expect(turn.toSorted()).toEqual(waiting.toSorted());
        }
      }),
    );
  });
});

import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Admission, AdmissionRequest } from '../../../src/service/throttle/limits.ts';
import { createFairQueue } from '../../../src/service/throttle/throttle.ts';

type Line = ReturnType<typeof createFairQueue>;

/** Returns an admission of its own. */
const admission = (): Admission => ({ longestMs: 1, isStale: () => false, done: () => {} });

function call(request: Pick<AdmissionRequest, 'queue' | 'signal'> = {}, number = 0) {
  return { lane: 'bulk' as const, timeoutMs: number, ...request };
}

/** Returns the call `a1`: the first of the queue `a`, told apart by its timeout. */
function named(name: string, signal?: AbortSignal): AdmissionRequest {
  return call({ queue: name.charAt(0), signal }, Number(name.slice(1)));
}

function nameOf(waiter: AdmissionRequest | undefined): string {
  return waiter ? `${waiter.queue}${waiter.timeoutMs}` : 'none';
}

let line: Line;

beforeEach(() => {
  line = createFairQueue();
});

describe('a call in the fair queue', () => {
  test('is admitted when its turn comes', async () => {
    const now = admission();
    const joined = line.join(call());
    expect(line.size()).toBe(1);
    line.next()?.resolve(now);
    await expect(joined).resolves.toBe(now);
    expect(line.size()).toBe(0);
  });

  test('has its turn after one call of every other queue', async () => {
    const turns = ['ada', 'ada', 'ben'].map((queue) => line.join(call({ queue })));
    expect([line.size('ada'), line.size('ben'), line.size('cleo')]).toEqual([2, 1, 0]);
    const [first, second, third] = [admission(), admission(), admission()];
    for (const turn of [first, second, third]) line.next()?.resolve(turn);
    const admitted = await Promise.all(turns);
    expect([first, third, second].map((turn) => admitted.indexOf(turn))).toEqual([0, 1, 2]);
  });

  test('rejects with the reason of its signal when that aborts', async () => {
    const now = admission();
    const leaving = new AbortController();
    const left = line.join(call({ signal: leaving.signal }));
    const stays = line.join(call());
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(line.size()).toBe(1);
    line.next()?.resolve(now);
    await expect(stays).resolves.toBe(now);
  });

  test('does not join with a signal that has already aborted', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(line.join(call({ signal }))).rejects.toThrow('gone');
    expect(line.size()).toBe(0);
  });

  test('is rejected with all others by clear', async () => {
    const all = Promise.allSettled(['ada', 'ben'].map((queue) => line.join(call({ queue }))));
    const reason = new Error('closed');
    line.clear(reason);
    expect(await all).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(line.size()).toBe(0);
  });
});

/** Admits all calls; returns their names in that order. */
function drain(from: Line): string[] {
  const names: string[] = [];
  for (let waiter = from.next(); waiter; waiter = from.next()) names.push(nameOf(waiter));
  return names;
}

/** Returns a line of these names, each in the queue of its first letter. */
function fill(names: string[]): Line {
  const filled = createFairQueue();
  for (const name of names) void filled.join(named(name));
  return filled;
}

describe('a fair queue', () => {
  test('lets queues take turns, first come first served within each', () => {
    expect(drain(fill(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']))).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  test('does not let 500 calls of one queue hold up a call of another', () => {
    const filled = fill(Array.from({ length: 500 }, (_, index) => `a${index}`));
    filled.next();
    void filled.join(named('b1'));
    expect([nameOf(filled.next()), nameOf(filled.next())]).toEqual(['a1', 'b1']);
  });

  test('gives a queue that comes back the last turn', () => {
    const filled = fill(['a1', 'b1', 'b2']);
    filled.next();
    void filled.join(named('a2'));
    expect(drain(filled)).toEqual(['b1', 'a2', 'b2']);
  });

  test('shows the next call without taking it', () => {
    const filled = fill(['a1', 'b1']);
    const shown = [nameOf(filled.peek()), nameOf(filled.peek())];
    expect([...shown, filled.size()]).toEqual(['a1', 'a1', 2]);
  });

  test('drops a call that aborts, and no other call of its queue', async () => {
    const leaving = new AbortController();
    const left = line.join(named('a1', leaving.signal));
    void line.join(named('a2'));
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(line.size()).toBe(1);
    expect(drain(line)).toEqual(['a2']);
    expect(line.size()).toBe(0);
  });

  test('keeps all others when a call aborts after its turn', async () => {
    const leaving = new AbortController();
    const left = line.join(named('a1', leaving.signal));
    void line.join(named('a2'));
    line.next();
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(line.size()).toBe(1);
  });

  test('serves no queue twice while another has waited all along', () => {
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

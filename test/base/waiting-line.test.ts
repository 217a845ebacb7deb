import { beforeEach, describe, expect, test } from 'vitest';
import { createWaitingLine, type WaitingLine } from '../../src/base/waiting-line.ts';

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

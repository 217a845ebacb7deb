import { expect, it } from 'vitest';
import { createKeptLists } from '../../src/service/kept-lists.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function start(records = 10) {
  const clock = createFakeClock(0);
  const lists = createKeptLists({ clock, keepMs: 60_000, records });
  const fetched: string[] = [];
  const ask = (key: string, { maxAgeMs = 60_000, lane = 'interactive', size = 1 } = {}) =>
    lists.ask({ key, lane, maxAgeMs }, async () => {
      fetched.push(`${lane} ${key}`);
      return { records: Array.from({ length: size }, (_, index) => index), complete: true };
    }).kept;
  return { clock, lists, ask, fetched };
}

it('hands out a copy that is young enough, and says when it was asked for', async () => {
  const { clock, ask, fetched } = start();
  await ask('a');
  await clock.advance(5_000);
  expect(await ask('a', { maxAgeMs: 5_000 })).toMatchObject({
    list: { records: [0] },
    fetchedAt: 0,
  });
  expect(await ask('a', { maxAgeMs: 4_999 })).toMatchObject({
    list: { records: [0] },
    fetchedAt: 5_000,
  });
  expect(fetched).toHaveLength(2);
});

it('shares what is under way in a lane: a person never waits for a bulk call', async () => {
  const { ask, fetched } = start();
  await Promise.all([ask('a'), ask('a'), ask('a', { lane: 'bulk' })]);
  expect(fetched).toEqual(['interactive a', 'bulk a']);
});

it('keeps no failure', async () => {
  const { lists, ask } = start();
  const failing = () => Promise.reject(new Error('down'));
  const wanted = { key: 'a', lane: 'interactive', maxAgeMs: 60_000 };
  await expect(lists.ask(wanted, failing).kept).rejects.toThrow('down');
  expect((await ask('a')).list?.records).toEqual([0]);
});

it('keeps no more records than it may, the last list whatever its size, and none for long', async () => {
  const { clock, ask, fetched } = start(10);
  await ask('a', { size: 4 });
  await ask('b', { size: 4 });
  await ask('c', { size: 4 });
  await ask('b');
  expect(fetched).toHaveLength(3);
  await ask('a', { size: 50 });
  await ask('a');
  expect(fetched).toHaveLength(4);
  await clock.advance(60_001);
  await ask('a', { maxAgeMs: 600_000 });
  expect(fetched).toHaveLength(5);
});

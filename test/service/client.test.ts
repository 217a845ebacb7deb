import nock from 'nock';
import { expect, test } from 'vitest';
import { API, FILES, FOLDER, record, rejectionOf } from './client-under-test.ts';
import { BULK, PERSON, useNock } from './nock-under-test.ts';
import { createHeldThrottle } from './stub-throttle.ts';

const RECENT = { ...PERSON, maxAgeMs: 60_000 };

const under = useNock();

async function shown(): Promise<number> {
  return (await under.it.client.listFiles(FOLDER, RECENT)).files.length;
}

test('a cached list of files serves until this client changes the folder', async () => {
  nock(API).get(FILES).reply(200, []);
  nock(API).get(FILES).reply(200, [record()]);
  nock(API)
    .get(FILES)
    .reply(200, [record(), record({ id: 2 })]);
  nock(API).post(FILES).reply(201, record());
  nock(API).delete(`${FILES}/1`).reply(403);
  expect([await shown(), await shown()]).toEqual([0, 0]);
  await under.create();
  expect([await shown(), await shown()]).toEqual([1, 1]);
  await rejectionOf(under.it.client.deleteFile(FOLDER, 1, PERSON));
  expect(await shown()).toBe(2);
});

test('a list that started while a create was in flight is not cached', async () => {
  nock(API).get(FILES).reply(200, []);
  nock(API).get(FILES).reply(200, [record()]);
  let during = Promise.resolve(-1);
  nock(API)
    .post(FILES)
    .reply(201, () => {
      during = shown();
      return record();
    });
  await under.create();
  expect(await during).toBe(0);
  expect(await shown()).toBe(1);
});

test('equal lists in flight share one request per lane and timeout', async () => {
  const held = createHeldThrottle();
  under.throttleBy(held);
  nock(API).get(FILES).reply(200, [record()]);
  nock(API).get(FILES).reply(200, []);
  nock(API)
    .get(FILES)
    .reply(200, [record(), record({ id: 2 })]);
  const waitedFor = { ...BULK, isWaitedFor: true };
  const each = [PERSON, PERSON, BULK, BULK, waitedFor, waitedFor];
  const calls = each.map((call) => under.it.client.listFiles(FOLDER, call));
  expect(held.requests.map(({ lane, timeoutMs }) => [lane, timeoutMs])).toEqual([
    ['interactive', 10_000],
    ['bulk', 60_000],
    ['bulk', 10_000],
  ]);
  for (const call of [calls[0], calls[2], calls[4]]) {
    held.grant();
    await call;
  }
  expect((await Promise.all(calls)).map(({ files }) => files.length)).toEqual([1, 1, 0, 0, 2, 2]);
});

test('creators has the creators of our records once a create was answered', async () => {
  expect(under.it.client.creators).toEqual(new Set());
  nock(API).post(FILES).reply(201, record());
  await under.create();
  expect(under.it.client.creators).toEqual(new Set([9]));
});

test('an answer that also shows files of others adds no creators', async () => {
  nock(API)
    .post(FILES)
    .reply(201, [record({ id: 2 }), record({ id: 1, creator: { id: 3 } })]);
  await under.create();
  expect(under.it.client.creators).toEqual(new Set());
});

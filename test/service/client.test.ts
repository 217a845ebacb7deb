import nock from 'nock';
import { beforeEach, expect, test } from 'vitest';
import {
  ACCOUNT,
  API,
  createUnderTest,
  createUnderTestWith,
  FILES,
  FOLDER,
  KEY,
  record,
  rejectionOf,
  type UnderTest,
} from './client-under-test.ts';
import { useNockNetwork } from './nock-network.ts';
import { createHeldThrottle } from './stub-throttle.ts';

const PERSON = { lane: 'interactive' } as const;
const BULK = { lane: 'bulk', queue: 'C1' } as const;
const RECENT = { ...PERSON, maxAgeMs: 60_000 };

let it: UnderTest;
useNockNetwork();

beforeEach(() => {
  it = createUnderTest();
});

function create(onSending: () => Promise<void> = async () => undefined) {
  const request = { destination: FOLDER, attachmentId: 11, name: 'plan.pdf', byteSize: 5 };
  return it.client.createFile({ ...request, onSending }, BULK);
}

async function shown(): Promise<number> {
  return (await it.client.listFiles(FOLDER, RECENT)).files.length;
}

test('a copy lasts until the folder is changed through this client', async () => {
  nock(API).get(FILES).reply(200, []);
  nock(API).get(FILES).reply(200, [record()]);
  nock(API)
    .get(FILES)
    .reply(200, [record(), record({ id: 2 })]);
  nock(API).post(FILES).reply(201, record());
  nock(API).delete(`${FILES}/1`).reply(403);
  expect([await shown(), await shown()]).toEqual([0, 0]);
  await create();
  expect([await shown(), await shown()]).toEqual([1, 1]);
  await rejectionOf(it.client.deleteFile(FOLDER, 1, PERSON));
  expect(await shown()).toBe(2);
});

test('a list that began while a create was under way becomes no copy', async () => {
  nock(API).get(FILES).reply(200, []);
  nock(API).get(FILES).reply(200, [record()]);
  let during = Promise.resolve(-1);
  nock(API)
    .post(FILES)
    .reply(201, () => {
      during = shown();
      return record();
    });
  await create();
  expect(await during).toBe(0);
  expect(await shown()).toBe(1);
});

test('equal lists in flight are one request, in each lane', async () => {
  const held = createHeldThrottle();
  it = createUnderTestWith(held);
  nock(API).get(FILES).reply(200, [record()]);
  nock(API).get(FILES).reply(200, []);
  const calls = [PERSON, PERSON, BULK, BULK].map((call) => it.client.listFiles(FOLDER, call));
  expect(held.requests.map(({ lane }) => lane)).toEqual(['interactive', 'bulk']);
  held.grant();
  await calls[0];
  held.grant();
  expect((await Promise.all(calls)).map(({ files }) => files.length)).toEqual([1, 1, 0, 0]);
});

test('what a create tells before it leaves comes before the request', async () => {
  const order: string[] = [];
  nock(API)
    .post(FILES)
    .reply(201, () => {
      order.push('sent');
      return record();
    });
  await create(async () => {
    order.push('told');
  });
  expect(order).toEqual(['told', 'sent']);
});

test('nobody else is ever sent the key, a proxy of the environment included', async () => {
  const proxied = nock('http://proxy.example:3128').get(/.*/).reply(200, []);
  process.env['HTTPS_PROXY'] = 'http://proxy.example:3128';
  try {
    nock(ACCOUNT, { reqheaders: { 'x-api-key': KEY } })
      .get(`/api/v3${FILES}`)
      .reply(200, [record()]);
    expect((await it.client.listFiles(FOLDER, PERSON)).files).toHaveLength(1);
    expect(proxied.isDone()).toBe(false);
  } finally {
    delete process.env['HTTPS_PROXY'];
  }
});

async function creators(): Promise<number[]> {
  nock(API).get(FILES).reply(200, []);
  const list = await it.client.listFiles(FOLDER, PERSON);
  return [...(list.creators ?? [])];
}

test('a list tells who makes our records, once a create was answered', async () => {
  expect(await creators()).toEqual([]);
  nock(API).post(FILES).reply(201, record());
  await create();
  expect(await creators()).toEqual([9]);
});

test('an answer that shows files of others too tells nothing of who makes ours', async () => {
  nock(API)
    .post(FILES)
    .reply(201, [record({ id: 2 }), record({ id: 1, creator: { id: 3 } })]);
  await create();
  expect(await creators()).toEqual([]);
});

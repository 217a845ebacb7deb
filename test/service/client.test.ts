import nock from 'nock';
import { expect, test } from 'vitest';
import { API, FILES, record } from './client-under-test.ts';
import { useNock } from './nock-under-test.ts';

const under = useNock();

test('creators has the creators of our records once a create was answered', async () => {
  expect(under.it.client.creators).toEqual(new Set());
  nock(API).post(FILES).reply(201, record());
  await under.create();
  expect(under.it.client.creators).toEqual(new Set([9]));
});

test('time is the service’s own, by what it last answered to a change', async () => {
  const { clock, client } = under.it;
  expect(client.time()).toBeNull();
  const at = (ms: number) => ({ date: new Date(ms).toUTCString() });
  const ahead = Math.ceil(clock.now() / 1000) * 1000 + 90_000;
  nock(API).post(FILES).reply(201, record(), at(ahead));
  await under.create();
  await clock.advance(5_000);
  expect(client.time()).toBe(ahead + 5_000);
  // A list may be a copy that was made earlier.
  nock(API)
    .get('/projects')
    .reply(200, [], at(ahead - 3_600_000));
  await client.listProjects({ lane: 'bulk' });
  expect(client.time()).toBe(ahead + 5_000);
});

test('an answer that also shows files of others adds no creators', async () => {
  nock(API)
    .post(FILES)
    .reply(201, [record({ id: 2 }), record({ id: 1, creator: { id: 3 } })]);
  await under.create();
  expect(under.it.client.creators).toEqual(new Set());
});

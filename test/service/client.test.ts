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

test('an answer that also shows files of others adds no creators', async () => {
  nock(API)
    .post(FILES)
    .reply(201, [record({ id: 2 }), record({ id: 1, creator: { id: 3 } })]);
  await under.create();
  expect(under.it.client.creators).toEqual(new Set());
});

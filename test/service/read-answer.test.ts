import { expect, test } from 'vitest';
import { fileRecordSchema } from '../../src/service/requests/answer-schemas.ts';
import { readRecords } from '../../src/service/requests/read-answer.ts';
import { operationOf } from '../../src/service/requests/service-calls.ts';
import { watchLoop } from '../support/watch-loop.ts';
import { record } from './client-under-test.ts';

function exchangeOf(text: string) {
  const answer = { status: 200, text, askedAt: 0, serviceTime: null };
  const unset = { retryAfter: undefined, location: undefined };
  return { operation: operationOf('GET', '/files'), answer: { ...answer, ...unset }, apiKey: 'k' };
}

test('while a long list is read, others have their turns', async () => {
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => record({ id })));
  const { value, turns } = await watchLoop(() => readRecords(exchangeOf(text), fileRecordSchema));
  expect(value.records).toHaveLength(50_000);
  expect(turns).toBeGreaterThan(50);
});

test('spaces, escapes and marks inside of texts are no ends of records', async () => {
  const names = ['a "quoted" one', 'back\\slash\\', '],[}{', 'a\nb'];
  const text = JSON.stringify(
    names.map((name, id) => record({ id, name })),
    null,
    2,
  );
  const { records, whole, lastAt } = await readRecords(exchangeOf(` ${text}\n`), fileRecordSchema);
  expect(records.map(({ name }) => name)).toEqual(names);
  expect({ whole, lastAt }).toEqual({ whole: true, lastAt: 3 });
});

test.each(['', '[1', '[1,]', '[1]]', '[1] 2', '{"a":[]}', '["a]', 'null'])(
  '%j is no list',
  async (text) => {
    await expect(readRecords(exchangeOf(text), fileRecordSchema)).rejects.toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
    });
  },
);

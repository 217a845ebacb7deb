import { expect, test } from 'vitest';
import { fileReader } from '../../src/service/json.ts';
import { arrayOf } from '../../src/service/list.ts';
import { watchLoop } from '../support/watch-loop.ts';
import { answerOf } from './answer-of.ts';
import { ACCOUNT, record } from './client-under-test.ts';

const readFiles = arrayOf(fileReader(ACCOUNT));

test('arrayOf yields to the event loop while it reads a long list', async () => {
  const text = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => record({ id })));
  const { value, turns } = await watchLoop(() => readFiles(answerOf(text)));
  expect(value.entries).toHaveLength(50_000);
  expect(turns).toBeGreaterThan(50);
});

test('arrayOf is not confused by spaces, escapes and brackets within strings', async () => {
  const names = ['a "quoted" one', 'back\\slash\\', '],[}{', 'a\nb'];
  const text = JSON.stringify(
    names.map((name, id) => record({ id, name })),
    null,
    2,
  );
  const array = await readFiles(answerOf(` ${text}\n`));
  expect(array.entries.map((entry) => entry?.name)).toEqual(names);
  expect(array.whole).toBe(true);
});

test.each([
  ['objects', '{},', 1_000_001],
  ['numbers', '1,', 5_000_001],
  ['lists', '[],', 1_000_001],
])('arrayOf rejects a list of so many %s that no service means it', async (_, each, count) => {
  await expect(readFiles(answerOf(`[${each.repeat(count)}1]`))).rejects.toMatchObject({
    code: 'SERVICE_BAD_ANSWER',
  });
});

test.each(['', '[1', '[1,]', '[1]]', '[1] 2', '{"a":[]}', '["a]', 'null'])(
  'arrayOf rejects %j, which is no list',
  async (text) => {
    await expect(readFiles(answerOf(text))).rejects.toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
    });
  },
);

import { expect, test } from 'vitest';
import type { Identified } from '../../../src/service/lists/listing.ts';
import { MOST_RECORDS, type Page } from '../../../src/service/lists/page.ts';
import { createPaging } from '../../../src/service/lists/paging.ts';
import { readWholeList } from '../../../src/service/lists/read-on.ts';

/** A list of identifiers that shows so many at once. */
function sourceOf(ids: number[], cap: number) {
  const asked: (number | null)[] = [];
  const readPage = async (start: number | null): Promise<Page<Identified>> => {
    asked.push(start);
    const records = ids.slice(start ?? 0, (start ?? 0) + cap).map((id) => ({ id }));
    const received = records.length;
    const read = { records, unreadable: 0, received, lastAt: received - 1, whole: true };
    return { ...read, serviceTime: null, askedAt: 0 };
  };
  return { kind: 'files' as const, paging: createPaging(), readPage, asked };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test('a list that does not end is given up at 200,000 records', async () => {
  const source = sourceOf(upTo(MOST_RECORDS + 1_000), 100);
  const { state, records } = await readWholeList(source);
  expect(state).not.toBe('whole');
  expect(records.size).toBeLessThanOrEqual(MOST_RECORDS);
  expect(source.asked.length).toBeLessThanOrEqual(MOST_RECORDS / 100 + 1);
});

test('answers cut at a number that an earlier one was cut at are read on', async () => {
  const ids = upTo(250);
  const { paging, readPage } = sourceOf(ids, 40);
  paging.pages('files', 40);
  const { state, records } = await readWholeList({ kind: 'files', paging, readPage });
  expect({ state, count: records.size }).toEqual({ state: 'whole', count: 250 });
});

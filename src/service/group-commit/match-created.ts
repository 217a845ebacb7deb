import {
  assignRecords,
  CLOCKS_APART_MS,
  looksLike,
  type Named,
  sameName,
} from '../../transfers/index.ts';
import type { FileRecord } from '../records.ts';
import type { CreateAnswer } from './create-answer.ts';

/**
 * Which record of a create's answer is whose: see assignRecords, `sought` in the order in which the
 * attachments were sent. In the end a name decides alone, and then the order, when there are as many
 * new records as attachments left. An answer of more records than attachments shows other files of
 * the folder too: of these only new ones count, and those that look like ours.
 *
 * @returns for each of `sought`, its record, or null when the answer does not tell
 */
export function matchCreated(
  sought: readonly Named[],
  { records, sentAt }: CreateAnswer,
): (FileRecord | null)[] {
  const isNew = ({ createdAt }: Pick<FileRecord, 'createdAt'>) =>
    createdAt !== null && createdAt >= sentAt - CLOCKS_APART_MS;
  const usable = records.filter(
    (record) => isNew(record) || sought.some((one) => looksLike(one, record)),
  );
  return assignRecords(sought, records.length > sought.length ? usable : records, [
    { like: (one, { name }) => sameName(one.name, name), of: 'only' },
    { like: (_one, record) => isNew(record), of: 'in-order' },
  ]);
}

import type { Transfer } from '../ledger/index.ts';
import type { FileRecord } from '../service/index.ts';
import {
  type Destination,
  matchRecord,
  type OpenCreate,
  openCreate,
  possibleRecords,
  recordsBy,
} from '../transfers/index.ts';
import type { ListenerContext } from './listener-context.ts';

/** A record that no transfer holds, as its folder shows it. */
export interface SeenRecord {
  record: FileRecord;
  /** Who makes the records of our key, as far as that is known. */
  creators: ReadonlySet<number>;
}

/**
 * Settles the create that left a record, if there is one without an answer. To be done
 * before the record is deleted: a create that is looked for afterwards would be sent again.
 */
export async function settleOpenCreate(
  destination: Destination,
  seen: SeenRecord,
  { ledger, clock }: Pick<ListenerContext, 'ledger' | 'clock'>,
): Promise<void> {
  const now = clock.now();
  const transfers = await ledger.openCreates(destination);
  const open = transfers.flatMap((transfer) => openCreate(transfer, now));
  const own = open.find((create) => hasLeft(create, seen, open));
  if (own) await ledger.markFound(own.id, { recordId: seen.record.id, now });
}

type SentCreate = Transfer & OpenCreate;

function hasLeft(
  create: SentCreate,
  { record, creators }: SeenRecord,
  all: readonly SentCreate[],
): boolean {
  const possible = recordsBy(creators, possibleRecords(create, [record]));
  const others = all.filter(({ id }) => id !== create.id);
  return matchRecord(create, possible, others).verdict === 'found';
}

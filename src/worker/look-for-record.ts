import { PigeonholeError } from '../base/index.ts';
import type { FileRecord } from '../service/index.ts';
import {
  hasSettled,
  type Match,
  matchRecord,
  type OpenCreate,
  openCreate,
  possibleRecords,
} from '../transfers/index.ts';
import type { HeldTransfer, TransferContext } from './transfer-context.ts';
import { type FolderView, othersBeside, viewFolder } from './view-folder.ts';

/** What a look into the folder says of an open create. */
export type Look =
  | { verdict: 'found'; record: FileRecord }
  /** `settled`: the create had the time to take effect before the folder was listed. */
  | { verdict: 'absent'; settled: boolean }
  /** `why`: for the log and for whoever runs this. */
  | { verdict: 'unclear'; why: string };

/**
 * Looks for the record that a create of this transfer left in its folder. That none is there is said
 * only of a list that was read in full.
 */
export async function lookForRecord(held: HeldTransfer, context: TransferContext): Promise<Look> {
  const open = sentCreate(held, context);
  const view = await viewFolder(held, (files) => possibleRecords(open, files), context);
  const others = othersBeside(open, view, context.clock.now());
  const match = matchRecord(open, view.records, others);
  if (match.verdict === 'found') return match;
  const why = doubt(match, view);
  if (why !== null) return { verdict: 'unclear', why };
  return { verdict: 'absent', settled: hasSettled(open, view.list, context.settleMs) };
}

/** The error of an open create of which a look says nothing certain. */
export function unclearRecord({ transfer }: HeldTransfer, why: string): PigeonholeError {
  const message = `the create of transfer ${transfer.id} was not answered, and ${why}`;
  return new PigeonholeError('RECORD_UNCLEAR', message);
}

function sentCreate({ transfer }: HeldTransfer, { clock }: TransferContext): OpenCreate {
  const [open] = openCreate(transfer, clock.now());
  if (open) return open;
  throw new PigeonholeError('UNEXPECTED', `transfer ${transfer.id} has no attachment`);
}

// Whose the key is only the answer to a create tells: it may be another's than it was.
function doubt(match: Match<FileRecord>, view: FolderView): string | null {
  const { list, records, byOthers, knowsOwn } = view;
  if (match.verdict === 'unclear')
    return `records ${records.map(({ id }) => id)} of its folder may be its own`;
  if (byOthers > 0 && !knowsOwn) return `${byOthers} records of its folder may be by its creator`;
  if (list.unreadable > 0) return `${list.unreadable} records of its folder cannot be read`;
  return list.complete ? null : 'its folder could not be read to its end';
}

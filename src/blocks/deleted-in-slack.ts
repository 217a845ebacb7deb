import type { FolderRef } from '../transfers/index.ts';
import { ACTIONS, type CopiesClaim, copiesValue } from './actions.ts';
import { namedFiles } from './file-lines.ts';
import { button } from './layout.ts';
import { ask, type Line, line, say, type View, withOperator } from './prose.ts';
import { whyOf } from './reasons.ts';
import {
  mayHaveDeleted,
  type ServiceTroubleInput,
  tryAgain,
  withReference,
} from './service-trouble.ts';
import { agreeing } from './text.ts';

/** Filed files of one share. */
export interface FiledCopies {
  files: readonly { name: string }[];
  /** Null when they are in several folders. */
  folder: FolderRef | null;
}

/** Asks a sharer privately whether to delete the filed copies of files deleted in Slack too. */
export function deletedInSlack({ shareId, channel, ...copies }: FiledCopies & CopiesClaim): View {
  const { files } = copies;
  const { are, were, them } = agreeing(files.length);
  const question = line`${namedFiles(files)} ${were} deleted in Slack, and ${are} still in ${placeOf(copies)}. Delete ${them} there too?`;
  return ask([question], choice({ shareId, channel }, files.length));
}

function choice(claim: CopiesClaim, count: number) {
  const value = copiesValue.write(claim);
  const label = count === 1 ? 'Delete file' : 'Delete files';
  return [
    button({ action: ACTIONS.deleteCopies, label, value, style: 'danger' }),
    button({ action: ACTIONS.keepCopies, label: `Keep ${agreeing(count).them}`, value }),
  ];
}

function placeOf({ folder }: FiledCopies): Line {
  return folder ? line`${{ folder }}` : ['the file service'];
}

const GONE: Line = ['What was filed is already gone from the folder.'];

/** Replaces the question after the sharer chose to delete; `files`: those that were still there. */
export function copiesDeleted(copies: FiledCopies): View {
  const { files } = copies;
  if (files.length === 0) return say(GONE);
  return say(deletedLine(copies));
}

function deletedLine(copies: FiledCopies): Line {
  return line`Deleted ${namedFiles(copies.files)} from ${placeOf(copies)}.`;
}

/** The files that were deleted, and in `left` those that were not. */
interface StoppedCopies extends FiledCopies, CopiesClaim {
  left: FiledCopies['files'];
  trouble: ServiceTroubleInput;
}

/**
 * Replaces the question when not all files could be deleted: names those that were, says why the
 * others were not, and offers the choice again.
 */
export function copiesStopped(stopped: StoppedCopies): View {
  const { shareId, channel, left, trouble, ...deleted } = stopped;
  const failed = mayHaveDeleted(trouble)
    ? 'may not have been deleted'
    : `${agreeing(left.length).were}n’t deleted`;
  const lines = [
    ...(deleted.files.length > 0 ? [deletedLine(deleted)] : []),
    line`${namedFiles(left)} ${failed}: ${whyOf(trouble.code, trouble.note)}. ${helpFor(trouble)}`,
  ];
  return withReference(ask(lines, choice({ shareId, channel }, left.length)), trouble.reference);
}

function helpFor(trouble: ServiceTroubleInput): Line {
  if (trouble.code !== 'SERVICE_FORBIDDEN') return tryAgain(trouble);
  return withOperator(
    'Contact {operator} for access to it, or delete what’s left in the file service yourself.',
    trouble.operator,
  );
}

/** Replaces the question after the sharer chose to keep the filed copies. */
export function copiesKept(copies: FiledCopies): View {
  const { files } = copies;
  if (files.length === 0) return say(GONE);
  return say(line`${namedFiles(files)} ${agreeing(files.length).stay} in ${placeOf(copies)}.`);
}

import type { FolderRef } from '../../core/index.ts';
import { type CopiesClaim, DELETE_COPIES, KEEP_COPIES } from '../deleted-in-slack/actions.ts';
import { namedFiles, spokenFor } from '../kit/file-lines.ts';
import { button, type View } from '../kit/layout.ts';
import { ask, type Line, line, say, withOperator, withReference } from '../kit/prose.ts';
import { whyOf } from '../kit/reasons.ts';
import { service } from '../kit/service-name.ts';
import { mayHaveDeleted, type ServiceTroubleInput, tryAgain } from '../kit/service-trouble.ts';
import { agreeing } from '../kit/text.ts';

/** Filed files of one share. */
export interface FiledCopies {
  files: readonly { name: string }[];
  /** Null when they are in several folders. */
  folder: FolderRef | null;
}

interface AskedCopies extends FiledCopies {
  claim: CopiesClaim;
}

/** Asks a sharer privately whether to delete the filed copies of files deleted in Slack too. */
export function deletedInSlack({ claim, ...copies }: AskedCopies): View {
  const { files } = copies;
  const { were, them } = agreeing(files.length);
  const question = line`${namedFiles(files)} ${were} deleted in Slack. Delete ${them} from ${placeOf(copies)} too?`;
  return ask([question], choice(claim, files));
}

function choice(claim: CopiesClaim, files: FiledCopies['files']) {
  const [remove, keep] = [
    files.length === 1 ? 'Delete file' : 'Delete files',
    `Keep ${agreeing(files.length).them}`,
  ];
  const labelled = (label: string) => ({ label, spoken: spokenFor(label, files) });
  return [
    button({ action: DELETE_COPIES, ...labelled(remove), claim, style: 'danger' }),
    button({ action: KEEP_COPIES, ...labelled(keep), claim }),
  ];
}

function placeOf({ folder }: FiledCopies): Line {
  return folder ? line`${{ folder }}` : [service()];
}

const GONE: Line = ['Already gone from the folder.'];

/** The files that were deleted, and in `changed` those left as they are not what was filed. */
interface DeletedCopies extends FiledCopies {
  changed: FiledCopies['files'];
}

/** Replaces the question after the sharer chose to delete; neither list has those that were gone. */
export function copiesDeleted(copies: DeletedCopies): View {
  const lines = outcomeLines(copies);
  return say(...(lines.length === 0 ? [GONE] : lines));
}

function outcomeLines({ changed, ...deleted }: DeletedCopies): Line[] {
  const lines = [
    deleted.files.length > 0 ? deletedLine(deleted) : null,
    changed.length > 0 ? changedLine(changed) : null,
  ];
  return lines.filter((one) => one !== null);
}

function changedLine(files: FiledCopies['files']): Line {
  const { have, them } = agreeing(files.length);
  return line`${namedFiles(files)} ${have} changed since, so I kept ${them}. An admin can delete ${them} in ${service()}.`;
}

function deletedLine(copies: FiledCopies): Line {
  return line`Deleted ${namedFiles(copies.files)} from ${placeOf(copies)}.`;
}

/** In `left`, the files that could not be deleted. */
interface StoppedCopies extends DeletedCopies, AskedCopies {
  left: FiledCopies['files'];
  trouble: ServiceTroubleInput;
}

/**
 * Replaces the question when not all files could be deleted: names those that were, says why the
 * others were not, and offers the choice again.
 */
export function copiesStopped(stopped: StoppedCopies): View {
  const { claim, left, trouble, ...deleted } = stopped;
  const failed = mayHaveDeleted(trouble)
    ? 'may not have been deleted'
    : `${agreeing(left.length).were}n’t deleted`;
  const lines = [
    ...outcomeLines(deleted),
    line`${namedFiles(left)} ${failed}: ${whyOf(trouble.code, trouble.note)}. ${helpFor(trouble)}`,
  ];
  return withReference(ask(lines, choice(claim, left)), trouble.reference);
}

function helpFor(trouble: ServiceTroubleInput): Line {
  if (trouble.code !== 'SERVICE_FORBIDDEN') return tryAgain(trouble);
  return withOperator(
    `Contact {operator} for access to it, or delete what’s left in ${service()} yourself.`,
    trouble.operator,
  );
}

/** Replaces the question after the sharer chose to keep the filed copies. */
export function copiesKept(copies: FiledCopies): View {
  const { files } = copies;
  if (files.length === 0) return say(GONE);
  return say(line`${namedFiles(files)} ${agreeing(files.length).stay} in ${placeOf(copies)}.`);
}

import type { FolderRef, Refusal } from '../transfers/index.ts';
import { ACTIONS, type CopiesClaim } from './actions.ts';
import { namedFiles } from './file-lines.ts';
import { button, type View } from './layout.ts';
import {
  ask,
  type Line,
  line,
  type Operator,
  OTHER_WORKSPACE,
  say,
  withOperator,
  withReference,
} from './prose.ts';
import { whyOf } from './reasons.ts';
import { mayHaveDeleted, type ServiceTroubleInput, tryAgain } from './service-trouble.ts';
import { agreeing } from './text.ts';

/**
 * Why a person may not delete a file; `saved-by-other`: another person saved it by hand;
 * `elsewhere`: it is not one of this channel's files.
 */
type DeleteRefusal = Refusal | 'saved-by-other' | 'elsewhere';

const MAY_NOT_DELETE: Record<DeleteRefusal, string> = {
  'not-allowed': 'Only the person who shared it or a workspace admin can. Ask one of them.',
  'saved-by-other':
    'Only the person who saved it to this folder or a workspace admin can. Ask one of them.',
  guest: 'Guests can’t delete files. Ask a workspace admin.',
  'other-workspace': OTHER_WORKSPACE,
  elsewhere: 'It isn’t one of the files here. Type /files to see those.',
};

/** The private response to a delete that this person may not make; `name` null: kept from them. */
export function deleteRefused(refused: { reason: DeleteRefusal; name: string | null }): View {
  const { reason, name } = refused;
  const file = name === null ? 'this file' : { file: name };
  return say(line`You can’t delete ${file}. ${MAY_NOT_DELETE[reason]}`);
}

/** The notice above a refreshed list: the file is deleted. */
export function fileDeleted({ name: file }: { name: string }): View {
  return say(line`Deleted ${{ file }}.`);
}

/** The notice above a refreshed list: the file was already gone; `name` null when unknown. */
export function deleteGone({ name }: { name: string | null }): View {
  const file = name === null ? 'The file' : { file: name };
  return say(line`${file} had already been deleted.`);
}

/** The notice above a refreshed list: the number is another file's by now, or it was renamed. */
export function deleteChanged({ name: file }: { name: string }): View {
  return say(
    line`${{ file }} has changed since you saw the list, so I didn’t delete it. Check the list, then try again.`,
  );
}

/** The private response to a delete that the service refuses. */
export function deleteForbidden({ name, operator }: { name: string; operator: Operator }): View {
  const ask = withOperator('Contact {operator} for access to it', operator);
  return say(
    line`${{ file: name }} wasn’t deleted: the file service doesn’t let me delete files in this folder. ${ask}, or delete the file in the file service yourself.`,
  );
}

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
  const { are, were, them } = agreeing(files.length);
  const question = line`${namedFiles(files)} ${were} deleted in Slack, and ${are} still in ${placeOf(copies)}. Delete ${them} there too?`;
  return ask([question], choice(claim, files.length));
}

function choice(claim: CopiesClaim, count: number) {
  const label = count === 1 ? 'Delete file' : 'Delete files';
  return [
    button({ action: ACTIONS.deleteCopies, label, claim, style: 'danger' }),
    button({ action: ACTIONS.keepCopies, label: `Keep ${agreeing(count).them}`, claim }),
  ];
}

function placeOf({ folder }: FiledCopies): Line {
  return folder ? line`${{ folder }}` : ['the file service'];
}

const GONE: Line = ['What was filed is already gone from the folder.'];

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
  const { have, they, were, them } = agreeing(files.length);
  return line`${namedFiles(files)} ${have} changed since ${they} ${were} filed, so I left ${them}. An admin can delete ${them} in the file service.`;
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
  return withReference(ask(lines, choice(claim, left.length)), trouble.reference);
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

import type { FolderRef, Refusal } from '../../core/index.ts';
import { BACK_TO_FILES } from '../files/actions.ts';
import { button, type View } from '../kit/layout.ts';
import {
  ask,
  type Line,
  line,
  type Operator,
  OTHER_WORKSPACE,
  say,
  withOperator,
} from '../kit/prose.ts';
import { service } from '../kit/service-name.ts';
import { agreeing, counted, shownName } from '../kit/text.ts';
import { DELETE_FILE, type FileClaim, PUT_BACK, type PutBackClaim } from './actions.ts';

/** The most of a name in a button, in UTF-16 units: JSON may write each with six characters. */
const MAX_CLAIMED = 80;

/** Returns what a button carries of a file's name, to know the file again at the press. */
export function claimedName({ name }: { name: string }): string {
  return name.slice(0, MAX_CLAIMED);
}

interface DeleteQuestion {
  name: string;
  folder: FolderRef;
  claim: FileClaim;
}

/** Asks before a file is deleted, in place of the list. */
export function deleteQuestion({ name: file, folder, claim }: DeleteQuestion): View {
  const name = shownName(file);
  const { page, filter } = claim;
  return ask(
    [line`Delete ${{ file }} from ${{ folder }} for everyone? A copy in Slack stays.`],
    [
      button({
        ...{ action: DELETE_FILE, label: 'Delete file', claim, style: 'danger' },
        spoken: `Delete file: ${name}`,
      }),
      button({
        ...{ action: BACK_TO_FILES, label: 'Keep it', claim: { page, filter } },
        spoken: `Keep it: ${name}`,
      }),
    ],
  );
}

/**
 * Why a person may not delete a file; `saved-by-other`: another person saved it by hand;
 * `elsewhere`: it is not one of this channel's files.
 */
export type DeleteRefusal = Refusal | 'saved-by-other' | 'elsewhere';

const WHO_MAY: Record<DeleteRefusal, string> = {
  'not-allowed': 'Ask who shared it, or a workspace admin.',
  'saved-by-other': 'Ask who saved it here, or a workspace admin.',
  guest: 'Guests can’t. Ask a workspace admin.',
  'other-workspace': OTHER_WORKSPACE,
  elsewhere: 'It isn’t one of the files here. Type /files to see those.',
};

/** The private response to a delete that this person may not make; `name` null: kept from them. */
export function deleteRefused(refused: { reason: DeleteRefusal; name: string | null }): View {
  const { reason, name } = refused;
  const file = name === null ? 'this file' : { file: name };
  return say(line`You can’t delete ${file}. ${WHO_MAY[reason]}`);
}

/** The notice above a refreshed list: the file is deleted; `back`: it may be put back. */
export function fileDeleted(deleted: { name: string; back: PutBackClaim | null }): View {
  const { name: file, back } = deleted;
  const spoken = `Put back ${shownName(file)}`;
  return ask(
    [line`Deleted ${{ file }}.`],
    [back && button({ action: PUT_BACK, label: 'Put back', claim: back, spoken })],
  );
}

/** The notice above a refreshed list: the file was already gone; `name` null when unknown. */
export function deleteGone({ name }: { name: string | null }): View {
  const file = name === null ? 'The file' : { file: name };
  return say(line`${file} had already been deleted.`);
}

/** The notice above a refreshed list: the number is another file's by now, or it was renamed. */
export function deleteChanged(): View {
  return say(['That file has changed since, so I didn’t delete it. Check the list.']);
}

/** Why files are not put back. */
export type NotPutBack = DeleteRefusal | 'back' | 'too-late' | 'not-in-slack';

/** The private response to Put back; `names`: of the files. */
export function puttingBack(names: readonly string[]): View {
  const [first = ''] = names;
  const files = names.length === 1 ? [{ file: first }] : [counted(names.length, 'file')];
  return say(line`Putting ${files} back. The message gets its check mark when that is done.`);
}

/** The same where nothing is put back; without `names`, they are kept from this person. */
export function notPutBack({
  reason,
  names,
}: {
  reason: NotPutBack;
  names: readonly string[];
}): View {
  const [first] = names;
  const { them } = agreeing(names.length);
  const one: Line = [first === undefined ? 'this file' : { file: first }];
  const files = names.length > 1 ? [counted(names.length, 'file')] : one;
  if (reason === 'back') return say(line`Already back, or on the way.`);
  if (reason === 'too-late') return say(line`Deleted over a day ago. Share ${files} again.`);
  if (reason === 'not-in-slack')
    return say(line`Slack no longer has ${files}, so I can’t put ${them} back.`);
  return say(line`You can’t put ${files} back. ${WHO_MAY[reason]}`);
}

/** The private response to a delete that the service refuses. */
export function deleteForbidden({ name, operator }: { name: string; operator: Operator }): View {
  const contact = withOperator('Ask {operator} for access', operator);
  return say(
    line`${contact}, or delete ${{ file: name }} in ${service()}: it doesn’t let me delete files in this folder.`,
  );
}

/** Stands above the list that `/files delete` shows. */
export const CHOOSE_TO_DELETE = say(['Choose Delete in a file’s menu.']);

import type { Refusal } from '../transfers/index.ts';
import { line, type Operator, say, type View, withOperator } from './prose.ts';
import { OTHER_WORKSPACE } from './refusals.ts';

/** Why a person may not delete a file; `elsewhere`: it is none of the files of this channel. */
export type DeleteRefusal = Refusal | 'elsewhere';

const MAY_NOT_DELETE: Record<DeleteRefusal, string> = {
  'not-allowed': 'Only the person who shared it or a workspace admin can. Ask one of them.',
  guest: 'Guests can’t delete files. Ask a workspace admin.',
  'other-workspace': OTHER_WORKSPACE,
  elsewhere: 'It isn’t one of this channel’s files. Type /files to see those.',
};

/** The private answer to a delete that this person may not make; `name` null: not to be named here. */
export function deleteRefused(refused: { reason: DeleteRefusal; name: string | null }): View {
  const { reason, name } = refused;
  const file = name === null ? 'this file' : { file: name };
  return say(line`You can’t delete ${file}. ${MAY_NOT_DELETE[reason]}`);
}

/** The notice over a refreshed list: the file is deleted. */
export function fileDeleted({ name: file }: { name: string }): View {
  return say(line`Deleted ${{ file }}.`);
}

/** The notice over a refreshed list: the file was not there any more. */
export function deleteGone({ name }: { name: string | null }): View {
  const file = name === null ? 'The file' : { file: name };
  return say(line`${file} had already been deleted.`);
}

/** The private answer to a delete that the service refuses. */
export function deleteForbidden({
  name: file,
  operator,
}: {
  name: string;
  operator: Operator;
}): View {
  const ask = withOperator('Contact {operator} for access to it', operator);
  return say(
    line`${{ file }} wasn’t deleted: the file service doesn’t let me delete files in this folder. ${ask}, or delete the file there yourself.`,
  );
}

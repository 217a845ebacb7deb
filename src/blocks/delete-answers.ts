import type { Refusal } from '../transfers/index.ts';
import { OTHER_WORKSPACE } from './other-workspace.ts';
import type { Piece } from './prose.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

/** Why a person may not delete a file; `elsewhere`: it is none of the files of this channel. */
export type DeleteRefusal = Refusal | 'elsewhere';

export interface DeleteRefusedInput {
  reason: DeleteRefusal;
  /** Null for a file that is not known, or not to be named here. */
  name: string | null;
}

const WHY: Record<DeleteRefusal, string> = {
  'not-allowed': 'Only the person who shared it or a workspace admin can. Ask one of them.',
  guest: 'Guests can’t delete files. Ask a workspace admin.',
  'other-workspace': OTHER_WORKSPACE,
  elsewhere: 'It isn’t one of this channel’s files. Type /files for the files that are.',
};

/** The private answer to a delete that is not this person's to make. */
export function deleteRefused({ reason, name }: DeleteRefusedInput): View {
  return say(['You can’t delete ', subject(name, 'this file'), `. ${WHY[reason]}`]);
}

/** The notice over a refreshed list: the file is deleted. */
export function fileDeleted({ name }: { name: string }): View {
  return say(['Deleted ', { file: name }, '.']);
}

/** The notice over a refreshed list: the file was not there any more. */
export function deleteGone({ name }: { name: string | null }): View {
  return say([subject(name, 'The file'), ' was gone already. There was nothing to delete.']);
}

/** The private answer to a delete that the service refuses. */
export function deleteForbidden({ name }: { name: string }): View {
  return say([
    { file: name },
    ' was not deleted: the file service does not let me delete files in this folder. Ask whoever runs Pigeonhole for access to it, or delete the file there yourself.',
  ]);
}

function subject(name: string | null, unnamed: string): Piece {
  return name === null ? unnamed : { file: name };
}

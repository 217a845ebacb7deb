import type { Piece } from './prose.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

/** Why a person may not delete a file; `elsewhere`: it is in another folder than the channel's. */
export type DeleteRefusal = 'not-yours' | 'other-workspace' | 'elsewhere';

export interface DeleteRefusedInput {
  reason: DeleteRefusal;
  /** Null for a file that is not known, or not to be named here. */
  name: string | null;
}

const WHY: Record<DeleteRefusal, string> = {
  'not-yours': 'Only the person who shared it and workspace admins may. Ask one of them.',
  'other-workspace':
    'Only people of the workspace that Pigeonhole is installed in may. Ask one of its admins.',
  elsewhere:
    'It is not in the folder that this channel has now. Type /files for the files that are there.',
};

/** The private answer to a delete that is not this person's to make. */
export function deleteRefused({ reason, name }: DeleteRefusedInput): View {
  return say([subject(name), ` was not deleted. ${WHY[reason]}`]);
}

/** The notice over a refreshed list: the file is deleted. */
export function fileDeleted({ name }: { name: string }): View {
  return say(['Deleted ', { file: name }, '.']);
}

/** The notice over a refreshed list: the file was not there any more. */
export function deleteGone({ name }: { name: string | null }): View {
  return say([subject(name), ' was gone already. There was nothing to delete.']);
}

/** The private answer to a delete that the service refuses. */
export function deleteForbidden({ name }: { name: string }): View {
  return say([
    { file: name },
    ' was not deleted: the file service does not let me delete files in this folder. Ask whoever runs Pigeonhole for access to it, or delete the file there yourself.',
  ]);
}

function subject(name: string | null): Piece {
  return name === null ? 'The file' : { file: name };
}

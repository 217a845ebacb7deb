import type { FolderRef } from '../../core/index.ts';
import type { View } from '../kit/layout.ts';
import { line, say } from '../kit/prose.ts';

interface SharedFile {
  name: string;
  url: string | null;
  folder: FolderRef;
  /** Slack ID of the person. */
  by: string;
}

/** Posted where a person shares a file from a list. */
export function fileShared({ name: file, url, folder, by: person }: SharedFile): View {
  return say(line`${{ person }} shared ${{ file, url }} from ${{ folder }}`);
}

/** The private response to a second press. */
export function alreadyShared({ name: file }: { name: string }): View {
  return say(line`You’ve just shared ${{ file }} here.`);
}

/** The private response where the app is not in the conversation. */
export const CANNOT_SHARE = say(
  line`Add me to this conversation with ${{ command: '/invite' }}, then share it.`,
);

/** The private response when the channel has no such file, or none any more. */
export const NOT_HERE = say(line`That file isn’t here any more.`);

import type { FolderRef } from '../transfers/index.ts';
import { type NamedFile, namedFiles } from './file-lines.ts';
import { type AboutChannel, type Line, line, placed, say, type View } from './prose.ts';
import { type LinkReader, whoCanLink } from './refusals.ts';
import { counted, shownName } from './text.ts';

export interface FilesAddedInput {
  folder: FolderRef;
  /** How many in all. */
  count: number;
  /** The first few, each of which is named. */
  files: readonly NamedFile[];
  /** Who added all of them, by the file service; null for several, and for nobody known. */
  by: string | null;
}

/** Said in the channel of files that came into its folder, and not from Slack by Pigeonhole. */
export function filesAdded({ folder, count, files, by }: FilesAddedInput): View {
  const some = counted(count, 'file');
  const where = line`to ${{ folder }} in the file service`;
  const what =
    by === null
      ? line`${some} ${count === 1 ? 'was' : 'were'} added ${where}`
      : line`${shownName(by, { unnamed: 'Somebody' })} added ${some} ${where}`;
  return say(line`${what}: ${namedFiles(files, count, files.length)}`);
}

/** What the channel is told while it is told of added files. */
const SAID: Line = ['what others add to it in the file service, at most every ten minutes'];
const ON = { command: '/files announce on' };
const OFF = { command: '/files announce off' };

export interface AnnouncementsInput {
  folder: FolderRef;
  /** Whether the channel is told what others add to its folder. */
  on: boolean;
}

/** Said in the channel when somebody has it told what others add to its folder, or no more. */
export function announcementsSwitched({
  folder,
  on,
  byUserId: person,
}: AnnouncementsInput & { byUserId: string }): View {
  if (!on)
    return say(
      line`${{ person }} turned announcements off: I no longer say here what others add to ${{ folder }}.`,
    );
  return say(
    line`${{ person }} turned announcements on for ${{ folder }}: I’ll say here ${SAID}.`,
    line`To turn them off, type ${OFF}.`,
  );
}

/** Said when a channel is linked that is told what others add to its folder. */
export function announcesToo(): Line {
  return line`I’ll also say here ${SAID}.`;
}

/** The private answer to `/files announce`, and to what changes nothing. */
export function announcementsStand(input: AnnouncementsInput & LinkReader): View {
  const { folder, on } = input;
  const now = on
    ? line`Announcements are on for ${{ folder }}: I say here ${SAID}.`
    : line`Announcements are off: I don’t say here what others add to ${{ folder }}.`;
  return say(now, line`${whoCanLink(input)} turn them ${on ? 'off' : 'on'} with ${on ? OFF : ON}.`);
}

/** The private answer where a channel is on the default folder. */
export function noAnnouncements({ folder, ...about }: AboutChannel & { folder: FolderRef }): View {
  return say(
    line`Files shared ${placed(about)} go to the default folder, ${{ folder }}, which other channels share, so I can’t announce what’s added to it. Link the channel to a folder of its own first.`,
  );
}

import type { AddedFiles, FolderRef } from '../transfers/index.ts';
import { namedFiles } from './file-lines.ts';
import type { View } from './layout.ts';
import {
  type AboutChannel,
  hereOrIn,
  type Line,
  line,
  placeWord,
  type Reader,
  say,
  whoCanLink,
} from './prose.ts';
import { agreeing, counted, shownName } from './text.ts';

/** Posted in the channel about files that others added to its folder, not Pigeonhole. */
export function filesAdded({ folder, count, files, by }: AddedFiles & { folder: FolderRef }): View {
  const some = counted(count, 'file');
  const where = line`to ${{ folder }} in the file service`;
  const what =
    by === null
      ? line`${some} ${agreeing(count).were} added ${where}`
      : line`${shownName(by, { unnamed: 'Somebody' })} added ${some} ${where}`;
  return say(line`${what}: ${namedFiles(files, count, files.length)}`);
}

/** What announcements tell the channel. */
const SAID: Line = [
  'when others add files to it in the file service, at most once every ten minutes',
];
const ON = { command: '/files announce on' };
const OFF = { command: '/files announce off' };

interface AnnouncementsInput {
  folder: FolderRef;
  /** Whether announcements tell the channel what others add to its folder. */
  on: boolean;
}

/** Posted in the channel when somebody turns announcements on or off. */
export function announcementsSwitched(input: AnnouncementsInput & { byUserId: string }): View {
  const { folder, on, byUserId: person } = input;
  if (!on)
    return say(
      line`${{ person }} turned announcements off: I no longer post here when others add files to ${{ folder }}.`,
    );
  return say(
    line`${{ person }} turned announcements on for ${{ folder }}: I’ll post here ${SAID}.`,
    line`To turn them off, type ${OFF}.`,
  );
}

/** Added to the message about a channel's link when announcements are on. */
export const ANNOUNCES_TOO = line`I’ll also post here ${SAID}.`;

/** The private response to `/files announce`, and to a switch that changes nothing. */
export function announcementsStand(input: AnnouncementsInput & Omit<Reader, 'isDirect'>): View {
  const { folder, on } = input;
  const now = on
    ? line`Announcements are on for ${{ folder }}: I post here ${SAID}.`
    : line`Announcements are off: I don’t post here when others add files to ${{ folder }}.`;
  return say(now, line`${whoCanLink(input)} turn them ${on ? 'off' : 'on'} with ${on ? OFF : ON}.`);
}

/** The private response about announcements in a channel that uses the default folder. */
export function noAnnouncements(
  input: AboutChannel & Omit<Reader, 'isDirect'> & { folder: FolderRef },
): View {
  const { folder } = input;
  return say(
    line`Files shared ${hereOrIn(input)} go to the default folder, ${{ folder }}, which other channels share, so I can’t announce what’s added to it. ${whoCanLink(input)} link the ${placeWord(input)} to a folder of its own first.`,
  );
}

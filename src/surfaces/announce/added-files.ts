import type { AddedFiles, FolderRef } from '../../core/index.ts';
import { namedFiles } from '../kit/file-lines.ts';
import type { View } from '../kit/layout.ts';
import {
  type AboutChannel,
  hereOrIn,
  type Line,
  line,
  placeWord,
  type Reader,
  say,
  whoCanLink,
} from '../kit/prose.ts';
import { service } from '../kit/service-name.ts';
import { agreeing, counted, shownName } from '../kit/text.ts';

/** Posted in the channel about files that others added to its folder, not Pigeonhole. */
export function filesAdded({ folder, count, files, by }: AddedFiles & { folder: FolderRef }): View {
  const some = counted(count, 'file');
  const where = line`to ${{ folder }} in ${service()}`;
  const what =
    by === null
      ? line`${some} ${agreeing(count).were} added ${where}`
      : line`${shownName(by, { unnamed: 'Somebody' })} added ${some} ${where}`;
  return say(line`${what}: ${namedFiles(files, count, files.length)}`);
}

/** What announcements tell the channel. */
const said = (): Line => [`when others add files to it in ${service()}`];
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
  if (!on) return say(line`${{ person }} turned announcements off for ${{ folder }}.`);
  return say(
    line`${{ person }} turned announcements on for ${{ folder }}: I’ll post here ${said()}.`,
    line`${OFF} turns them off.`,
  );
}

/** Added to the message about a channel's link when announcements are on. */
export const announcesToo = () => line`I’ll also post here ${said()}.`;

/** The private response to `/files announce`, and to a switch that changes nothing. */
export function announcementsStand(input: AnnouncementsInput & Omit<Reader, 'isDirect'>): View {
  const { folder, on } = input;
  const now = on
    ? line`Announcements are on for ${{ folder }}: I post here ${said()}.`
    : line`Announcements are off for ${{ folder }}.`;
  return say(now, line`${whoCanLink(input)} turn them ${on ? 'off' : 'on'} with ${on ? OFF : ON}.`);
}

/** The private response about announcements in a channel that uses the default folder. */
export function noAnnouncements(
  input: AboutChannel & Omit<Reader, 'isDirect'> & { folder: FolderRef },
): View {
  const { folder } = input;
  return say(
    line`Other channels share the default folder, ${{ folder }}, so I can’t announce ${hereOrIn(input)} what’s added. ${whoCanLink(input)} choose a folder for the ${placeWord(input)} first.`,
  );
}

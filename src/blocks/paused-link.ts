import type { FolderRef, LinkBy, PauseReason } from '../transfers/index.ts';
import { linkButton } from './link-messages.ts';
import { ask, type Line, line, say, type View } from './prose.ts';
import { ONE_WHO_LINKS } from './refusals.ts';

/** A link whose folder takes no files, so that they wait. */
export interface PausedLink {
  reason: PauseReason;
  folder: FolderRef;
}

function whyPaused({ reason, folder }: PausedLink, whose = 'its'): Line {
  const named = line`${whose} folder, ${{ folder }}`;
  return reason === 'DESTINATION_GONE'
    ? line`${named}, is gone`
    : line`the file service no longer lets me use ${named}`;
}

/** Said in private, once, to who linked a channel whose link is paused, and may link it to another folder. */
export function linkPaused({ channel, ...paused }: PausedLink & { channel: string }): View {
  return ask(
    [
      line`Files shared in ${{ channel }} are waiting: ${whyPaused(paused)}. Nothing is lost.`,
      [MEND[paused.reason]],
      line`I’m telling you because you linked it.`,
    ],
    [linkButton(channel, 'Choose another folder')],
  );
}

const MEND: Record<PauseReason, string> = {
  DESTINATION_GONE: 'Choose another folder, and the waiting files go there by themselves.',
  SERVICE_FORBIDDEN:
    'Give me access to it again, and the waiting files go there by themselves. Or choose another folder for them.',
};

/** Said in the channel, once, where who linked it cannot be told. */
export function channelPaused({
  linkBy,
  ...paused
}: PausedLink & { linkBy: LinkBy | undefined }): View {
  return say(
    line`Files shared here are waiting: ${whyPaused(paused, 'this channel’s')}. Nothing is lost.`,
    line`${ONE_WHO_LINKS[linkBy ?? 'admins']} choose another folder with ${{ command: '/files link' }}, and the waiting files go there by themselves.`,
  );
}

/** Said to who asks for the files of a channel whose link is paused. */
export function pausedHere({ mayLink, ...paused }: PausedLink & { mayLink: boolean }): View {
  return ask(
    [
      line`This channel’s link is paused: ${whyPaused(paused)}. Files shared here wait, and nothing is lost.`,
    ],
    [mayLink ? linkButton(null, 'Choose another folder') : null],
  );
}

/** What becomes of files that wait for a paused link; `told`: somebody who can fix that was told. */
export function untilMended(count: number, { told }: { told: boolean }): Line {
  const go = count === 1 ? 'it’s filed by itself' : 'they’re filed by themselves';
  if (told) return [`I’ve told the people who can fix that. Once they have, ${go}.`];
  return [`Once that’s fixed, or the channel has another folder, ${go}.`];
}

import {
  type Destination,
  type EarlierFiles,
  type FolderRef,
  folderNumber,
} from '../../core/index.ts';
import type { Action, FolderClaim } from '../kit/claims.ts';
import { button, type View } from '../kit/layout.ts';
import { type AboutChannel, ask, hereOrIn, type Line, line, placeWord, say } from '../kit/prose.ts';
import { agreeing, counted, shownFolder } from '../kit/text.ts';
import {
  BACKFILL_DECLINE,
  BACKFILL_START,
  FILE_PARKED,
  KEEP_WAITING,
  LEAVE_PARKED,
  MOVE_WAITING,
  PARK_WAITING,
} from './actions.ts';
import { linkButton } from './link-messages.ts';

const LEAVE = 'Leave in Slack';

interface Offer extends AboutChannel {
  count: number;
  destination: Destination;
}

function offering(
  { count, destination, elsewhere: channel }: Offer,
  question: Line,
  { file, leave }: Record<'file' | 'leave', Action<FolderClaim>>,
): View {
  const claim = { ...destination, channel };
  const { them } = agreeing(count);
  const files = count === 1 ? 'the earlier file' : 'the earlier files';
  const labelled = (label: string) => ({ label, spoken: `${label}: ${files}` });
  return ask(
    [line`${question} File ${them} too?`],
    [
      button({ action: file, ...labelled(`File ${them}`), claim, style: 'primary' }),
      button({ action: leave, ...labelled(LEAVE), claim }),
    ],
  );
}

/** Asks whether to file the parked files now that the channel has a folder. */
export function confirmParked(offer: Offer): View {
  const { count } = offer;
  const question = line`${counted(count, 'file')} shared ${hereOrIn(offer)} ${agreeing(count).are} in Slack only.`;
  return offering(offer, question, { file: FILE_PARKED, leave: LEAVE_PARKED });
}

/** Asks whether to file the files of a channel's history too. */
export function backfillOffer({ more, ...offer }: Offer & EarlierFiles): View {
  const { count } = offer;
  const question = line`${more ? 'At least ' : ''}${counted(count, 'file')} ${agreeing(count).were} shared ${hereOrIn(offer)} before.`;
  const answers = { file: BACKFILL_START, leave: BACKFILL_DECLINE };
  return offering({ ...offer, count: more ? 2 : count }, question, answers);
}

/** Replaces the offer to file parked files after somebody accepted it. */
export function parkedFiled({ count }: { count: number }): View {
  if (count === 0) return EARLIER_FILES_TAKEN;
  const { are, their } = agreeing(count);
  return say([`${counted(count, 'file')} ${are} on ${their} way now.`]);
}

/** Replaces an offer that somebody accepted after the channel was unlinked. */
export function nowhereToFile(about: AboutChannel): View {
  const { elsewhere: channel } = about;
  const which = channel === undefined ? `this ${placeWord(about)}` : { channel };
  return ask([line`I filed nothing, as ${which} has no folder any more.`], [linkButton(about)]);
}

/** Replaces an offer that somebody accepted after the channel got another folder. */
export function linkedElsewhere(input: AboutChannel & { folder: FolderRef }): View {
  const { folder, elsewhere: channel } = input;
  const command = `/files link ${folderNumber(folder)}`;
  if (channel === undefined)
    return say(
      line`This ${placeWord(input)}’s files now go to ${{ folder }}.`,
      line`To add the earlier ones there, type ${{ command }}.`,
    );
  // A command acts on the channel where it is typed, so this view has a button instead.
  return ask(
    [
      line`Files shared in ${{ channel }} now go to ${{ folder }}.`,
      line`To add the earlier ones there, press the button and save that folder again.`,
    ],
    [linkButton({ elsewhere: channel })],
  );
}

/** Replaces an offer that somebody declined; `newOnesFiled`: whether the channel has a folder. */
export function earlierFilesLeft({ newOnesFiled }: { newOnesFiled: boolean }): View {
  const left = 'The earlier files stay in Slack.';
  return say([newOnesFiled ? `${left} New ones are filed.` : left]);
}

/** Replaces an offer of files that were filed or deleted in Slack before the press. */
export const EARLIER_FILES_TAKEN = say([
  'Everything is filed already, on its way, or deleted in Slack.',
]);

/** Replaces the offer to file a channel's history after somebody accepted it. */
export function backfillStarted(about: AboutChannel): View {
  return say(line`Checking earlier messages. I’ll post progress ${hereOrIn(about)}.`);
}

interface WaitingFilesInput extends AboutChannel {
  /** Files on their way. */
  count: number;
  /** The folder that the channel was linked to when they were shared. */
  from: FolderRef;
  /** Where files shared now go; null when nowhere. */
  to: FolderRef | null;
}

/** Asks privately what to do with the files that still wait for the previous folder. */
export function waitingFiles({ count, from, to, elsewhere: channel }: WaitingFilesInput): View {
  const claim = { ...from, channel };
  const there = channel === undefined ? '' : line` in ${{ channel }}`;
  const { are, they } = agreeing(count);
  const files = counted(count, 'file');
  const goTo = (folder: FolderRef) => ({
    label: `To ${shownFolder(folder, 30, 60)}`,
    spoken: `Send ${files} to ${shownFolder(folder, 25, 50)}`,
  });
  return ask(
    [
      line`${files} shared${there} before ${are} still on the way to ${{ folder: from }}. Where should ${they} go?`,
    ],
    [
      to && button({ action: MOVE_WAITING, ...goTo(to), claim }),
      button({ action: KEEP_WAITING, ...goTo(from), claim }),
      button({ action: PARK_WAITING, label: LEAVE, spoken: `${LEAVE}: ${files}`, claim }),
    ],
  );
}

interface WaitingSettledInput {
  /** Files that were still waiting at the press. */
  count: number;
  /** Where they go now; null when nowhere. */
  to: FolderRef | null;
  /** The previous folder, and how many files are already being sent there. */
  from: FolderRef;
  beingSent: number;
}

/** Replaces the question after somebody chose: says what happens now. */
export function waitingSettled({ count, to, from, beingSent }: WaitingSettledInput): View {
  const files = counted(count, 'file');
  const { go } = agreeing(count);
  const chosen = to ? line`${files} ${go} to ${{ folder: to }}.` : [`Left ${files} in Slack.`];
  const sent = counted(beingSent, 'file');
  return say(
    count === 0 ? ['No file is waiting any more.'] : chosen,
    beingSent > 0
      ? line`${sent} ${agreeing(beingSent).were} being sent to ${{ folder: from }} already.`
      : null,
  );
}

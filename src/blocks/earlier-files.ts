import { type Destination, type FolderRef, folderNumber } from '../transfers/index.ts';
import { ACTIONS, type Action, type FolderClaim } from './actions.ts';
import { button, type View } from './layout.ts';
import { linkButton } from './link-messages.ts';
import { type AboutChannel, ask, hereOrIn, type Line, line, placeWord, say } from './prose.ts';
import { agreeing, counted } from './text.ts';

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
  return ask(
    [line`${question} File ${them} too?`],
    [
      button({ action: file, label: `File ${them}`, claim, style: 'primary' }),
      button({ action: leave, label: `Leave ${them}`, claim }),
    ],
  );
}

/** Asks whether to file the parked files now that the channel has a folder. */
export function confirmParked(offer: Offer): View {
  const { count } = offer;
  const question = line`${counted(count, 'file')} shared ${hereOrIn(offer)} ${agreeing(count).are} in Slack only.`;
  return offering(offer, question, { file: ACTIONS.fileParked, leave: ACTIONS.leaveParked });
}

/** Files found in a channel's history. */
export interface EarlierFiles {
  count: number;
  /** Whether there may be more: further back than was read, or in threads. */
  more: boolean;
}

/** Asks whether to file the files of a channel's history too. */
export function backfillOffer({ more, ...offer }: Offer & EarlierFiles): View {
  const { count } = offer;
  const question = line`${more ? 'At least ' : ''}${counted(count, 'file')} ${agreeing(count).were} shared ${hereOrIn(offer)} before.`;
  const answers = { file: ACTIONS.backfillStart, leave: ACTIONS.backfillDecline };
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
  return ask(
    [line`Nothing was filed: ${which} isn’t linked to a folder any more.`],
    [linkButton(about)],
  );
}

/** Replaces an offer that somebody accepted after the channel got another folder. */
export function linkedElsewhere(input: AboutChannel & { folder: FolderRef }): View {
  const { folder, elsewhere: channel } = input;
  const command = `/files link ${folderNumber(folder)}`;
  if (channel === undefined)
    return say(
      line`Nothing was filed: this ${placeWord(input)}’s files now go to another folder, ${{ folder }}.`,
      line`To file the earlier ones there, type ${{ command }}.`,
    );
  // A command acts on the channel where it is typed, so this view has a button instead.
  return ask(
    [
      line`Nothing was filed: files shared in ${{ channel }} now go to another folder, ${{ folder }}.`,
      line`To file the earlier ones there, press the button and choose that folder again.`,
    ],
    [linkButton({ elsewhere: channel })],
  );
}

/** Replaces an offer that somebody declined; `newOnesFiled`: whether the channel has a folder. */
export function earlierFilesLeft({ newOnesFiled }: { newOnesFiled: boolean }): View {
  const left = 'The earlier files stay in Slack only.';
  return say([newOnesFiled ? `${left} New ones will be filed.` : left]);
}

/** Replaces an offer of files that were filed or deleted in Slack before the press. */
export const EARLIER_FILES_TAKEN = say([
  'There’s nothing more to file: these files are filed already, on their way, or deleted in Slack.',
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
  const { are, they, go } = agreeing(count);
  return ask(
    [
      line`${counted(count, 'file')} shared${there} before ${are} still on the way to ${{ folder: from }}. Unless you choose otherwise, ${they} ${go} there.`,
    ],
    [
      to && button({ action: ACTIONS.moveWaiting, label: 'File in the new folder', claim }),
      button({ action: ACTIONS.keepWaiting, label: 'File in the old folder', claim }),
      button({ action: ACTIONS.parkWaiting, label: 'Leave in Slack', claim }),
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
  const { go, stay } = agreeing(count);
  const chosen = to
    ? line`${files} ${go} to ${{ folder: to }}.`
    : [`${files} ${stay} in Slack only.`];
  const sent = counted(beingSent, 'file');
  return say(
    count === 0 ? ['No file is waiting any more.'] : chosen,
    beingSent > 0
      ? line`${sent} ${agreeing(beingSent).were} being sent to ${{ folder: from }} already.`
      : null,
  );
}

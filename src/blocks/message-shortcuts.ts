import type { FolderRef, Refusal } from '../transfers/index.ts';
import { type AboutChannel, type Line, line, prose, say, type View } from './prose.ts';
import { LINKERS, OTHER_WORKSPACE, placeWord, type ReaderHere, whoCanLink } from './reader.ts';
import { spokenText } from './spoken-text.ts';
import { agreeing, counted, isUserId } from './text.ts';

interface WhereFiledInput {
  /** The lines of the message's shares, one for each folder: see shareLine. */
  lines: readonly View[];
  /** Slack ID of the person who shared the files; null when Slack did not say. */
  sharedBy: string | null;
}

/** More lines than this are left out: Slack limits the blocks of a message. */
const MAX_LINES = 15;

/** The private response to “Where is this filed?” on a message. */
export function whereFiled({ lines, sharedBy }: WhereFiledInput): View {
  const said = lines.slice(0, MAX_LINES).flatMap((one) => one.blocks);
  const whose = isUserId(sharedBy) ? [prose(line`Shared by ${{ person: sharedBy }}.`)] : [];
  const blocks = [...said, ...whose];
  return { text: spokenText(blocks), blocks };
}

/** The same for a message without a recorded share. */
export function notSeen(reader: ReaderHere): View {
  return say([
    `I haven’t filed anything from this message: it was shared before this ${placeWord(reader)} had a folder, or where I’m not a member. ${whoCanLink(reader)} save its files with “Save files to a folder” in the message’s menu.`,
  ]);
}

/** The private response to either shortcut on a message without files. */
export const WITHOUT_FILES = say(['This message has no files.']);

interface SavingInput extends AboutChannel {
  /** How many files. */
  count: number;
  folder: FolderRef;
}

/** Shown to the person who saved files. */
export function saving({ count, folder, elsewhere }: SavingInput): View {
  const { are, theyAre } = agreeing(count);
  const files = elsewhere === undefined ? counted(count, 'file') : filesOf(count, elsewhere);
  return say(
    line`${files} ${are} on the way to ${{ folder }}. The message’s thread will say when ${theyAre} there; where I can’t post, I’ll tell you directly.`,
  );
}

/** The same for files that are already there or on their way; failed ones are tried again. */
export function alreadySaved({ count, folder, elsewhere }: SavingInput): View {
  const files = elsewhere === undefined ? these(count) : filesOf(count, elsewhere);
  const failed = count === 1 ? 'If it failed before, it’s' : 'Any that failed before are';
  return say(
    line`${files} ${agreeing(count).are} already in ${{ folder }}, or on the way there. Nothing is saved twice. ${failed} being tried again.`,
  );
}

function these(count: number): string {
  return count === 1 ? 'This file' : 'These files';
}

function filesOf(count: number, channel: string): Line {
  return line`${counted(count, 'file')} shared in ${{ channel }}`;
}

/**
 * Why files are not saved: the person may not save them; Slack does not provide them; or `left`:
 * they were saved to the folder before, and then deleted there or skipped.
 */
export type SaveRefusal = Refusal | 'unreadable' | 'deleted' | 'left';

interface SaveRefusedInput extends Omit<ReaderHere, 'mayLink'> {
  reason: SaveRefusal;
  /** How many files. */
  count: number;
}

/** The reason why files are not saved, beside a field of the form. */
export function saveRefusal({ reason, count, isDirect, linkBy }: SaveRefusedInput): Line {
  const { were, they, them } = agreeing(count);
  if (reason === 'other-workspace') return [OTHER_WORKSPACE];
  if (reason === 'deleted') return [`${these(count)} ${were} deleted in Slack.`];
  if (reason === 'left')
    return [
      `${these(count)} ${were} saved to the folder before, and deleted or skipped since. To have ${them} there after all, share ${them} again and save that message.`,
    ];
  if (reason !== 'unreadable')
    return [`Only ${LINKERS[linkBy]} can save files to a folder. Ask one of them.`];
  const next = isDirect
    ? line`Send ${them} to me in a direct message, or share ${them} in a channel that I’m in, and save ${them} from there.`
    : line`Add me to this channel with ${{ command: '/invite' }}, then try again.`;
  return line`Slack doesn’t give me ${these(count).toLowerCase()}: I’m not in this conversation, or ${they} ${were} deleted. ${next}`;
}

/** The private response when files are not saved. */
export function saveRefused(input: SaveRefusedInput): View {
  return say(line`Nothing was saved. ${saveRefusal(input)}`);
}

/** The private response when Slack does not open the form. */
export const SAVE_NOT_OPENED = say([
  'Slack didn’t let me open the form to choose a folder. Choose “Save files to a folder” in the message’s menu once more.',
]);

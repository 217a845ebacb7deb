import { type FolderRef, pauseReason } from '../transfers/index.ts';
import { ACTIONS } from './actions.ts';
import {
  type FilePhase,
  type Group,
  groupBy,
  isInHand,
  least,
  namedFiles,
  reasonKey,
  refusedLines,
  type SendingProgress,
  type ShareFile,
} from './file-lines.ts';
import { button, type View } from './layout.ts';
import { whilePaused } from './link-messages.ts';
import {
  ask,
  askToLink,
  type Line,
  line,
  type Operator,
  placeWord,
  type Reader,
  whoCanLink,
} from './prose.ts';
import { asSentence, canRetry, tryingAgain, whyOf, whyWaiting } from './reasons.ts';
import { agreeing, counted, ordinal, shownNumber, shownSize, shownSpan } from './text.ts';

interface ShareLineInput {
  /** The share's ID in the ledger. */
  shareId: number;
  files: readonly ShareFile[];
  /** The folder of the filed files; null when they are in several, and while none is filed. */
  folder: FolderRef | null;
  /**
   * Set when files wait because the link is paused; `isNotified`: whether people who can fix that
   * were notified. Default: null.
   */
  pause?: { isNotified: boolean } | null;
  /** Whether nothing is sent because the shared rate limit cannot be reached. Default: false. */
  isLimitAway?: boolean;
  operator: Operator;
  /** Who saved the files by hand, and from which message; null when filed automatically. */
  saved?: SavedByHand | null;
  /** The only reader, of a private response; null for a line in a thread. */
  reader?: LineReader | null;
  /** When the share was recorded, epoch milliseconds. */
  sharedAt: number;
  /** Epoch milliseconds. */
  now: number;
}

export interface LineReader extends Reader {
  /** Whether the conversation has a folder by now. Default: false. */
  hasFolder?: boolean;
  /** Whether they may have the files tried again. */
  mayRetry: boolean;
}

export interface SavedByHand {
  /** Slack ID of the person. */
  by: string;
  /** Where to open the message, for a line outside its thread; null for a line in it. */
  messageUrl: string | null;
}

/** The line in a share's thread about all its files: one message, edited in place. */
export function shareLine(input: ShareLineInput): View {
  const { files, folder, operator, saved = null, reader = null } = input;
  const inPhase = (phase: FilePhase) => files.filter((file) => file.phase === phase);
  // Deleted files count neither as filed nor as failed.
  const total = files.length - inPhase('deleted').length - inPhase('withdrawn').length;
  const untraced = inPhase('filed').filter(({ hasRecord }) => !hasRecord);
  const held = (file: ShareFile) => file.problem !== null;
  const isCrowd = files.length > MAX_NAMED && files.some(isInHand);
  const goingWell = isCrowd
    ? [crowdLine(input)]
    : [
        about(inPhase('filed'), (filed) => filedLine(filed, total, folder)),
        about(untraced, untracedLine),
        ...sendingLines(inPhase('sending'), input.now),
      ];
  const named = (phase: FilePhase) => (isCrowd ? inPhase(phase).filter(held) : inPhase(phase));
  const retry = reader?.mayRetry === false ? null : 'Retry';
  const lines = [
    ...goingWell,
    ...groupBy(named('checking'), reasonKey).map((group) => checkingLine(group, input)),
    ...groupBy(named('waiting'), reasonKey).map((group) => waitingLine(group, input)),
    ...refusedLines(inPhase('refused'), {
      ...{ total, retry, operator, isSaved: saved !== null },
      ...(reader?.mayLink === false
        ? { relink: askToLink(reader, `this ${placeWord(reader)}`) }
        : {}),
    }),
    about(inPhase('parked'), (parked) => parkedLine(parked, input)),
    about(inPhase('skipped'), (skipped) => skippedLine(skipped, input)),
    about(inPhase('withdrawn'), withdrawnLine),
    ...groupBy(inPhase('deleted'), (file) => file.deletedBy ?? '').map(deletedLine),
  ].filter((one) => one !== null);
  // Without lines, all files belong to other shares that brought them to this folder first.
  const shown = lines.length === 0 ? [line`Already in the folder. Nothing is filed twice.`] : lines;
  return ask([...shown, saved && savedLine(saved)], [retryButton(input)]);
}

// The line about these files; null without files.
function about(files: readonly ShareFile[], toLine: (files: readonly ShareFile[]) => Line) {
  return files.length === 0 ? null : toLine(files);
}

function savedLine({ by: person, messageUrl: url }: SavedByHand): Line {
  const from = url === null ? '' : line` from ${{ file: 'this message', url }}`;
  return line`Saved${from} by ${{ person }}.`;
}

/** A share with more files than this is counted rather than named while files are in progress. */
const MAX_NAMED = 10;

function crowdLine(input: ShareLineInput): Line {
  const { files, folder, sharedAt, now, isLimitAway } = input;
  const filed = files.filter(({ phase }) => phase === 'filed').length;
  const open = files.filter(isInHand).length;
  if (filed === 0 && open === files.length)
    return line`Waiting: ${counted(open, 'file')}${isLimitAway ? `. ${LIMIT_AWAY}` : shownPlace(files)}`;
  const where = folder ? line` in ${{ folder }}` : '';
  const left = shownLeft({ done: filed, open, elapsedMs: now - sharedAt });
  return line`${shownNumber(filed)} of ${shownNumber(files.length)} filed${where}, ${left}.${isLimitAway ? ` ${LIMIT_AWAY}` : ''}`;
}

/** How many files must be filed before their pace gives an estimate for the others. */
const ENOUGH_TO_TELL = 3;
const TOO_LONG_TO_TELL_MS = 30 * 60_000;

function shownLeft({ done, open, elapsedMs }: { done: number; open: number; elapsedMs: number }) {
  if (done < ENOUGH_TO_TELL || elapsedMs <= 0 || elapsedMs > TOO_LONG_TO_TELL_MS)
    return `${shownNumber(open)} to go`;
  return `${shownRest((elapsedMs / done) * open)} left`;
}

function shownRest(ms: number): string {
  return ms < FEW_SECONDS_MS ? 'a few seconds' : `about ${shownSpan(ms)}`;
}

function filedLine(files: readonly ShareFile[], total: number, folder: FolderRef | null): Line {
  const some = `${shownNumber(files.length)} of ${shownNumber(total)} filed`;
  const filed = files.length === total ? 'Filed' : some;
  return line`${filed}${folder ? line` in ${{ folder }}` : ''}: ${namedFiles(files)}`;
}

// The service confirmed these files but did not say under which names or IDs.
function untracedLine(files: readonly ShareFile[]): Line {
  const { them } = agreeing(files.length);
  const which = files.length === 1 ? 'entry in the folder is' : 'entries in the folder are';
  return line`The file service didn’t say which ${which} ${namedFiles(files)}, so I can’t delete ${them} for you. If you need to, delete ${them} in the file service.`;
}

const MAX_SENDING = 3;

function sendingLines(files: readonly ShareFile[], now: number): Line[] {
  const shown = files.slice(0, MAX_SENDING).map((file) => sendingLine(file, now));
  const more = files.length - shown.length;
  return more === 0 ? shown : [...shown, [`Sending ${counted(more, 'more file')}`]];
}

function sendingLine({ name: file, progress, sizeBytes }: ShareFile, now: number): Line {
  if (progress && progress.sentBytes > 0)
    return line`Sending ${{ file }}: ${shownProgress(progress, now)}`;
  return line`Sending ${{ file }}${sizeBytes === null ? '' : ` (${shownSize(sizeBytes)})`}`;
}

const FEW_SECONDS_MS = 5_000;
const STALLED_MS = 10_000;

function shownProgress(progress: SendingProgress, now: number): string {
  const { begunAt, movedAt, totalBytes, sentBytes } = progress;
  if (sentBytes >= totalBytes) return 'all sent, waiting for the file service';
  const percent = Math.floor((sentBytes / totalBytes) * 100);
  const idleMs = now - movedAt;
  if (idleMs > STALLED_MS) return `${percent}%, no progress for ${shownSpan(idleMs)}`;
  const bytesPerMs = sentBytes / Math.max(1, now - begunAt);
  const rest = shownRest((totalBytes - sentBytes) / bytesPerMs);
  return `${percent}%, ${shownSize(bytesPerMs * 1_000)}/s, ${rest} left`;
}

function checkingLine(group: Group<ShareFile>, { pause, saved, now }: ShareLineInput): Line {
  const { problem, problemNote } = group[0];
  const sent = line`Sent: ${namedFiles(group)}.`;
  const why = problem === null ? '' : ` ${asSentence(whyOf(problem, problemNote, Boolean(saved)))}`;
  if (waitsForLink(group[0], pause)) return line`${sent}${why} ${whilePaused(group.length, pause)}`;
  const next = least(group.map((file) => file.nextTryAt));
  const soon = next === null || next <= now + FEW_SECONDS_MS;
  const again = soon ? '' : line` Next check at ${{ time: next }}.`;
  return line`${sent}${why} Checking whether ${agreeing(group.length).they} arrived.${again}`;
}

function waitingLine(group: Group<ShareFile>, input: ShareLineInput): Line {
  const { pause, isLimitAway, saved, now } = input;
  const { problem, problemNote } = group[0];
  const next = least(group.map((file) => file.nextTryAt));
  if (problem === 'SLACK_FILE_UNAVAILABLE')
    return line`Waiting for Slack: ${namedFiles(group)}. ${tryingAgain(next, now)}`;
  const waiting = line`Waiting: ${namedFiles(group)}`;
  if (problem === null && isLimitAway) return line`${waiting}. ${LIMIT_AWAY}`;
  if (problem === null) return [...waiting, shownPlace(group)];
  const why = asSentence(whyWaiting(problem, problemNote, Boolean(saved)));
  const then = waitsForLink(group[0], pause)
    ? whilePaused(group.length, pause)
    : tryingAgain(next, now);
  return line`${waiting}. ${why} ${then}`;
}

const LIMIT_AWAY = `${asSentence(whyOf('SERVICE_LIMIT_AWAY'))} Filing continues automatically once it can.`;

function waitsForLink<P>({ problem }: ShareFile, pause: P): pause is NonNullable<P> {
  return Boolean(pause) && problem !== null && pauseReason(problem) !== null;
}

function shownPlace(group: readonly ShareFile[]): string {
  const place = least(group.map((file) => file.place));
  if (place === null) return '';
  return place <= 1 ? ' (next in line)' : ` (${ordinal(place)} in line)`;
}

function parkedLine(files: readonly ShareFile[], { reader = null }: ShareLineInput): Line {
  return line`Not filed yet: ${namedFiles(files)}. ${howToFile(files.length, reader)}`;
}

function skippedLine(files: readonly ShareFile[], { saved, reader }: ShareLineInput): Line {
  const skipped = line`Skipped by choice: ${namedFiles(files)}`;
  const { them } = agreeing(files.length);
  const command = { command: '/files link' };
  if (saved)
    return line`${skipped}. To file ${them} after all, share ${them} again and save that message.`;
  if (reader && !reader.mayLink)
    return line`${skipped}. ${whoCanLink(reader)} still file ${them}, by typing ${command} and choosing the same folder again.`;
  return line`${skipped}. To file ${them} after all, type ${command} and choose the same folder again.`;
}

function howToFile(count: number, reader: LineReader | null): Line {
  const { them, were } = agreeing(count);
  const wereShared = `${count === 1 ? 'It' : 'They'} ${were} shared`;
  const command = { command: '/files link' };
  if (reader === null)
    return line`${wereShared} while there was no folder here. To file ${them} now, choose “Save files to a folder” in the message’s menu, or type ${command} and choose the folder again.`;
  const { mayLink, isDirect, hasFolder = false } = reader;
  const here = placeWord(reader);
  if (hasFolder && isDirect && !mayLink) return [`To have ${them} filed, share ${them} again.`];
  if (hasFolder)
    return line`${wereShared} before this ${here} had its folder. ${whoCanLink(reader)} file ${them} with “Save files to a folder” in the message’s menu, or by typing ${command} and choosing the same folder again.`;
  if (isDirect && !mayLink) return [`To have ${them} filed, share ${them} in a linked channel.`];
  return line`${whoCanLink(reader)} file ${them} by linking this ${here} to a folder with ${command}.`;
}

function withdrawnLine(files: readonly ShareFile[]): Line {
  const { they, were } = agreeing(files.length);
  return line`Deleted in Slack before ${they} ${were} filed: ${namedFiles(files)}`;
}

function deletedLine(group: Group<ShareFile>): Line {
  const person = group[0].deletedBy;
  if (person === null) return line`No longer in the folder: ${namedFiles(group)}`;
  return line`Deleted by ${{ person }}: ${namedFiles(group)}`;
}

function retryButton({ shareId, files, reader }: ShareLineInput) {
  if (reader?.mayRetry === false) return null;
  const waiting = files.filter(waitsForTry);
  const isChecking = waiting.every(({ phase }) => phase === 'checking');
  if (!files.some(mayRetry) && waiting.length === 0) return null;
  const label = files.some(mayRetry) ? 'Retry' : isChecking ? 'Check now' : 'Try now';
  return button({ action: ACTIONS.retryShare, label, claim: { shareId } });
}

function waitsForTry(file: ShareFile): boolean {
  return (file.phase === 'waiting' || file.phase === 'checking') && file.problem !== null;
}

function mayRetry(file: ShareFile): boolean {
  return file.phase === 'refused' && (file.problem === null || canRetry(file.problem));
}

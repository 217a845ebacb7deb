import type { FolderRef, SendingProgress } from '../../core/index.ts';
import { PUT_BACK } from '../delete/actions.ts';
import {
  type FilePhase,
  type Group,
  groupBy,
  isInHand,
  least,
  namedFiles,
  reasonKey,
  refusedLines,
  type ShareFile,
  spokenFor,
} from '../kit/file-lines.ts';
import { button, type View } from '../kit/layout.ts';
import {
  ASK_FOR_FOLDER,
  ask,
  type Line,
  type LineReader,
  line,
  type Operator,
  placeWord,
  say,
  whoCanLink,
  whoFiles,
} from '../kit/prose.ts';
import {
  asSentence,
  canRetry,
  onceMended,
  TRY_AGAIN,
  tryingAgain,
  whyOf,
  whyWaiting,
} from '../kit/reasons.ts';
import type { HeldBack } from '../kit/render-context.ts';
import { Service, service } from '../kit/service-name.ts';
import {
  agreeing,
  counted,
  ordinal,
  shownName,
  shownNumber,
  shownSize,
  shownSpan,
} from '../kit/text.ts';
import { FILE_SHARE, RETRY_SHARE } from './actions.ts';

interface ShareLineInput {
  /** The share's ID in the ledger. */
  shareId: number;
  files: readonly ShareFile[];
  /** The folder of the filed files; null when they are in several, and while none is filed. */
  folder: FolderRef | null;
  /**
   * Set when files wait for their folder, which is held; `isNotified`: whether people who can fix
   * that were notified. Default: null.
   */
  pause?: { isNotified: boolean } | null;
  /** What keeps all files from being sent. Default: null, nothing does. */
  heldBack?: HeldBack | null;
  operator: Operator;
  /** Who saved the files by hand, and from which message; null when filed automatically. */
  saved?: SavedByHand | null;
  /** The only reader, of a private response; null for a line in a thread. */
  reader?: LineReader | null;
  /** Whether the conversation is a direct message. Default: false, a channel. */
  isDirect?: boolean;
  /** When the share was recorded, epoch milliseconds. */
  sharedAt: number;
  /** Epoch milliseconds. */
  now: number;
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
  const inPhase = (phase: FilePhase) => files.filter((file) => phaseNow(file, input) === phase);
  // Deleted files count neither as filed nor as failed.
  const total = files.length - inPhase('deleted').length - inPhase('withdrawn').length;
  const untraced = inPhase('filed').filter(({ hasRecord }) => !hasRecord);
  const isCrowd = files.length > MAX_NAMED && files.some(isInHand);
  const goingWell = isCrowd
    ? [crowdLine(input)]
    : [
        about(inPhase('filed'), (filed) => filedLine(filed, total, folder)),
        about(untraced, untracedLine),
        ...sendingLines(inPhase('sending'), input.now),
      ];
  const named = (phase: FilePhase) =>
    inPhase(phase).filter((file) => !isCrowd || isHeld(file, input));
  const retry = reader?.mayRetry === false ? null : TRY_AGAIN;
  const lines = [
    ...goingWell,
    ...groupBy(named('checking'), reasonKey).map((group) => checkingLine(group, input)),
    ...groupBy(named('waiting'), reasonKey).map((group) => waitingLine(group, input)),
    ...refusedLines(inPhase('refused'), {
      ...{ total, retry, operator, isSaved: saved !== null },
      ...(reader?.mayLink === false ? { relink: ASK_FOR_FOLDER[reader.linkBy] } : {}),
    }),
    about(inPhase('parked'), (parked) => parkedLine(parked, input)),
    about(inPhase('skipped'), (skipped) => skippedLine(skipped, input)),
    about(inPhase('withdrawn'), withdrawnLine),
    ...groupBy(inPhase('deleted'), (file) => file.deletedBy ?? '').map(deletedLine),
  ].filter((one) => one !== null);
  // Without lines, all files belong to other shares that brought them to this folder first.
  const shown = lines.length === 0 ? [line`Already in the folder. Nothing is filed twice.`] : lines;
  return ask(
    [...shown, saved && savedLine(saved)],
    [retryButton(input), fileButton(input), putBackButton(input)],
  );
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

function isHeld(file: ShareFile, input: ShareLineInput): boolean {
  return file.problem !== null && phaseNow(file, input) !== 'sending';
}

// Counts what goes well; those that a problem holds have lines of their own.
function crowdLine(input: ShareLineInput): Line | null {
  const { files, folder, sharedAt, now } = input;
  const filed = files.filter(({ phase }) => phase === 'filed').length;
  const inHand = files.filter(isInHand);
  const open = inHand.filter((file) => !isHeld(file, input)).length;
  const why = open === 0 ? null : (whyHeld(input) ?? whyStalled(input));
  if (filed === 0 && open === 0) return null;
  if (filed === 0 && inHand.length === files.length)
    return line`Waiting: ${counted(open, 'file')}${why ? line`. ${why}` : shownPlace(files)}`;
  const where = folder ? line` in ${{ folder }}` : '';
  const left = shownLeft({ done: filed, open, elapsedMs: now - sharedAt });
  const toGo = open === 0 ? '' : `, ${left}`;
  return line`${shownNumber(filed)} of ${shownNumber(files.length)} filed${where}${toGo}.${why ? line` ${why}` : ''}`;
}

function whyStalled({ files, now }: ShareLineInput): Line | null {
  const sending = files.flatMap(({ progress }) => progress ?? []);
  const isStalled = sending.every(({ movedAt }) => now - movedAt > FEW_SECONDS_MS);
  return sending.length > 0 && isStalled ? [`${Service()} isn’t answering.`] : null;
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
  return line`${Service()} didn’t say which ${which} ${namedFiles(files)}. To delete ${them}, do it there.`;
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
  if (sentBytes >= totalBytes) return `all sent, waiting for ${service()}`;
  const percent = Math.floor((sentBytes / totalBytes) * 100);
  const idleMs = now - movedAt;
  if (idleMs > STALLED_MS) return `${percent}%, no progress for ${shownSpan(idleMs)}`;
  const bytesPerMs = sentBytes / Math.max(1, now - begunAt);
  const rest = shownRest((totalBytes - sentBytes) / bytesPerMs);
  return `${percent}%, ${shownSize(bytesPerMs * 1_000)}/s, ${rest} left`;
}

function checkingLine(group: Group<ShareFile>, input: ShareLineInput): Line {
  const { saved, now } = input;
  const { problem, problemNote } = group[0];
  const sent = line`Sent: ${namedFiles(group)}.`;
  const why = problem === null ? '' : ` ${asSentence(whyOf(problem, problemNote, Boolean(saved)))}`;
  const mended = whenMended(group, input);
  if (mended) return line`${sent}${why} ${mended}`;
  const next = least(group.map((file) => file.nextTryAt));
  const soon = next === null || next <= now + FEW_SECONDS_MS;
  const again = soon ? '' : line`; next check at ${{ time: next }}`;
  return line`${sent}${why} Checking whether ${agreeing(group.length).they} arrived${again}.`;
}

function waitingLine(group: Group<ShareFile>, input: ShareLineInput): Line {
  const { saved, now } = input;
  const { problem, problemNote } = group[0];
  const next = least(group.map((file) => file.nextTryAt));
  if (problem === 'SLACK_FILE_UNAVAILABLE')
    return line`Waiting for Slack: ${namedFiles(group)}. ${tryingAgain(next, now)}`;
  const waiting = line`Waiting: ${namedFiles(group)}`;
  const held = whyHeld(input);
  if (problem === null && held) return line`${waiting}. ${held}`;
  if (problem === null) return [...waiting, shownPlace(group)];
  const why = asSentence(whyWaiting(problem, problemNote, Boolean(saved)));
  return line`${waiting}. ${why} ${whenMended(group, input) ?? tryingAgain(next, now)}`;
}

// A file that is claimed while all are held, or after a try that failed, is not sent before its bytes move.
function phaseNow(
  { phase, progress, problem }: ShareFile,
  { heldBack = null }: ShareLineInput,
): FilePhase {
  const isSent = phase !== 'sending' || Boolean(progress?.sentBytes);
  return isSent || (heldBack === null && problem === null) ? phase : 'waiting';
}

function whyHeld({ heldBack = null, now }: ShareLineInput): Line | null {
  const { code = null, until = null } = heldBack ?? {};
  if (code === null) return null;
  const then = until === null ? ['I’ll file it as soon as I can.'] : tryingAgain(until, now);
  return line`${asSentence(whyOf(code))} ${then}`;
}

function whenMended(group: Group<ShareFile>, { operator, pause }: ShareLineInput): Line | null {
  const { problem } = group[0];
  return problem && onceMended(problem, { ...pause, operator, count: group.length });
}

function shownPlace(group: readonly ShareFile[]): string {
  const place = least(group.map((file) => file.place)) ?? 0;
  return place <= 1 ? '' : ` (${ordinal(place)} in line)`;
}

function parkedLine(files: readonly ShareFile[], input: ShareLineInput): Line {
  const { reader = null } = input;
  const { were } = agreeing(files.length);
  const here = placeWord(reader ?? input);
  if (reader !== null && !reader.hasFolder)
    return line`Not filed yet: ${namedFiles(files)}. ${chooseFolder(files.length, reader)}`;
  const before = line`${namedFiles(files)} ${were} shared before this ${here} had a folder.`;
  if (reader === null || reader.mayLink) return before;
  return line`${before} ${whoFiles(files.length, reader)}`;
}

function skippedLine(files: readonly ShareFile[], { saved, reader }: ShareLineInput): Line {
  const left = line`Left in Slack: ${namedFiles(files)}.`;
  const { them } = agreeing(files.length);
  if (saved) return line`${left} To file ${them} after all, save ${them} again.`;
  if (!reader) return left;
  if (!reader.hasFolder) return line`${left} ${chooseFolder(files.length, reader)}`;
  return reader.mayLink ? left : line`${left} ${whoFiles(files.length, reader)}`;
}

function chooseFolder(count: number, reader: LineReader): Line {
  const { them } = agreeing(count);
  if (reader.isDirect && !reader.mayLink)
    return [`To have ${them} filed, share ${them} in a channel with a folder.`];
  return line`This ${placeWord(reader)} has no folder yet. ${whoCanLink(reader)} choose one with ${{ command: '/files link' }}.`;
}

/** The private response to File it when the files are on their way, or filed. */
export const NOTHING_TO_FILE = say([
  'There’s nothing to file: everything is being filed, or done.',
]);

// Under a line in a thread, which all read alike, also for those who may not.
function fileButton({ shareId, files, saved = null, reader = null }: ShareLineInput) {
  if (saved || (reader && !(reader.mayLink && reader.hasFolder))) return null;
  const left = files.filter(({ phase }) => phase === 'skipped');
  const waiting = [...left, ...files.filter(({ phase }) => phase === 'parked')];
  if (waiting.length === 0) return null;
  const them = `File ${agreeing(waiting.length).them}`;
  const label = left.length > 0 ? them : `${them} now`;
  const spoken = spokenFor(label, waiting);
  return button({ action: FILE_SHARE, label, spoken, claim: { shareId } });
}

function withdrawnLine(files: readonly ShareFile[]): Line {
  const { they, were } = agreeing(files.length);
  return line`Deleted in Slack before ${they} ${were} filed: ${namedFiles(files)}`;
}

function deletedLine(group: Group<ShareFile>): Line {
  const person = group[0].deletedBy;
  if (person === null) return line`Gone from the folder: ${namedFiles(group)}`;
  return line`Deleted by ${{ person }}: ${namedFiles(group)}`;
}

function retryButton({ shareId, files, reader }: ShareLineInput) {
  if (reader?.mayRetry === false) return null;
  const tried = [...files.filter(mayRetry), ...files.filter(waitsForTry)];
  if (tried.length === 0) return null;
  const spoken = spokenFor(TRY_AGAIN, tried);
  return button({ action: RETRY_SHARE, label: TRY_AGAIN, spoken, claim: { shareId } });
}

function putBackButton({ shareId, files, reader }: ShareLineInput) {
  if (reader?.mayPutBack === false) return null;
  const back = files.filter(({ mayComeBack = false }) => mayComeBack);
  const [first] = back;
  if (!first) return null;
  const what = back.length === 1 ? shownName(first.name) : counted(back.length, 'file');
  const claim = { shareId, transferId: null };
  return button({ action: PUT_BACK, label: 'Put back', claim, spoken: `Put back ${what}` });
}

function waitsForTry(file: ShareFile): boolean {
  return (file.phase === 'waiting' || file.phase === 'checking') && file.problem !== null;
}

function mayRetry(file: ShareFile): boolean {
  return file.phase === 'refused' && (file.problem === null || canRetry(file.problem));
}

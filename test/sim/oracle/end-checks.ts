import { BEGINNING, virtualNow } from '../kernel/virtual-time.ts';
import type { Deed } from '../plan/actions.ts';
import type { Plan } from '../plan/plan.ts';
import { FOLDERS } from '../service/account.ts';
import {
  BOT,
  isDirect,
  isMember,
  type Json,
  type SlackFile,
  type SlackMessage,
} from '../slack/state.ts';
import type { Asked } from '../world/users.ts';
import type { World } from '../world/world.ts';
import { countOf, wordsShown } from './lines.ts';
import { isNamed, MARKS, threadOf } from './observer.ts';
import type { AddedFile, KnownShare, Violation } from './oracle.ts';
import { isOfSaved, type Saved } from './saves.ts';

type Mark = keyof typeof MARKS;

/** How long to wait for what may still become clear by itself, in milliseconds. */
const CLEARING_MS = 20 * 60_000;

/** Whether nothing is left to do that people are waiting for. */
export function isSettled(world: World): boolean {
  if (world.slack.underWay() > 0 || !world.seats.every(({ isUp }) => isUp)) return false;
  // First what fails most often.
  if (!world.truth.shares.every((share) => share.excused !== null || isDone(world, share)))
    return false;
  if (world.truth.shares.some((share) => isOwedQuestion(world, share))) return false;
  if (world.truth.shares.some((share) => isOwedDelete(world, share))) return false;
  if (world.truth.shares.some((share) => owedFiles(world, share).length > 0)) return false;
  if (world.people.saving() > 0 || owedSaves(world).length > 0) return false;
  return strayLines(world).length === 0;
}

/** Returns what keeps a world from coming to rest, as far as that can be named. */
export function restless(world: World): string[] {
  const { truth, slack, seats, people } = world;
  const open = truth.shares.filter((share) => share.excused === null && !isDone(world, share));
  const unasked = truth.shares.filter((share) => isOwedQuestion(world, share));
  const nameOf = ({ channel, message }: KnownShare) => `${channel} ${message.ts}`;
  return [
    ...open.map((share) => `${nameOf(share)} is not done`),
    ...truth.shares.flatMap((share) =>
      owedFiles(world, share).map(({ name }) => `${name} of ${nameOf(share)} is not filed`),
    ),
    ...unasked.map((share) => `nobody is asked of ${nameOf(share)}`),
    ...seats.filter(({ isUp }) => !isUp).map(({ name }) => `${name} is down`),
    ...owedSaves(world).map(({ share }) => `${nameOf(share)} is not saved`),
    ...strayLines(world).map((line) => `a line stands outside its thread, ${line}`),
    ...(slack.underWay() > 0 ? [`${slack.underWay()} deliveries`] : []),
    ...(people.saving() > 0 ? [`${people.saving()} forms`] : []),
  ];
}

function isDone(world: World, share: KnownShare): boolean {
  const calmMs = virtualNow() - world.faults.calmFrom();
  const lines = linesOf(world, share);
  const [mark, another] = marksOf(share.message);
  // One reaction is being replaced by the other.
  if (another) return false;
  if (!mark && isOwedMark(world, share)) return false;
  if (isLeftToPeople(world, share, lines)) return calmMs > CLEARING_MS;
  if (lines.some(isInHand) && !haveOtherClocks(world)) return false;
  if (savedLinesOf(world, share).some((line) => isOpen(world, share, line))) return false;
  if (!mark) return calmMs > latestMark(world);
  if (mark === 'inHand') return false;
  return lines.length > 0 || (mark === 'done' && isReported(world, share));
}

// If the instances' clocks are hours apart, one instance may take another's running lease for
// ended, so the last edit of a line may come from the one that knows less.
function haveOtherClocks({ plan }: World): boolean {
  return plan.seats > 1 && plan.steps.some(({ deed }) => deed.kind === 'clock');
}

// Returns the files of an edited message that the app knows of and that are neither filed nor left
// to people with a reason.
function owedFiles(world: World, share: KnownShare): SlackFile[] {
  const { added, deleted, message } = share;
  if (added.length === 0 || deleted || marksOf(message).includes('needsYou')) return [];
  if (isLeftToPeople(world, share)) return [];
  return message.files.filter((file) => {
    const later = added.find((one) => one.file === file);
    const { excused, at } = later ?? { ...share, at: Number(message.ts) * 1000 };
    const isKnown = later ? later.takenAt !== null : true;
    const isWanted = isKnown && excused === null && !file.deleted && hasFolder(world, share, at);
    return isWanted && world.truth.filedFor(share, file) === 0;
  });
}

// By a clock that runs ahead, a link counts from a later time than when the channel read of it.
function hasFolder(
  { plan, truth }: World,
  { channel, message }: KnownShare,
  sharedAt = Number(message.ts) * 1000,
): boolean {
  return plan.hasDefault || truth.links.linkedTo(channel, sharedAt - mostAhead(plan)) !== null;
}

function isInHand(line: SlackMessage): boolean {
  return /^(Waiting|Sending|Sent)\b|^\d+ of \d+ filed.* (left|to go)\.$/m.test(wordsShown(line));
}

// Whether the line is still in hand and not left for people to decide.
function isOpen(world: World, share: KnownShare, line: SlackMessage): boolean {
  const calmMs = virtualNow() - world.faults.calmFrom();
  return isInHand(line) && !(calmMs > CLEARING_MS && isLeftToPeople(world, share, [line]));
}

function marksOf({ reactions }: SlackMessage): Mark[] {
  const marks = Object.keys(MARKS) as Mark[];
  return marks.filter((mark) => reactions.get(MARKS[mark])?.has(BOT.user));
}

/** Returns the folders that channels can still be linked to, by their index in FOLDERS. */
export function foldersLeft({ service }: World): number[] {
  return FOLDERS.flatMap((id, index) => (service.store.folder(id) ? [index] : []));
}

/** Checks the properties that must hold once a world has come to rest. */
export function checkEnd(world: World): void {
  for (const share of world.truth.shares) checkShare(world, share);
  for (const one of world.people.asked) checkAnswer(world, one);
  for (const { share, folder, user } of owedSaves(world))
    world.truth.fail(
      'what is said to be saved is in its folder',
      `${share.channel} ${share.message.ts} to ${folder} by ${user}`,
    );
  world.truth.skips.check(world.truth);
  for (const line of strayLines(world)) world.truth.fail('a line stands in its thread', line);
  for (const share of world.truth.shares) {
    checkThread(world, share);
    if (share.excused === null) checkCount(world, share);
  }
}

// A line outside its thread would show the whole channel what its sharer has deleted. It may stay
// where the app can no longer read or post, or if it was removed from the channel meanwhile.
function strayLines({ slack, faults, plan }: World): string[] {
  if (faults.struck.has('history-fails')) return [];
  const left = plan.steps.flatMap(({ deed }) => (deed.kind === 'bot-removed' ? deed.channel : []));
  const open = [...slack.state.channels.values()].filter(
    ({ id }, index) => slack.deaf(id) === null && !left.includes(index),
  );
  return open.flatMap(({ id, messages }) =>
    messages.filter(isOutsideThread).map(({ text }) => `${id}: "${text}"`),
  );
}

function isOutsideThread({ threadTs, metadata }: SlackMessage): boolean {
  const payload = metadata?.['event_payload'] as Json | undefined;
  return threadTs === null && payload?.['kind'] === 'share';
}

// A thread has at most one line for each share and one for each folder that a share was saved to.
function checkThread(world: World, share: KnownShare): void {
  const { truth } = world;
  if (haveOtherClocks(world)) return;
  const own = inThreadOf(world, share);
  const sharing = sharedBeside(world, share);
  const most = sharing.reduce((sum, one) => sum + 1 + truth.saves.foldersOf(one), 0);
  if (own.length > most)
    truth.fail('told once', `${share.channel} ${threadOf(share)} has ${own.length} lines of ours`);
}

// Returns all shares in the same thread, itself included.
function sharedBeside({ truth }: World, { channel, message }: KnownShare): KnownShare[] {
  const thread = threadOf({ message });
  return truth.shares.filter((one) => one.channel === channel && threadOf(one) === thread);
}

/** Words of a line whose file counts say nothing certain. */
const HAZY =
  /can’t tell whether|I sent it three times|didn’t say which|doesn’t let me look|Skipped|Already/;

// The line must count every file that the service holds, unless somebody else shared or saved the
// same.
function checkCount(world: World, share: KnownShare): void {
  const { plan, truth, faults } = world;
  const [line, another] = linesOf(world, share);
  if (!line || another || haveOtherClocks(world)) return;
  // A line whose post had no response is edited only once history shows it.
  if (faults.struck.has('history-fails') && plan.rates.slack.probability > 0) return;
  if (plan.steps.some(({ deed }) => deed.kind === 'folder-deleted')) return;
  if (sharedBeside(world, share).length > 1) return;
  const words = wordsShown(line);
  if (HAZY.test(words) || truth.shares.some((one) => truth.saves.foldersOf(one) > 0)) return;
  // The app believes a refusal of what was done if its check was refused too.
  if (/couldn’t be filed/i.test(words) && mayBeRefused(world)) return;
  const { files } = share.message;
  const held = files.filter((file) => truth.sharesOf(file) === 1 && truth.presentOf(file) > 0);
  const [, named] = /^Filed\b.*?: (.+)$/m.exec(words) ?? [];
  const [, filed = named ? countOf(named) : 0] = /^(\d+) of \d+ filed\b/m.exec(words) ?? [];
  if (Number(filed) < held.length)
    truth.fail('what is filed is said', `${share.channel}: "${words}", and ${held.length} are`);
}

// Each save that a person was promised must be in its folder, or its own line must say why not.
function owedSaves(world: World): Saved[] {
  const { saves } = world.truth;
  const owed = saves
    .unkept({ unheardToo: !isTroubled(world) })
    .filter(({ share }) => !share.deleted && share.message.files.every((file) => !file.deleted));
  return owed.filter(({ share }) => {
    // In a channel that the app was removed from, a line can no longer be edited.
    const isLeft = (line: SlackMessage) => share.excused !== null && line.threadTs !== null;
    const told = savedLinesOf(world, share).filter(
      (line) => isLeft(line) || isToldWhy(world, share, line),
    );
    return told.length < owed.filter((one) => one.share === share).length;
  });
}

/** The line's words when all of its files are in the folder. */
const ALL_WELL = /^(Filed in [^\n]*|Already in the folder\.[^\n]*)\nSaved /;

function isToldWhy(world: World, share: KnownShare, line: SlackMessage): boolean {
  return !isOpen(world, share, line) && !ALL_WELL.test(wordsShown(line));
}

// Only where nothing keeps the app from asking. It notes the question before it posts it, so a
// crash may lose one.
function isOwedQuestion(world: World, share: KnownShare): boolean {
  const { plan, truth, slack } = world;
  const { channel, user, message, deletionTaken } = share;
  if (!deletionTaken || plan.onSlackDelete !== 'ask' || slack.deaf(channel)) return false;
  if (!isMember(slack.state.users.get(user)) || plan.rates.slack.probability > 0) return false;
  if (plan.rates.disk > 0 || plan.steps.some(({ deed }) => MAY_KEEP_FROM_ASKING.has(deed.kind)))
    return false;
  // Files that were saved by hand stay.
  if (truth.saves.foldersOf(share) > 0 || plan.traits.behaviour.namesOnCreate === 'own')
    return false;
  // The app cannot ask about a record that it cannot identify, also where it cannot say so.
  if (isTwinUnclear(world, share) || say(allLinesOf(world, share), UNTRACED)) return false;
  if (hasNoSay(world, share)) return false;
  const isAsked = truth.questioned.some((one) => one.channel === channel && one.user === user);
  const isFiled = message.files.some(
    (file) => truth.presentOf(file) > 0 && truth.sharesOf(file) === 1,
  );
  return isFiled && !isAsked;
}

// Once its event is taken, a deletion is in the ledger, so neither a crash nor Slack can keep the
// filed copy. Only a refusal of the service can.
function isOwedDelete(world: World, share: KnownShare): boolean {
  const { plan, truth, slack } = world;
  const { user, message, deletionTaken } = share;
  if (!deletionTaken || plan.onSlackDelete !== 'follow' || mayBeRefused(world)) return false;
  if (!isMember(slack.state.users.get(user)) || truth.saves.foldersOf(share) > 0) return false;
  if (plan.traits.behaviour.namesOnCreate === 'own' || isTwinUnclear(world, share)) return false;
  // The app cannot delete a record that it cannot identify, also where it cannot say so.
  if (say(allLinesOf(world, share), UNTRACED) || hasNoSay(world, share)) return false;
  return message.files.some((file) => truth.presentOf(file) > 0 && truth.sharesOf(file) === 1);
}

const MAY_KEEP_FROM_ASKING = new Set<Deed['kind']>([
  ...['kill', 'killed-answering', 'restart', 'pause', 'clock', 'disk-full', 'slack-silent'],
  ...['started-twice', 'bot-removed', 'archived', 'stranger-files', 'wrong-refusals'],
] as Deed['kind'][]);

function checkShare(world: World, share: KnownShare): void {
  if (isOwedQuestion(world, share))
    world.truth.fail('who deletes in Slack is asked', `${share.channel} ${share.message.ts}`);
  for (const { name } of owedFiles(world, share))
    world.truth.fail('no share lost', `${share.channel} ${share.message.ts}: ${name} is not filed`);
  if (isOwedDelete(world, share))
    world.truth.fail('what is deleted in Slack goes', `${share.channel} ${share.message.ts}`);
  const fault = share.excused ? null : faultOf(world, share);
  if (fault) world.truth.fail(fault.property, `${share.channel} ${share.message.ts} ${fault.what}`);
}

function faultOf(world: World, share: KnownShare): Violation | null {
  const marks = marksOf(share.message);
  if (marks.length > 1) return { property: 'one reaction', what: `has ${marks}` };
  const [mark] = marks;
  if (!mark)
    return isOwedMark(world, share) ? { property: 'no share lost', what: 'was never taken' } : null;
  const late = lateness(world, share);
  if (late > latestMark(world))
    return {
      property: 'what was taken is seen to',
      what: `had its first reaction, or its line, ${late} ms late`,
    };
  if (mark === 'done')
    return linesOf(world, share).length > 0 || isReported(world, share)
      ? null
      : { property: 'each share is told', what: 'has a check mark, and no line' };
  if (isLeftToPeople(world, share)) return null;
  if (mark === 'inHand') return { property: 'everything settles', what: 'is still in hand' };
  const lines = linesOf(world, share);
  if (lines.length === 0)
    return { property: 'reasons are told', what: 'has a warning, and no line' };
  // An edit alone brought this share: its files wait until somebody asks for them.
  if (say(lines, HELD_BACK) && !hasFolder(world, share)) return null;
  if (mayBeRefused(world)) return null;
  return { property: 'nothing is refused without cause', what: `: ${lines.at(-1)?.text}` };
}

// A share from a channel without a folder is held back, and gets no reaction. Nor do files that are
// deleted in Slack, or that a save has filed beside them.
function isOwedMark(world: World, share: KnownShare): boolean {
  const { truth } = world;
  const { files } = share.message;
  if (!hasFolder(world, share)) return false;
  if (truth.saves.foldersOf(share) === 0 || files.every(({ deleted }) => !deleted)) return true;
  return files.some((file) => !file.deleted && truth.createdOf(file) === 0);
}

/** The longest time from the taken event to the share's first reaction if Slack itself is well. */
const LATEST_MS = 120_000;
/** The same if Slack has failed: retries back off by doubling up to this. */
const LATEST_AFTER_FAILURES_MS = 50 * 60_000;

function latestMark({ plan, faults }: World): number {
  // A line whose post had no response is edited only once history shows it.
  const hasFailed = plan.rates.slack.probability > 0 || faults.struck.has('history-fails');
  return (hasFailed ? LATEST_AFTER_FAILURES_MS : LATEST_MS) + mostAhead(plan);
}

/**
 * Returns how far clocks may have run ahead, in milliseconds. What such a clock made due or held
 * ends only once the right time has come as far.
 */
export function mostAhead({ steps }: Plan): number {
  const stepsMs = steps.map(({ deed }) => (deed.kind === 'clock' ? deed.ms : 0));
  return stepsMs.reduce((sum, ms) => sum + Math.max(0, ms), 0);
}

// A taken event is in the ledger, so only Slack can delay the share's reaction or the line about an
// added file. A file that history showed with its message is reported with that message.
function lateness(world: World, share: KnownShare): number {
  const { faults } = world;
  const { takenAt, markedAt, added } = share;
  const after = (from: number | null, seenAt: number | null) =>
    from === null || seenAt === null ? 0 : seenAt - Math.max(from, faults.calmFrom());
  // Files that wait for their channel to get a folder get no reaction until an edit adds others.
  const waits = (at?: number) => added.length > 0 && !hasFolder(world, share, at);
  const later = added.map((one) =>
    one.excused || cameAlong(share, one) || waits(one.at) ? 0 : after(one.takenAt, one.seenAt),
  );
  return Math.max(waits() ? 0 : after(takenAt, markedAt), ...later);
}

// Whether the app read the message from history after an edit had added the file.
function cameAlong({ takenAt, markedAt }: KnownShare, { at }: AddedFile): boolean {
  const isByHistory = markedAt !== null && (takenAt === null || markedAt < takenAt);
  return isByHistory && at < markedAt;
}

// Returns the lines about the channel's own folder, not those about saves.
function linesOf(world: World, share: KnownShare): SlackMessage[] {
  return inThreadOf(world, share).filter((line) => !isOfSaved(line));
}

function inThreadOf({ slack }: World, { channel, message }: KnownShare): SlackMessage[] {
  const thread = threadOf({ message });
  const messages = slack.state.channels.get(channel)?.messages ?? [];
  // Earlier messages in the thread belong to other shares.
  const isLater = ({ ts }: SlackMessage) => Number(ts) > Number(message.ts);
  return messages.filter((one) => one.own && one.threadTs === thread && isLater(one));
}

// Where the app cannot post, the person who saved the files gets the line as a direct message.
function savedLinesOf(world: World, share: KnownShare): SlackMessage[] {
  const { channels } = world.slack.state;
  const address = `archives/${share.channel}/p${share.message.ts.replace('.', '')}`;
  const directly = [...channels.values()].flatMap((channel) =>
    isDirect(channel) ? channel.messages : [],
  );
  return [
    ...inThreadOf(world, share).filter(isOfSaved),
    ...directly.filter((line) => JSON.stringify(line.blocks).includes(address)).filter(isOfSaved),
  ];
}

function allLinesOf(world: World, share: KnownShare): SlackMessage[] {
  return [...linesOf(world, share), ...savedLinesOf(world, share)];
}

// Shares from while the app was away have one common report; only files added later need a mention
// of their own.
function isReported({ slack }: World, share: KnownShare): boolean {
  const { channel, added } = share;
  const messages = slack.state.channels.get(channel)?.messages ?? [];
  const reports = messages.filter(({ own, text }) => own && text.startsWith('While I was away'));
  const owed = added.filter(
    (one) => one.takenAt !== null && one.excused === null && !cameAlong(share, one),
  );
  return reports.some((report) => {
    const words = wordsShown(report);
    return / and \d+ more\b/.test(words) || owed.every(({ file }) => isNamed(words, file));
  });
}

/** The line's words for a file of which the app cannot tell whether it was filed. */
const UNCLEAR = /I can’t tell whether it’s already in the folder/;

/** The words for a file that is filed under a record that the app cannot identify. */
const UNTRACED = /The file service didn’t say which/;

/** The words for a file that was sent the allowed number of times without any response. */
const UNCONFIRMED = /I sent it three times/;
const SENT_TIMES = 3;

/** Returns how many shares end by asking people to check the folder. */
export function countUnclear(world: World): number {
  return world.truth.shares.filter((share) => isLeftToPeople(world, share)).length;
}

/** The app will find out by itself whether the file arrived. */
const CHECKING = /^(?!.*I can’t tell).*Checking whether (it|they) arrived/m;

/**
 * The file waits for an identical one that was refused but may exist, or whose state is unclear.
 */
const BEHIND_TWIN = /An identical file (is being filed|comes) first/;

/** The file was shared while the channel had no folder. */
const HELD_BACK = /^Not filed yet: .* shared while this channel had no folder/m;

/** A person chose to skip it. */
const LEFT = /Skipped by choice/;

/** The line's words for files whose channel's folder is gone. */
const FOLDER_GONE = /^Waiting: .* The channel’s folder is gone\. (I’ve told|Once that)/m;

/** Returns the channels, by number, whose lines say that files are waiting for another folder. */
export function channelsWithoutFolder(world: World): number[] {
  const channels = [...world.slack.state.channels.keys()];
  const waiting = world.truth.shares.filter((share) => say(linesOf(world, share), FOLDER_GONE));
  return [...new Set(waiting.map(({ channel }) => channels.indexOf(channel)))];
}

// Whether the line gives a reason and leaves the decision to people, or people have decided.
function isLeftToPeople(
  world: World,
  share: KnownShare,
  lines: readonly SlackMessage[] = linesOf(world, share),
): boolean {
  if (say(lines, FOLDER_GONE)) return foldersLeft(world).length === 0;
  if (say(lines, CHECKING)) return false;
  if (isUnclear(world, share, lines)) return true;
  if (say(lines, LEFT)) return world.truth.skips.mayHaveLeft(share.channel);
  if (!say(lines, BEHIND_TWIN)) return false;
  const { shares } = world.truth;
  return (
    mayBeRefused(world) ||
    shares.some(
      (one) => isTwinUnclear(world, one) || (hasNoSay(world, one) && isAlike(world, one, share)),
    )
  );
}

// Whether a share may be unclear, and its message was deleted before it had a line.
function hasNoSay(world: World, share: KnownShare): boolean {
  return share.deleted && allLinesOf(world, share).length === 0 && mayBeUnclear(world, share);
}

// Whether one file may wait for another, by their names.
function isAlike(world: World, ahead: KnownShare, behind: KnownShare): boolean {
  // A line in the same thread may be about another share's file.
  const waiting = sharedBeside(world, behind).flatMap(({ message }) => message.files);
  const names = waiting.map(({ name }) => name);
  return ahead.message.files.some(({ name }) => names.includes(name));
}

// Whether that holds for the channel's own file or for a save.
function isTwinUnclear(world: World, share: KnownShare): boolean {
  return isUnclear(world, share, allLinesOf(world, share));
}

function isUnclear(world: World, share: KnownShare, lines: readonly SlackMessage[]): boolean {
  const { faults } = world;
  if (say(lines, UNCLEAR)) return mayBeUnclear(world, share);
  const struck = [...faults.struck].filter(([name]) => name.startsWith('service '));
  const times = struck.reduce((sum, [, count]) => sum + count, 0);
  return times >= SENT_TIMES && say(lines, UNCONFIRMED);
}

/**
 * Lists that are incomplete, refusals of requests that took effect, and effects that come after the
 * check.
 */
const UNCLEAR_FAULTS =
  /^service (stale-list|late-effect|told-|status-\w+ 4(?!01|29))|^wrong-refusals/;
const UNCLEAR_DEEDS = new Set<Deed['kind']>([
  ...(['stranger-files', 'stranger-deletes', 'folder-deleted', 'clock'] as const),
  ...(['wrong-refusals', 'slow-way'] as const),
]);

// The name, size and age of a record identify its file, unless one of these conditions holds.
function mayBeUnclear(world: World, share: KnownShare): boolean {
  const { plan, faults, truth } = world;
  const { behaviour, clockOffMs, crowd } = plan.traits;
  if ((behaviour.namesOnCreate ?? 'kept') !== 'kept' || clockOffMs !== 0 || crowd > 0) return true;
  if ([...faults.struck.keys()].some((name) => UNCLEAR_FAULTS.test(name))) return true;
  if (plan.steps.some(({ deed }) => UNCLEAR_DEEDS.has(deed.kind))) return true;
  if (truth.presses.length > 0 || truth.copiesPresses.length > 0) return true;
  return share.message.files.some((file) => hasLikeness(world, file));
}

// If the file was created, only a file with the same name and size is alike. If not, any file of
// the same size is, as it may have been renamed.
function hasLikeness({ truth }: World, file: SlackFile): boolean {
  // The same file may go to one folder both by itself and by hand.
  const all = truth.shares.flatMap((share) => {
    const { files } = share.message;
    return truth.saves.foldersOf(share) > 0 ? [...files, ...files] : files;
  });
  const sameSize = all.filter(({ bytes }) => bytes.length === file.bytes.length);
  if (truth.createdOf(file) === 0) return sameSize.length > 1;
  return sameSize.filter(({ name }) => name === file.name).length > 1;
}

function say(lines: readonly SlackMessage[], words: RegExp): boolean {
  return lines.some((line) => words.test(wordsShown(line)));
}

/**
 * Faults after which a file may rightly be refused. 429 is not one, because the app retries later;
 * 401 is not, because the app waits without limit for its key to be accepted again.
 */
const REFUSING_FAULTS =
  /^service (status-\w+ 4(?!01|29)|told-\w+ (?!1001))|^download (page|short|status 4(?!29))/;
const REFUSING_DEEDS = new Set<Deed['kind']>([
  'folder-deleted',
  'stranger-files',
  'stranger-deletes',
  'attachments-forgotten',
  'bot-removed',
  'archived',
]);

// A fault that only might have occurred is no excuse; it must have occurred.
function mayBeRefused({ plan, faults }: World): boolean {
  const struck = [...faults.struck.keys()].some((name) => REFUSING_FAULTS.test(name));
  return struck || plan.steps.some(({ deed }) => REFUSING_DEEDS.has(deed.kind));
}

const ANSWER_WITHIN_MS = 60_000;
/** How long a single 429 makes all requests wait, in milliseconds. */
const ASKED_TO_WAIT_MS = 10_000;

function checkAnswer(world: World, asked: Asked): void {
  if (!asked.acknowledged || !asked.wantsAnswer || isTroubled(world)) return;
  const { truth } = world;
  if (truth.saves.isClosed(asked) || truth.links.isClosed(asked)) return;
  const [first] = asked.answers;
  const took = first ? first.at - heardFrom(world, asked.askedAt) : Number.POSITIVE_INFINITY;
  if (took > ANSWER_WITHIN_MS + singleWaits(world))
    truth.fail('who asks is answered', `"${asked.what}": ${first ? `${took} ms` : 'never'}`);
}

// One person's request may meet every 429.
function singleWaits({ faults }: World): number {
  const limited = [...faults.struck].filter(([name]) => /^service status-\w+ 429$/.test(name));
  return ASKED_TO_WAIT_MS * limited.reduce((sum, [, times]) => sum + times, 0);
}

// Nobody can get a response while the service makes all requests wait.
function heardFrom({ plan }: World, askedAt: number): number {
  const storms = plan.steps.flatMap(({ at, deed }) =>
    deed.kind === 'storm' ? { from: BEGINNING + at, until: BEGINNING + at + deed.ms } : [],
  );
  const met = storms.filter(
    ({ from, until }) => from < askedAt + ANSWER_WITHIN_MS && until > askedAt,
  );
  return Math.max(askedAt, ...met.map(({ until }) => until));
}

function isTroubled({ plan }: World): boolean {
  const troubled = plan.steps.some(({ deed }) => 'seat' in deed || deed.kind === 'outage');
  return troubled || plan.rates.slack.probability > 0;
}

import { START_TIME, virtualNow } from '../kernel/virtual-time.ts';
import type { Action } from '../plan/actions.ts';
import type { Plan } from '../plan/plan.ts';
import { FOLDERS } from '../service/service-model.ts';
import {
  isDirect,
  isMember,
  type Json,
  type SlackFile,
  type SlackMessage,
  type UserRequest,
} from '../slack/state.ts';
import type { World } from '../world/world.ts';
import {
  BEHIND_TWIN,
  CHECKING,
  FOLDER_GONE,
  HELD_BACK,
  SKIPPED,
  UNCLEAR,
  UNCONFIRMED,
  UNTRACED,
} from './app-words.ts';
import type { PutBack } from './put-backs.ts';
import type { Save } from './saves.ts';
import {
  type AddedFile,
  allLines,
  anySays,
  countNames,
  type ExpectedShare,
  isNamed,
  nameOf,
  postedAt,
  reactionsTo,
  saveLines,
  shareLines,
  sum,
  textOf,
  threadLines,
  threadOf,
} from './shares.ts';

/** How long to wait for what may still become clear by itself, in milliseconds. */
const CLEARING_MS = 20 * 60_000;

/** Whether nothing is left to do that people are waiting for. */
export function isSettled(world: World): boolean {
  return pendingWork(world).next().done === true;
}

/** Yields what keeps a world from coming to rest, first what does so most often. */
export function* pendingWork(world: World): Generator<string> {
  const { oracle, slack, machines, users } = world;
  if (slack.pendingDeliveries() > 0) yield `${slack.pendingDeliveries()} deliveries`;
  for (const { isUp, name } of machines) if (!isUp) yield `${name} is down`;
  for (const share of oracle.shares)
    if (share.excused === null && !isDone(world, share)) yield `${nameOf(share)} is not done`;
  for (const share of oracle.shares) {
    if (mustBeAsked(world, share)) yield `nobody is asked of ${nameOf(share)}`;
    if (mustBeDeleted(world, share)) yield `the copy of ${nameOf(share)} is not deleted`;
    for (const { name } of missingFiles(world, share))
      yield `${name} of ${nameOf(share)} is not filed`;
  }
  if (users.saving() > 0) yield `${users.saving()} forms`;
  for (const { share, file } of missingBacks(world))
    yield `${file.name} of ${nameOf(share)} is not back`;
  for (const { share } of missingSaves(world)) yield `${nameOf(share)} is not saved`;
  for (const line of strayLines(world)) yield `a line is outside its thread, ${line}`;
}

function isDone(world: World, share: ExpectedShare): boolean {
  const lines = shareLines(world, share);
  const [reaction, another] = reactionsTo(share.message);
  // One reaction is being replaced by the other.
  if (another) return false;
  if (!reaction && mustHaveReaction(world, share)) return false;
  if (isLeftToPeople(world, share, lines)) return faultFreeMs(world) > CLEARING_MS;
  if (lines.some(isInProgress) && !haveDifferentClocks(world)) return false;
  if (saveLines(world, share).some((line) => isOpen(world, share, line))) return false;
  if (!reaction) return faultFreeMs(world) > latestReaction(world);
  if (reaction === 'inProgress') return false;
  return lines.length > 0 || (reaction === 'done' && needsNoLine(world, share));
}

function faultFreeMs({ faults }: World): number {
  return virtualNow() - faults.faultFreeFrom();
}

// If the instances' clocks are hours apart, one instance may take another's running lease for
// ended, so the last edit of a line may come from the one that knows less.
function haveDifferentClocks({ plan }: World): boolean {
  return plan.machines > 1 && includes(plan, 'clock');
}

function includes({ steps }: Plan, ...kinds: Action['kind'][]): boolean {
  return steps.some(({ action }) => kinds.includes(action.kind));
}

// Returns the files of an edited message that the app knows of and that are neither filed nor left
// to people with a reason.
function missingFiles(world: World, share: ExpectedShare): SlackFile[] {
  const { added, deleted, message } = share;
  if (added.length === 0 || deleted || reactionsTo(message).includes('needsAttention')) return [];
  if (isLeftToPeople(world, share)) return [];
  return message.files.filter((file) => {
    const later = added.find((one) => one.file === file);
    const { excused, at } = later ?? { ...share, at: postedAt(share) };
    const isKnown = later ? later.acknowledgedAt !== null : true;
    const isWanted = isKnown && excused === null && !file.deleted && hasFolder(world, share, at);
    return isWanted && world.oracle.filedFor(share, file) === 0;
  });
}

// By a clock that runs ahead, a link counts from a later time than when the channel read of it.
function hasFolder({ plan, oracle }: World, share: ExpectedShare, at = postedAt(share)): boolean {
  if (plan.hasDefaultFolder) return true;
  return oracle.links.linkedTo(share.channel, at - maxClockAhead(plan)) !== null;
}

function isInProgress(line: SlackMessage): boolean {
  return /^(Waiting|Sending|Sent)\b|^\d+ of \d+ filed.* (left|to go)\.( |$)/m.test(textOf(line));
}

// Whether the line is still in progress and not left for people to decide.
function isOpen(world: World, share: ExpectedShare, line: SlackMessage): boolean {
  const isLeft = faultFreeMs(world) > CLEARING_MS && isLeftToPeople(world, share, [line]);
  return isInProgress(line) && !isLeft;
}

/** Returns the folders that channels can still be linked to, by their index in FOLDERS. */
export function foldersLeft({ service }: World): number[] {
  return FOLDERS.flatMap((id, index) => (service.store.folder(id) ? [index] : []));
}

/** Checks the properties that must hold once a world has come to rest. */
export function checkEnd(world: World): void {
  const { oracle, users } = world;
  for (const share of oracle.shares) checkShare(world, share);
  for (const one of users.requests) checkResponse(world, one);
  for (const { share, folder, user } of missingSaves(world)) {
    const what = `${nameOf(share)} to ${folder} by ${user}`;
    oracle.fail('what is said to be saved is in its folder', what);
  }
  for (const { share, file } of missingBacks(world))
    oracle.fail('what is put back is there', `${nameOf(share)}: ${file.name}`);
  checkSkips(world);
  for (const line of strayLines(world)) oracle.fail('lines are in their threads', line);
  for (const share of oracle.shares) {
    checkThread(world, share);
    if (share.excused === null) checkCount(world, share);
  }
}

// A line outside its thread would show the whole channel what its sharer has deleted. It may stay
// where the app can no longer read or post, or if it was removed from the channel meanwhile.
function strayLines({ slack, faults, plan }: World): string[] {
  if (faults.injected.has('history-fails')) return [];
  const left = plan.steps.flatMap(({ action }) =>
    action.kind === 'bot-removed' ? action.channel : [],
  );
  const open = [...slack.state.channels.values()].filter(
    ({ id }, index) => slack.unreachableReason(id) === null && !left.includes(index),
  );
  return open.flatMap(({ id, messages }) =>
    messages.filter(isOutsideThread).map(({ text }) => `${id}: "${text}"`),
  );
}

function isOutsideThread({ threadTs, metadata }: SlackMessage): boolean {
  const payload = metadata?.['event_payload'] as Json | undefined;
  return threadTs === null && payload?.['kind'] === 'share';
}

// Files that people skipped must have stayed in Slack.
function checkSkips(world: World): void {
  const { oracle } = world;
  for (const { channel, at, count } of oracle.presses.skips()) {
    // The app may know of a share from history before it reacts to it or acknowledges its event. In
    // a conversation that it is not in, it knows of what somebody saved by hand.
    const there = oracle.shares.filter(
      (share) =>
        share.channel === channel &&
        (oracle.saves.countFolders(share) > 0 || postedAt(share) <= at),
    );
    const stayed = sum(there, (share) => notFiled(world, share));
    if (stayed < count)
      oracle.fail('what is skipped is not filed', `${channel}: ${stayed} of ${count} stayed`);
  }
}

// A file may be wanted in its channel's folder and, by hand, in others; each place counts. If it
// was shared or saved more than once, another share or save may have filed it. What was left without
// knowing may have been there.
function notFiled(world: World, share: ExpectedShare): number {
  const { oracle } = world;
  const byHand = oracle.saves.countFolders(share);
  const mayBeThere = byHand > 0 || isAnywhereUnclear(world, share);
  const left = share.message.files.filter(
    (file) => mayBeThere || oracle.createdOf(file) === 0 || oracle.sharesOf(file) > 1,
  );
  return left.length * (1 + byHand);
}

// A thread has at most one line for each share and one for each folder that a share was saved to.
function checkThread(world: World, share: ExpectedShare): void {
  const { oracle } = world;
  if (haveDifferentClocks(world)) return;
  const lines = threadLines(world, share).length;
  const most = sum(sharesInThread(world, share), (one) => 1 + oracle.saves.countFolders(one));
  if (lines > most)
    oracle.fail('reported once', `${share.channel} ${threadOf(share)} has ${lines} lines of ours`);
}

// Returns all shares in the same thread, itself included.
function sharesInThread({ oracle }: World, share: ExpectedShare): ExpectedShare[] {
  const thread = threadOf(share);
  return oracle.shares.filter((one) => one.channel === share.channel && threadOf(one) === thread);
}

/** Words of a line whose file counts say nothing certain. */
const UNCERTAIN =
  /can’t tell whether|I sent it three times|didn’t say which|doesn’t let me look|Left in Slack|Already/;

// The line must count every file that the service holds, unless somebody else shared or saved the
// same.
function checkCount(world: World, share: ExpectedShare): void {
  const { plan, oracle, faults } = world;
  const [line, another] = shareLines(world, share);
  if (!line || another || haveDifferentClocks(world)) return;
  // A line whose post had no response, or was not recorded, is edited only once history shows it.
  const mayNotKnowLine = plan.rates.slack.probability > 0 || plan.rates.disk > 0;
  const mayForgetLine = includes(plan, 'kill', 'kill-on-ack', 'disk-full', 'pause');
  if (faults.injected.has('history-fails') && (mayNotKnowLine || mayForgetLine)) return;
  if (includes(plan, 'folder-deleted') || sharesInThread(world, share).length > 1) return;
  const text = textOf(line);
  if (UNCERTAIN.test(text) || oracle.shares.some((one) => oracle.saves.countFolders(one) > 0))
    return;
  // The app believes a refusal of what was done if its check was refused too.
  if (/couldn’t be filed/i.test(text) && mayBeRefused(world)) return;
  const held = share.message.files.filter(
    (file) => oracle.sharesOf(file) === 1 && oracle.presentOf(file) > 0,
  ).length;
  const [, named] = /^Filed\b.*?: (.+)$/m.exec(text) ?? [];
  const [, filed = named ? countNames(named) : 0] = /^(\d+) of \d+ filed\b/m.exec(text) ?? [];
  if (Number(filed) < held)
    oracle.fail('what is filed is reported', `${share.channel}: "${text}", and ${held} are`);
  const own = share.message.files.every((file) => oracle.sharesOf(file) === 1);
  // What the disk did not take of a deletion is noted once somebody lists the folder again.
  // So is a Delete that the service did, and answered with an error or not at all.
  const mayHaveFailed = oracle.presses.deletes.length > 0 && countInjected(world, /^service /) > 0;
  const mayBeUnnoted =
    includes(plan, ...MAY_DELETE_UNNOTED) || plan.rates.disk > 0 || mayHaveFailed;
  if (own && Number(filed) > held && !mayBeUnnoted)
    oracle.fail(
      'what is said to be filed is there',
      `${share.channel}: "${text}", and ${held} are`,
    );
}

/** After one of these, a file may be gone without the app's having noted that. */
const MAY_DELETE_UNNOTED: Action['kind'][] = [
  ...(['other-deletes', 'kill', 'kill-on-ack', 'restart', 'pause', 'disk-full'] as const),
];

// Each save that a person was promised must be in its folder, or its own line must say why not: that
// of the message, if its files are on their way to the same folder. If that is gone by then, they go on
// with their channel.
function missingSaves(world: World): Save[] {
  const { oracle, service } = world;
  const wentOn = ({ share, folder }: Save) =>
    !service.store.folder(folder) &&
    share.message.files.every((file) => oracle.filedFor(share, file) > 0);
  const missing = oracle.saves
    .unfulfilled({ alsoUnreported: !hasAvailabilityFaults(world) })
    .filter(({ share }) => !share.deleted && share.message.files.every((file) => !file.deleted))
    .filter((one) => !wentOn(one));
  return missing.filter(({ share }) => {
    // In a channel that the app was removed from, a line can no longer be edited.
    const isFrozen = (line: SlackMessage) => share.excused !== null && line.threadTs !== null;
    const explained = saveLines(world, share).filter(
      (line) => isFrozen(line) || givesReason(world, share, line),
    );
    const needsAttention = reactionsTo(share.message).includes('needsAttention');
    const isLeft = isAnywhereUnclear(world, share) || isLeftToPeople(world, share);
    if (needsAttention || isLeft) explained.push(...shareLines(world, share));
    return explained.length < missing.filter((one) => one.share === share).length;
  });
}

/** After one of these, a file that is put back may be gone again, or refused. */
const MAY_KEEP_AWAY: Action['kind'][] = ['other-deletes', 'folder-deleted'];

// Returns the files that people were told are put back, and are not: nobody has deleted them since.
function missingBacks(world: World): PutBack[] {
  const { oracle, plan } = world;
  if (includes(plan, ...MAY_KEEP_AWAY) || mayBeRefused(world)) return [];
  return oracle.putBacks.promised.filter(({ share, file, folder, at }) => {
    const isLost = oracle.presentOf(file, folder) === 0 && (oracle.deletedAt(file) ?? 0) < at;
    const isExcused = share.excused !== null || share.deleted || file.deleted;
    return isLost && !isExcused && !isLeftToPeople(world, share);
  });
}

/** The line's words when all of its files are in the folder. */
const ALL_WELL = /^(Filed in [^\n]*|Already in the folder\.[^\n]*)\nSaved /;

function givesReason(world: World, share: ExpectedShare, line: SlackMessage): boolean {
  return !isOpen(world, share, line) && !ALL_WELL.test(textOf(line));
}

// Only where nothing keeps the app from asking. It notes the question before it posts it, so a
// crash may lose one.
function mustBeAsked(world: World, share: ExpectedShare): boolean {
  const { plan, oracle, slack } = world;
  const { channel, user } = share;
  if (plan.onSlackDelete !== 'ask' || slack.unreachableReason(channel)) return false;
  if (plan.rates.slack.probability > 0 || plan.rates.disk > 0) return false;
  if (includes(plan, ...MAY_PREVENT_QUESTION) || !isDeletedCopy(world, share)) return false;
  return !oracle.presses.questions.some((one) => one.channel === channel && one.user === user);
}

// Once its event is acknowledged, a deletion is in the ledger, so neither a crash nor Slack can
// keep the filed copy. Only a refusal of the service can.
function mustBeDeleted(world: World, share: ExpectedShare): boolean {
  if (world.plan.onSlackDelete !== 'follow' || mayBeRefused(world)) return false;
  // A deleted message’s files may live on: then its sharer is asked.
  return isDeletedCopy(world, share, ({ deleted }) => deleted);
}

// Whether the app knows of the deletion in Slack, and of a filed copy that is only this share's.
function isDeletedCopy(
  world: World,
  share: ExpectedShare,
  isMeant: (file: SlackFile) => boolean = () => true,
): boolean {
  const { plan, oracle, slack } = world;
  const { user, message, deletionAcknowledged } = share;
  if (!deletionAcknowledged || !isMember(slack.state.users.get(user))) return false;
  // Files that were saved by hand stay.
  if (oracle.saves.countFolders(share) > 0) return false;
  // The app can do nothing about a record that it cannot identify, also where it cannot say so.
  if (plan.traits.behaviour.namesOnCreate === 'own' || isAnywhereUnclear(world, share))
    return false;
  if (anySays(allLines(world, share), UNTRACED) || hasNoSay(world, share)) return false;
  return message.files.some(
    (file) => isMeant(file) && oracle.presentOf(file) > 0 && oracle.sharesOf(file) === 1,
  );
}

const MAY_PREVENT_QUESTION: Action['kind'][] = [
  ...(['kill', 'kill-on-ack', 'restart', 'pause', 'clock', 'disk-full', 'slack-silent'] as const),
  ...(['second-process', 'bot-removed', 'archived', 'other-creates', 'wrong-refusals'] as const),
];

function checkShare(world: World, share: ExpectedShare): void {
  const { fail } = world.oracle;
  if (mustBeAsked(world, share)) fail('who deletes in Slack is asked', nameOf(share));
  for (const { name } of missingFiles(world, share))
    fail('no share lost', `${nameOf(share)}: ${name} is not filed`);
  if (mustBeDeleted(world, share)) fail('copies of deleted files are deleted', nameOf(share));
  const [property, what] = (share.excused ? null : violationOf(world, share)) ?? [];
  if (property !== undefined) fail(property, `${nameOf(share)} ${what}`);
}

function violationOf(world: World, share: ExpectedShare): [property: string, what: string] | null {
  const [reaction, ...others] = reactionsTo(share.message);
  if (others.length > 0) return ['one reaction', `has ${[reaction, ...others]}`];
  if (!reaction)
    return mustHaveReaction(world, share) ? ['no share lost', 'was never handled'] : null;
  const late = lateness(world, share);
  const delay = `had its first reaction, or its line, ${late} ms late`;
  if (late > latestReaction(world)) return ['acknowledged events are handled in time', delay];
  const lines = shareLines(world, share);
  const hasReport = lines.length > 0 || needsNoLine(world, share);
  if (reaction === 'done')
    return hasReport ? null : ['each share is reported', 'has a check mark, and no line'];
  if (isLeftToPeople(world, share)) return null;
  if (reaction === 'inProgress') return ['everything settles', 'is still in progress'];
  if (lines.length === 0) return ['reasons are given', 'has a warning, and no line'];
  // An edit alone brought this share: its files wait until somebody asks for them.
  if (anySays(lines, HELD_BACK) && !hasFolder(world, share)) return null;
  if (mayBeRefused(world)) return null;
  return ['nothing is refused without cause', `: ${lines.at(-1)?.text}`];
}

// A share from a channel without a folder is held back, and gets no reaction. Nor do files that are
// deleted in Slack, or that a save has filed beside them.
function mustHaveReaction(world: World, share: ExpectedShare): boolean {
  const { oracle } = world;
  const { files } = share.message;
  if (!hasFolder(world, share)) return false;
  if (oracle.saves.countFolders(share) === 0 || files.every(({ deleted }) => !deleted)) return true;
  return files.some((file) => !file.deleted && oracle.createdOf(file) === 0);
}

/** The longest time from the acknowledged event to the share's first reaction, if Slack is well. */
const LATEST_MS = 120_000;
/** The same if Slack has failed: retries back off by doubling up to this. */
const LATEST_AFTER_FAILURES_MS = 50 * 60_000;

function latestReaction({ plan, faults }: World): number {
  // A line whose post had no response is edited only once history shows it.
  const hasFailed = plan.rates.slack.probability > 0 || faults.injected.has('history-fails');
  return (hasFailed ? LATEST_AFTER_FAILURES_MS : LATEST_MS) + maxClockAhead(plan);
}

/**
 * Returns how far clocks may have run ahead, in milliseconds. What such a clock made due or held
 * ends only once the right time has come as far.
 */
export function maxClockAhead({ steps }: Plan): number {
  return sum(steps, ({ action }) => (action.kind === 'clock' ? Math.max(0, action.ms) : 0));
}

// An acknowledged event is in the ledger, so only Slack can delay the share's reaction or the line
// about an added file. A file that history showed with its message is reported with that message.
function lateness(world: World, share: ExpectedShare): number {
  const { faults } = world;
  const { acknowledgedAt, reactedAt, added } = share;
  const delay = (from: number | null, seenAt: number | null) =>
    from === null || seenAt === null ? 0 : seenAt - Math.max(from, faults.faultFreeFrom());
  // Files that wait for their channel to get a folder get no reaction until an edit adds others.
  const waits = (at?: number) => added.length > 0 && !hasFolder(world, share, at);
  const later = added.map((one) => {
    const isExempt = one.excused || wasReadWith(share, one) || waits(one.at);
    return isExempt ? 0 : delay(one.acknowledgedAt, one.seenAt);
  });
  return Math.max(waits() ? 0 : delay(acknowledgedAt, reactedAt), ...later);
}

// Whether the app read the message from history after an edit had added the file.
function wasReadWith({ acknowledgedAt, reactedAt }: ExpectedShare, { at }: AddedFile): boolean {
  const isByHistory = reactedAt !== null && (acknowledgedAt === null || reactedAt < acknowledgedAt);
  return isByHistory && at < reactedAt;
}

// A channel may want no lines about what is filed.
function needsNoLine(world: World, share: ExpectedShare): boolean {
  return world.oracle.links.mayBeQuiet(share.channel) || isReported(world, share);
}

// Shares from while the app was away have one common report; only files added later need a mention
// of their own.
function isReported({ slack }: World, share: ExpectedShare): boolean {
  const { channel, added } = share;
  const messages = slack.state.channels.get(channel)?.messages ?? [];
  const reports = messages.filter(({ own, text }) => own && text.startsWith('While I was away'));
  const mentioned = added.filter(
    (one) => one.acknowledgedAt !== null && one.excused === null && !wasReadWith(share, one),
  );
  return reports.some((report) => {
    const text = textOf(report);
    return / and \d+ more\b/.test(text) || mentioned.every(({ file }) => isNamed(text, file));
  });
}

/** The creates after which a line says UNCONFIRMED. */
const SENT_TIMES = 3;

/** Returns how many shares end by asking people to check the folder. */
export function countUnclear(world: World): number {
  return world.oracle.shares.filter((share) => isLeftToPeople(world, share)).length;
}

/** Returns the channels, by number, whose lines say that files are waiting for another folder. */
export function channelsWithoutFolder(world: World): number[] {
  const channels = [...world.slack.state.channels.keys()];
  const { shares } = world.oracle;
  const waiting = shares.filter(
    (share) => anySays(shareLines(world, share), FOLDER_GONE) && !isSentToBot(share),
  );
  return [...new Set(waiting.map(({ channel }) => channels.indexOf(channel)))];
}

// What is sent to the bot directly goes to the default folder, which nobody can replace there.
const isSentToBot = ({ channel }: ExpectedShare) => isDirect({ id: channel });

// Whether the line gives a reason and leaves the decision to people, or people have decided.
function isLeftToPeople(
  world: World,
  share: ExpectedShare,
  lines: readonly SlackMessage[] = shareLines(world, share),
): boolean {
  const { shares, presses } = world.oracle;
  if (anySays(lines, FOLDER_GONE)) return isSentToBot(share) || foldersLeft(world).length === 0;
  if (anySays(lines, CHECKING)) return false;
  if (isUnclear(world, share, lines)) return true;
  if (anySays(lines, SKIPPED)) return presses.mayBeSkipped(share.channel);
  if (!anySays(lines, BEHIND_TWIN)) return false;
  const mayBlock = (one: ExpectedShare) =>
    isAnywhereUnclear(world, one) || (hasNoSay(world, one) && isAlike(world, one, share));
  return mayBeRefused(world) || shares.some(mayBlock);
}

// Whether a share may be unclear, and its message was deleted before it had a line.
function hasNoSay(world: World, share: ExpectedShare): boolean {
  return share.deleted && allLines(world, share).length === 0 && mayBeUnclear(world, share);
}

// Whether one file may wait for another, by their names.
function isAlike(world: World, ahead: ExpectedShare, behind: ExpectedShare): boolean {
  // A line in the same thread may be about another share's file.
  const waiting = sharesInThread(world, behind).flatMap(({ message }) => message.files);
  const names = waiting.map(({ name }) => name);
  return ahead.message.files.some(({ name }) => names.includes(name));
}

// Whether the channel's own file or a save is unclear.
function isAnywhereUnclear(world: World, share: ExpectedShare): boolean {
  return isUnclear(world, share, allLines(world, share));
}

function isUnclear(world: World, share: ExpectedShare, lines: readonly SlackMessage[]): boolean {
  if (anySays(lines, UNCLEAR)) return mayBeUnclear(world, share);
  return countInjected(world, /^service /) >= SENT_TIMES && anySays(lines, UNCONFIRMED);
}

function countInjected({ faults }: World, pattern: RegExp): number {
  return sum(faults.injected, ([name, times]) => (pattern.test(name) ? times : 0));
}

/**
 * Lists that are incomplete, refusals of requests that took effect, and effects that come after the
 * check.
 */
const UNCLEAR_FAULTS =
  /^service (stale-list|late-effect|error-body-|status-\w+ 4(?!01|29))|^wrong-refusals/;
const UNCLEAR_ACTIONS: Action['kind'][] = [
  ...(['other-creates', 'other-deletes', 'folder-deleted', 'clock'] as const),
  ...(['wrong-refusals', 'slow-network'] as const),
];

// The name, size and age of a record identify its file, unless one of these conditions holds.
function mayBeUnclear(world: World, share: ExpectedShare): boolean {
  const { plan, oracle } = world;
  const { behaviour, clockOffMs, otherFiles } = plan.traits;
  const keepsNames = (behaviour.namesOnCreate ?? 'kept') === 'kept';
  if (!keepsNames || clockOffMs !== 0 || otherFiles > 0) return true;
  if (countInjected(world, UNCLEAR_FAULTS) > 0 || includes(plan, ...UNCLEAR_ACTIONS)) return true;
  if (oracle.presses.deletes.length > 0 || oracle.presses.copyDeletes.length > 0) return true;
  return share.message.files.some((file) => hasLookAlike(world, file));
}

// If the file was created, only a file with the same name and size is alike. If not, any file of
// the same size is, as it may have been renamed.
function hasLookAlike({ oracle }: World, file: SlackFile): boolean {
  // The same file may go to one folder both by itself and by hand.
  const all = oracle.shares.flatMap((share) => {
    const { files } = share.message;
    return oracle.saves.countFolders(share) > 0 ? [...files, ...files] : files;
  });
  const sameSize = all.filter(({ bytes }) => bytes.length === file.bytes.length);
  if (oracle.createdOf(file) === 0) return sameSize.length > 1;
  return sameSize.filter(({ name }) => name === file.name).length > 1;
}

/**
 * Faults after which a file may rightly be refused. 429 is not one, because the app retries later;
 * 401 is not, because the app waits without limit for its key to be accepted again.
 */
const REFUSING_FAULTS =
  /^service (status-\w+ 4(?!01|29)|error-body-\w+ (?!1001))|^download (page|short|status 4(?!29))/;
const REFUSING_ACTIONS: Action['kind'][] = [
  ...(['folder-deleted', 'other-creates', 'other-deletes', 'attachments-forgotten'] as const),
  ...(['bot-removed', 'archived'] as const),
];

// A fault that only might have occurred is no excuse; it must have occurred.
function mayBeRefused(world: World): boolean {
  return countInjected(world, REFUSING_FAULTS) > 0 || includes(world.plan, ...REFUSING_ACTIONS);
}

const RESPONSE_WITHIN_MS = 60_000;
/** How long a single 429 makes all requests wait, in milliseconds. */
const RETRY_AFTER_MS = 10_000;

function checkResponse(world: World, request: UserRequest): void {
  if (!request.acknowledged || !request.expectsResponse || hasAvailabilityFaults(world)) return;
  const { oracle } = world;
  if (request.modal?.isOpen === false) return;
  if (oracle.searches.isClosed(request)) return;
  if (oracle.saves.isClosed(request) || oracle.links.isClosed(request)) return;
  const [first] = request.responses;
  const took = first ? first.at - countedFrom(world, request.sentAt) : Number.POSITIVE_INFINITY;
  // One person's request may meet every 429.
  const waits = RETRY_AFTER_MS * countInjected(world, /^service status-\w+ 429$/);
  if (took > RESPONSE_WITHIN_MS + waits)
    oracle.fail(
      'every request gets a response',
      `"${request.what}": ${first ? `${took} ms` : 'never'}`,
    );
}

// Nobody can get a response while the service makes all requests wait.
function countedFrom({ plan }: World, sentAt: number): number {
  let from = sentAt;
  for (const { at, action } of plan.steps) {
    const until = action.kind === 'rate-limiting' ? START_TIME + at + action.ms : sentAt;
    if (START_TIME + at < sentAt + RESPONSE_WITHIN_MS) from = Math.max(from, until);
  }
  return from;
}

// Faults that may keep the app from responding at all.
function hasAvailabilityFaults({ plan }: World): boolean {
  const stopped = plan.steps.some(({ action }) => 'machine' in action || action.kind === 'outage');
  return stopped || plan.rates.slack.probability > 0;
}

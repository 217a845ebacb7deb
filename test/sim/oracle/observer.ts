import { virtualNow } from '../kernel/virtual-time.ts';
import { FOLDERS } from '../service/service-model.ts';
import type {
  AppObserver,
  Ephemeral,
  Json,
  Modal,
  SlackFile,
  SlackMessage,
  SlackState,
} from '../slack/state.ts';
import { PRIVATE_NAME } from '../world/users.ts';
import { ADDED, PAUSED, QUESTION, UNSEEN } from './app-words.ts';
import type { Oracle } from './oracle.ts';
import { isChecking } from './requests.ts';
import {
  countDeletedInSlack,
  countNames,
  deletedFiles,
  type ExpectedShare,
  isNamed,
  isSaveLine,
  REACTIONS,
  recordsIn,
  surelyKnown,
  textOf,
  threadOf,
} from './shares.ts';

interface ObserverOptions {
  oracle: Oracle;
  state: SlackState;
  hasDefaultFolder: boolean;
  /** Whether the account lists this deleted folder, with all files of the account. */
  listsAll(folder: number): boolean;
  /** Called when a modal opens. */
  opened(modal: Modal): void;
  /** Whether an instance may take another's running lease for ended, so that both say the same. */
  clocksDiffer: boolean;
}

/** The longest that a notice of a pause is on its way to Slack: the pause may end meanwhile. */
const NOTICE_MS = 1_000;
/** A list of files that names some of them only, and the counts of a line that names none. */
const SHORTENED = /([^:\n]+ and \d+ more)\b/g;
const COUNTED = /^(?:\d+ of |Waiting: )(\d+) file/m;
const FILED_OF = /^(\d+) of (\d+) filed\b/m;

/** Returns callbacks that check each of the app's messages when it appears. */
export function createObserver(options: ObserverOptions): AppObserver {
  const { oracle, opened, clocksDiffer } = options;
  const read = createPrivacyCheck(options);
  const seenMarks = new Set<string>();
  /** How many files people were asked about, by share. */
  const questions = new Map<string, number>();
  /** When somebody was last notified of a pause, by channel. */
  const pauses = new Map<string, number>();

  function checkMessage(channel: string, message: SlackMessage): void {
    if (/\b[Ff]iled\b/.test(message.text)) oracle.pauseMayEnd();
    const text = textOf(message);
    for (const share of oracle.shares.filter((one) => one.channel === channel)) {
      const counts = threadOf(share) === message.threadTs && countsAll(text, share);
      for (const one of share.added)
        if (counts || isNamed(text, one.file)) one.seenAt ??= virtualNow();
    }
    if (message.threadTs === null) return;
    const inThread = oracle.shares.filter((share) => threadOf(share) === message.threadTs);
    if (UNSEEN.test(text)) for (const share of inThread) share.copyMayStay = true;
    const [share, another] = inThread;
    if (!share || another) return;
    checkCounts(channel, message, share);
    if (!/^Filed\b/.test(message.text)) return;
    const folders = oracle.foldersNamed(message.text.split(':')[0] ?? '');
    const missing = surelyKnown(share).filter((file) => {
      if (!isSaveLine(message)) return oracle.filedFor(share, file) === 0;
      // Somebody may save some of a message's files, and one of several with the same name.
      const isMeant = ({ name }: SlackFile) => name === file.name;
      if (!isNamed(text, file) || share.message.files.filter(isMeant).length > 1) return false;
      if (folders.length === 0) return oracle.createdOf(file) === 0;
      return folders.every((folder) => oracle.createdIn(folder, file) === 0);
    });
    // With a message all of its files are gone.
    for (const file of missing.slice(share.deleted ? countDeletedInSlack(text) : 0))
      failTooEarly(channel, `"${message.text}", and ${file.name} is not filed`);
  }

  // A line's counts may lag behind the truth for a moment, but never exceed it.
  function checkCounts(channel: string, message: SlackMessage, share: ExpectedShare): void {
    const { files } = share.message;
    const text = textOf(message);
    const [, filed = '0', total = '0'] = FILED_OF.exec(text) ?? [];
    const isFiled = (file: SlackFile) =>
      isSaveLine(message) ? oracle.createdOf(file) > 0 : oracle.filedFor(share, file) > 0;
    const most = files.filter(isFiled).length;
    if (Number(filed) > most || Number(total) > files.length)
      failTooEarly(channel, `"${text}", and ${most} are filed`);
    const gone = deletedFiles(share);
    if (countDeletedInSlack(text) > gone)
      oracle.fail('reasons are true', `${channel}: "${text}", and ${gone} were deleted there`);
  }

  function failTooEarly(channel: string, what: string): void {
    oracle.fail('nothing is reported before it is done', `${channel}: ${what}`);
  }

  // The question whether to delete a copy too goes to where the message was, or to the direct
  // messages of a sharer who has left.
  function noteQuestion({ channel, user, text, blocks }: Ephemeral): void {
    const [, names] = QUESTION.exec(text) ?? [];
    if (names === undefined) return;
    const value = buttonValue(blocks, 'delete_copies');
    oracle.presses.questions.push({ channel, user, value, text: textOf({ text, blocks }) });
    const own = oracle.shares.filter((share) => share.channel === channel && share.user === user);
    const copiesOf = (share: ExpectedShare) =>
      deletedFiles(share) * (1 + oracle.saves.countFolders(share));
    const most = Math.max(0, ...own.map(copiesOf));
    const what = `${channel} ${user}: "${text}"`;
    if (most === 0) oracle.fail('nobody is asked without cause', what);
    const shareOf = JSON.stringify(blocks).match(/share[\\":]+(\d+)/)?.[1] ?? '';
    const count = (questions.get(shareOf) ?? 0) + countNames(names);
    questions.set(shareOf, count);
    if (count > most) oracle.fail('asked once', what);
  }

  // If the response to a post is lost, only the mark identifies the line.
  function checkMark(channel: string, { text, threadTs, metadata }: SlackMessage): void {
    const mark = JSON.stringify(metadata?.['event_payload'] ?? null);
    if (mark === 'null' && threadTs !== null)
      oracle.fail('reported once', `${channel}: "${text}" has no mark to be found by`);
    if (mark === 'null') return;
    if (seenMarks.has(mark) && !clocksDiffer)
      oracle.fail('reported once', `${channel}: a second message for ${mark}`);
    seenMarks.add(mark);
  }

  return {
    read,
    modal: (modal) => {
      // What is searched for can be sent again.
      const isStuck = isChecking(modal) && !modal.view['submit'];
      if (isStuck && !/within a minute, try again/.test(JSON.stringify(modal.view)))
        oracle.fail('a form that may never be answered says so', JSON.stringify(modal.view));
      oracle.saves.modalChanged(modal);
      oracle.searches.modalChanged(modal);
      if (modal.version === 1) opened(modal);
      else oracle.links.modalChanged(modal);
    },
    posted: (channel, message) => {
      checkMessage(channel, message);
      oracle.links.messageShown(channel, message.text, null);
      if (ADDED.test(message.text))
        oracle.announced(channel, recordsIn(JSON.stringify(message.blocks)));
      oracle.sharedFiles.posted(channel, message);
      checkMark(channel, message);
    },
    updated: checkMessage,
    notified: (shown) => {
      const { user, text, blocks } = shown;
      oracle.saves.notified(shown);
      oracle.links.notified(shown);
      read(shown);
      const [, channel] = /\\"c\\":\\"(\w+)/.exec(JSON.stringify(blocks)) ?? [];
      if (channel !== undefined) noteQuestion({ user, channel, text, blocks });
      // The result of a form may also have a button with its channel.
      if (channel === undefined || !PAUSED.test(text)) return;
      if (oracle.pauseMayHaveEndedAt() < (pauses.get(channel) ?? 0) - NOTICE_MS)
        oracle.fail('a pause is reported once', `${user} is told again of ${channel}`);
      pauses.set(channel, virtualNow());
    },
    shown: (shown) => {
      const { channel, user, text } = shown;
      oracle.links.messageShown(channel, text, user);
      oracle.saves.notified(shown);
      oracle.links.notified(shown);
      noteQuestion(shown);
    },
    previewed: (channel, url, blocks) => {
      const shown = recordsIn(JSON.stringify(blocks));
      const [wanted, ...others] = [...new Set([...recordsIn(url), ...shown])];
      const isRight = shown.length > 0 && others.length === 0 && wanted !== undefined;
      if (!isRight) oracle.fail('a preview is of the file that was posted', `${url}: ${shown}`);
      else if (!oracle.mayShow(channel, wanted))
        oracle.fail('a preview shows only what its channel may see', `${channel}: ${url}`);
    },
    reacted: (channel, message, { name, added }) => {
      const share = oracle.shares.find((one) => one.message === message);
      if (share && added) share.reactedAt ??= virtualNow();
      if (!added || name !== REACTIONS.done) return;
      if (!share) return failTooEarly(channel, 'a check mark on no share');
      for (const file of surelyKnown(share))
        if (oracle.filedFor(share, file) === 0)
          failTooEarly(channel, `a check mark, and ${file.name} is not filed`);
    },
  };
}

/** Returns the value of the first button with this action. */
function buttonValue(blocks: readonly Json[], actionId: string): string {
  const elements = blocks.flatMap((block) => (block['elements'] ?? []) as Json[]);
  return String(elements.find((one) => one['action_id'] === actionId)?.['value'] ?? '');
}

// Whether the text counts, or one of its lists has, as many files as the share.
function countsAll(text: string, { message: { files } }: ExpectedShare): boolean {
  const lists = [...text.matchAll(SHORTENED)].map(([, names = '']) => countNames(names));
  return Math.max(...lists, Number(COUNTED.exec(text)?.[1] ?? 0)) >= files.length;
}

const CHANNEL = /"channel_id":"(\w+)"|<#(\w+)/g;
const MESSAGE = /archives\/(\w+)\/p/g;
const NAMED_CHANNEL = /#channel-(\d+)/g;

// Checks that what one person reads names nothing of channels that they are not in.
function createPrivacyCheck({ state, oracle, hasDefaultFolder, listsAll }: ObserverOptions) {
  const isIn = (user: string, channel: string) =>
    state.channels.get(channel)?.members.has(user) === true;
  const isInLinked = (user: string, folder?: number) =>
    [...state.channels.keys()].some(
      (channel) => isIn(user, channel) && oracle.links.mayBeLinked(channel, folder),
    );

  // A person may see every file in a folder that is linked to one of their channels, whoever filed
  // it. If the account lists every file there, no record shows which folder it is in.
  function maySee(user: string, fileId: number): boolean {
    const record = oracle.recordOf(fileId);
    if (!record || record.sharedIn.some((channel) => isIn(user, channel))) return true;
    const { folder } = record;
    if (FOLDERS.some((one) => listsAll(one) && isInLinked(user, one))) return true;
    if (hasDefaultFolder && folder === FOLDERS[0]) return false;
    return isInLinked(user, folder);
  }

  // A person may know such a name if they are in a channel where it was shared, or in a channel
  // that may be linked, where they can come across it.
  function mayKnowPrivateNames(user: string): boolean {
    const hasSeen = oracle.shares.some(
      ({ channel, message }) =>
        isIn(user, channel) && message.files.some(({ name }) => name.startsWith(PRIVATE_NAME)),
    );
    return hasSeen || isInLinked(user);
  }

  function leaksIn(text: string, user: string): string[] {
    const isAdmin = state.users.get(user)?.admin === true;
    const named = matches(text, CHANNEL).filter((channel) => !isAdmin && !isIn(user, channel));
    const linked = matches(text, MESSAGE).filter((channel) => !isIn(user, channel));
    const byName = matches(text, NAMED_CHANNEL).filter((nth) => !isIn(user, `C0000000${nth}`));
    const files = recordsIn(text).filter((id) => !maySee(user, id));
    const hasPrivateName = text.includes(PRIVATE_NAME) && !mayKnowPrivateNames(user);
    return [
      ...named.map((channel) => `that ${channel} is there`),
      ...linked.map((channel) => `of a message in ${channel}`),
      ...byName.map((nth) => `that a channel is called channel-${nth}`),
      ...files.map((id) => `of the file ${id}`),
      ...(hasPrivateName ? ['the name of a file that is not theirs'] : []),
    ];
  }

  return ({ user, channel, text, blocks }: Ephemeral): void => {
    const [first] = leaksIn(`${text} ${JSON.stringify(blocks)}`, user);
    const property = 'nobody reads of channels that they are not in';
    if (first !== undefined) oracle.fail(property, `${user} in ${channel}: ${first}`);
  };
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? '');
}

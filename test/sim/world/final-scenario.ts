import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import { foldersLeft } from '../oracle/end-checks.ts';
import { isChecking } from '../oracle/requests.ts';
import { type ExpectedShare, nameOf, reactionsTo } from '../oracle/shares.ts';
import { type Action, ADMIN, linkText } from '../plan/actions.ts';
import { FOLDERS } from '../service/service-model.ts';
import {
  type Ephemeral,
  isMember,
  type SlackChannel,
  type SlackFile,
  type UserRequest,
} from '../slack/state.ts';
import type { World } from './world.ts';

/** How long a person waits for a response if nothing is wrong, in milliseconds. */
const RESPONSE_MS = 12_000;
/** How long they look at it before they press: by then its requests have left the window. */
const LOOKING_MS = 12_000;
/** The longest until a channel reads of its link, or a file is filed, if nothing is wrong. */
const NOTIFIED_MS = 60_000;
const FILED_MS = 5 * 60_000;
/** The longest until the record of a filed file is known if nothing is wrong, in milliseconds. */
const KNOWN_MS = 20 * 60_000;

/**
 * Acts as people do once a world is at rest and nothing goes wrong. An admin searches for a filed
 * file, or lists a channel's files and deletes one. Each response must come in time, the file be
 * found, and the delete be done. In every second world an admin then also links and unlinks the
 * channel, and what is shared after each must go where the channel was told.
 */
export async function runFinalScenario(world: World): Promise<void> {
  const { slack, plan } = world;
  const [admin = ''] = slack.state.users.keys();
  const channel = [...slack.state.channels.values()][channelOf(world)];
  if (!channel?.members.has(admin) || slack.unreachableReason(channel.id)) return;
  if (plan.seed % 3 === 0) await findFiled(world, channel);
  else await listAndDelete(world, channel);
  if (plan.seed % 2 === 0) await linkAndUnlink(world, channel);
}

function channelOf({ plan }: World): number {
  return plan.seed % plan.channels;
}

function hasFailed({ oracle }: World): boolean {
  return oracle.violations.length > 0;
}

/** Awaits a condition, or a violation; resolves with whether one of them came in time. */
function waitFor(world: World, ms: number, isDone = () => false): Promise<boolean> {
  return runUntil(() => hasFailed(world) || isDone(), virtualNow() + ms);
}

async function listAndDelete(world: World, channel: SlackChannel): Promise<void> {
  const { plan, slack } = world;
  const shown = await list(world, ADMIN);
  if (hasFailed(world) || plan.seed % 2 === 0) return;
  await pressDelete(world, shown, filedShares(world, channel).length > 0);
  const users = [...slack.state.users.keys()];
  const [own] = filedShares(world, channel).filter(({ user }) => user !== users[ADMIN]);
  if (!own || haveLookAlikes(world) || hasFailed(world) || !channel.members.has(own.user)) return;
  if (!isMember(slack.state.users.get(own.user))) return;
  await waitFor(world, LOOKING_MS);
  await pressDelete(world, await list(world, users.indexOf(own.user)), false);
}

async function list(world: World, user: number): Promise<Ephemeral | undefined> {
  return (await ask(world, '/files', user))?.responses[0]?.shown;
}

async function ask(world: World, typed: string, user: number): Promise<UserRequest | undefined> {
  world.users.command(typed, { channel: channelOf(world), user });
  const request = world.users.requests.at(-1);
  await awaitResponse(world, request);
  return request;
}

/** Presses the first Delete of a list; `isExpected`: there must be one. */
async function pressDelete(
  world: World,
  shown: Ephemeral | undefined,
  isExpected: boolean,
): Promise<void> {
  const { users, oracle, plan, service } = world;
  // The service may still list the files of a deleted folder, and refuses to delete them.
  if (plan.steps.some(({ action }) => action.kind === 'folder-deleted')) return;
  const pressFirst = async (list: Ephemeral | undefined) => {
    await waitFor(world, LOOKING_MS);
    return list && users.pressIn(list, 'delete_file');
  };
  let press = await pressFirst(shown);
  if (!press && isExpected && !hasFailed(world)) {
    // Until a look succeeds, the app does not know the record of a create whose response it could
    // not read.
    await waitFor(world, KNOWN_MS);
    press = await pressFirst(await list(world, ADMIN));
  }
  if (!press) {
    if (isExpected) oracle.fail('what is filed is listed', JSON.stringify(shown?.text));
    return;
  }
  const file = Number(/"id":(\d+)/.exec(press.what)?.[1]);
  await awaitResponse(world, press);
  if (oracle.presses.deletes.at(-1)?.allowed && service.store.file(file))
    oracle.fail('a delete is done', `file ${file} is there after "${press.what}"`);
}

/** After one of these, a channel's files may be in another folder, or gone. */
const MAY_MOVE_FILES = new Set<Action['kind']>([
  ...(['link', 'unlink', 'form', 'press', 'folder-deleted', 'other-deletes'] as const),
  ...(['bot-removed', 'archived'] as const),
]);

/** After one of these, a file may be in a second folder or may be another person's. */
const MAY_COPY_FILES = new Set<Action['kind']>(['save', 're-share', 'other-creates']);

// Returns a channel's finished shares with a file that is surely in the channel's folder and
// nowhere else.
function filedShares(world: World, channel: SlackChannel): ExpectedShare[] {
  const { plan } = world;
  if (plan.traits.otherFiles > 0) return [];
  if (plan.steps.some(({ action }) => MAY_COPY_FILES.has(action.kind))) return [];
  return doneShares(world, channel).filter(({ message }) =>
    message.files.some((file) => isFiledOnce(world, file)),
  );
}

// Returns a channel's shares with a check mark, if its files surely are in its default folder, with
// their names.
function doneShares({ oracle, plan }: World, channel: SlackChannel): ExpectedShare[] {
  const mayMove = plan.steps.some(({ action }) => MAY_MOVE_FILES.has(action.kind));
  if (!plan.hasDefaultFolder || mayMove) return [];
  if ((plan.traits.behaviour.namesOnCreate ?? 'kept') !== 'kept') return [];
  return oracle.shares.filter(
    (share) => share.channel === channel.id && share.excused === null && isMarkedDone(share),
  );
}

function isMarkedDone({ message }: ExpectedShare): boolean {
  return reactionsTo(message).includes('done');
}

function isFiledOnce({ oracle }: World, file: SlackFile): boolean {
  return oracle.presentOf(file) === 1 && oracle.sharesOf(file) === 1;
}

// Files that look alike cannot be told apart.
function haveLookAlikes({ slack }: World): boolean {
  const looks = [...slack.state.files.values()].map(({ name, bytes }) => `${bytes.length} ${name}`);
  return new Set(looks).size < looks.length;
}

/** If the link was the same before, the response may only be about waiting files. */
const LINKED =
  /linked this (channel|conversation): |already linked to|are in Slack only|is in Slack only/;
const UNLINKED = /unlinked this (channel|conversation) from /;

async function linkAndUnlink(world: World, channel: SlackChannel): Promise<void> {
  const { plan, users, service } = world;
  const index = foldersLeft(world).findLast((one) => one > 0);
  if (index === undefined || hasFailed(world) || isAnyLeftOver(world, channel)) return;
  const at = { channel: channelOf(world), user: ADMIN };
  users.command(`/files ${linkText(index)}`, at);
  if (!(await isNotified(world, channel, LINKED))) return;
  await checkGoesTo(world, await shareNow(world), FOLDERS[index] ?? null);
  users.command('/files unlink', at);
  if (!(await isNotified(world, channel, UNLINKED))) return;
  const fallback = plan.hasDefaultFolder ? FOLDERS[0] : null;
  const share = await shareNow(world);
  if (fallback === null || service.store.folder(fallback))
    await checkGoesTo(world, share, fallback);
}

// Files that were refused, or given up because of their folder, are tried again in the next folder.
function isAnyLeftOver({ oracle }: World, channel: SlackChannel): boolean {
  return oracle.shares.some(
    (share) =>
      share.channel === channel.id &&
      (share.excused !== null || reactionsTo(share.message).includes('needsAttention')),
  );
}

/**
 * Resolves with whether the channel, or the person who has just asked, reads such words. Silence is
 * a violation, and so are other words, unless pages of other people's files may explain them.
 */
async function isNotified(world: World, channel: SlackChannel, words: RegExp): Promise<boolean> {
  const request = world.users.requests.at(-1);
  const before = channel.messages.length;
  const texts = () =>
    [
      ...channel.messages.slice(before).filter(({ own }) => own),
      ...(request?.responses ?? []).map(({ shown }) => shown),
    ].map(({ text }) => text);
  if (await waitFor(world, NOTIFIED_MS, () => texts().some((text) => words.test(text))))
    return !hasFailed(world);
  const read = texts();
  if (read.length === 0 || world.plan.traits.otherFiles === 0)
    world.oracle.fail(
      'every request gets a response',
      `"${request?.what}" with nothing wrong: ${read.join(' / ') || 'nothing'}`,
    );
  return false;
}

// Shares a file as an admin, a while after the last message.
async function shareNow(world: World): Promise<ExpectedShare | undefined> {
  const { users, oracle } = world;
  await waitFor(world, LOOKING_MS);
  const files = [{ name: `last ${oracle.shares.length}.pdf`, size: 300, hiddenMs: 0 }];
  const at = { channel: channelOf(world), user: ADMIN };
  users.share({ kind: 'share', ...at, files, inThread: false }, 0);
  return oracle.shares.at(-1);
}

// Checks that the share's file goes to `folder` only; null: that it stays in Slack.
async function checkGoesTo(
  world: World,
  share: ExpectedShare | undefined,
  folder: number | null,
): Promise<void> {
  const { oracle } = world;
  const [file] = share?.message.files ?? [];
  if (!share || !file) return;
  const patience = folder === null ? LOOKING_MS : FILED_MS;
  await waitFor(world, patience, () => isMarkedDone(share));
  if (hasFailed(world)) return;
  const inFolder = folder === null ? 0 : oracle.createdIn(folder, file);
  const isElsewhere = oracle.createdOf(file) > inFolder;
  if (isElsewhere || isMarkedDone(share) !== (folder !== null))
    oracle.fail(
      'linking and unlinking take effect',
      `${nameOf(share)}: ${isElsewhere ? 'is filed elsewhere' : 'is not filed'}`,
    );
}

async function findFiled(world: World, channel: SlackChannel): Promise<void> {
  const { oracle, plan } = world;
  const files = doneShares(world, channel).flatMap(({ message }) => message.files);
  const filed = files.find((file) => isFiledOnce(world, file));
  if (!filed) return;
  const request = await ask(world, `/files find ${filed.name}`, ADMIN);
  const shown = JSON.stringify(request?.responses.at(-1)?.shown.blocks);
  // A search over many pages cannot finish in time for a caller who may not use the whole limit.
  if (plan.traits.otherFiles > 0 && shown.includes('couldn’t search all')) return;
  if (request && ![filed.name, escaped(filed.name)].some((name) => shown.includes(name)))
    oracle.fail('what is filed is found', `"${request.what}": ${shown}`);
}

// https://docs.slack.dev/messaging/formatting-message-text
function escaped(name: string): string {
  return name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

async function awaitResponse(world: World, request: UserRequest | undefined): Promise<void> {
  if (!request || (await waitFor(world, RESPONSE_MS, () => request.responses.length > 0))) return;
  const time = `within ${RESPONSE_MS / 1000} s, with nothing wrong`;
  world.oracle.fail('every request gets a response', `"${request.what}" was not answered ${time}`);
}

/** How long the service is slow, and then the longest time until the result shows. */
const SLOW_MS = 45_000;
const SHOWN_MS = 45_000;

/**
 * At the very end, with no other fault, an admin links a channel in the form while the service
 * takes longer than Slack waits. The modal must not go on saying that the folder is being checked.
 */
export async function checkFormOnSlowService(world: World): Promise<void> {
  const { plan, users, faults, slack, oracle } = world;
  if (plan.seed % 4 !== 1) return;
  const known = slack.state.modals.length;
  faults.start('slow-service', SLOW_MS);
  users.command('/files link', { channel: 0, user: ADMIN });
  await waitFor(world, SLOW_MS + SHOWN_MS);
  for (const modal of slack.state.modals.slice(known))
    if (modal.isOpen && isChecking(modal))
      oracle.fail('a form says what came of it', `${modal.user} still reads that it is checked`);
}

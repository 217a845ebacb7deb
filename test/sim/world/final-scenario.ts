import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import { foldersLeft } from '../oracle/end-checks.ts';
import { isChecking } from '../oracle/form-responses.ts';
import { MARKS } from '../oracle/observer.ts';
import type { KnownShare } from '../oracle/oracle.ts';
import type { Deed } from '../plan/actions.ts';
import { FOLDERS } from '../service/account.ts';
import { BOT, type Ephemeral, isMember, type SlackChannel } from '../slack/state.ts';
import { type Asked, linkText } from './users.ts';
import type { World } from './world.ts';

/** How long a person waits for a response if nothing is wrong, in milliseconds. */
const ANSWER_MS = 12_000;
/**
 * How long they look at it before they press, in milliseconds: by then its requests have left the
 * window.
 */
const LOOKING_MS = 12_000;
/**
 * The longest time until a channel reads of its link or a file is filed if nothing is wrong, in
 * milliseconds.
 */
const TOLD_MS = 60_000;
const FILED_MS = 5 * 60_000;
/** The longest until the record of a filed file is known if nothing is wrong, in milliseconds. */
const KNOWN_MS = 20 * 60_000;
const ADMIN = 0;

/**
 * Acts as people do once a world is at rest and nothing goes wrong. An admin searches for a filed
 * file, or lists a channel's files and deletes one. Each response must come in time, the file be
 * found, and the delete be done. In every second world an admin then also links and unlinks the
 * channel, and what is shared after each must go where the channel was told.
 */
export async function closingScene(world: World): Promise<void> {
  const { slack, plan } = world;
  const [admin] = slack.state.users.keys();
  const channel = [...slack.state.channels.values()][plan.seed % plan.channels];
  if (!channel?.members.has(admin ?? '') || slack.deaf(channel.id)) return;
  if (plan.seed % 3 === 0) await findWhatIsFiled(world, channel);
  else await listAndDelete(world, channel);
  if (plan.seed % 2 === 0) await linkAndUnlink(world, channel);
}

async function listAndDelete(world: World, channel: SlackChannel): Promise<void> {
  const { truth, plan, slack } = world;
  const shown = await list(world, ADMIN);
  if (truth.violations.length > 0 || plan.seed % 2 === 0) return;
  const isOwed = sureToBeListed(world, channel).length > 0;
  await pressDelete(world, shown, isOwed);
  const users = [...slack.state.users.keys()];
  const [own] = sureToBeListed(world, channel).filter(({ user }) => user !== users[ADMIN]);
  if (!own || areAlike(world) || truth.violations.length > 0 || !channel.members.has(own.user))
    return;
  if (!isMember(slack.state.users.get(own.user))) return;
  await runUntil(() => truth.violations.length > 0, virtualNow() + LOOKING_MS);
  await pressDelete(world, await list(world, users.indexOf(own.user)), false);
}

async function list(world: World, user: number): Promise<Ephemeral | undefined> {
  const { people, plan } = world;
  people.command('/files', '', { channel: plan.seed % plan.channels, user });
  const asked = people.asked.at(-1);
  await answered(world, asked);
  return asked?.answers[0]?.shown;
}

/** Presses the first Delete of a list; `isOwed`: there must be one. */
async function pressDelete(
  world: World,
  shown: Ephemeral | undefined,
  isOwed: boolean,
): Promise<void> {
  const { people, truth, plan } = world;
  // The service may still list the files of a deleted folder, and refuses to delete them.
  if (plan.steps.some(({ deed }) => deed.kind === 'folder-deleted')) return;
  const failed = () => truth.violations.length > 0;
  const pressFirst = async (list: Ephemeral | undefined) => {
    await runUntil(failed, virtualNow() + LOOKING_MS);
    return list && people.pressIn(list, 'delete_file');
  };
  let press = await pressFirst(shown);
  if (!press && isOwed && !failed()) {
    // Until a look succeeds, the app does not know the record of a create whose answer it could not
    // read.
    await runUntil(failed, virtualNow() + KNOWN_MS);
    press = await pressFirst(await list(world, ADMIN));
  }
  if (!press) {
    if (isOwed) truth.fail('what is filed is listed', JSON.stringify(shown?.text));
    return;
  }
  const wasThere = idIn(press);
  await answered(world, press);
  if (truth.presses.at(-1)?.allowed && world.service.store.file(wasThere))
    truth.fail('a delete is done', `file ${wasThere} is there after "${press.what}"`);
}

/**
 * Returns a channel's finished shares with a file that is surely in the channel's folder and
 * nowhere else.
 */
function sureToBeListed({ truth, plan }: World, channel: SlackChannel): KnownShare[] {
  if (!plan.hasDefault || plan.steps.some(({ deed }) => MOVES.has(deed.kind))) return [];
  if ((plan.traits.behaviour.namesOnCreate ?? 'kept') !== 'kept' || plan.traits.crowd > 0)
    return [];
  if (plan.steps.some(({ deed }) => BLURS.has(deed.kind))) return [];
  return truth.shares
    .filter((share) => share.channel === channel.id && share.excused === null)
    .filter(({ message }) => message.reactions.get(MARKS.done)?.has(BOT.user))
    .filter(({ message: { files } }) =>
      files.some((file) => truth.presentOf(file) === 1 && truth.sharesOf(file) === 1),
    );
}

// Files that look alike cannot be told apart.
function areAlike({ slack }: World): boolean {
  const looks = [...slack.state.files.values()].map(({ name, bytes }) => `${bytes.length} ${name}`);
  return new Set(looks).size < looks.length;
}

/** After one of these, a file may be in a second folder or may be another person's. */
const BLURS = new Set<Deed['kind']>(['save', 're-share', 'stranger-files']);

/**
 * What may follow the link command. If the link was the same before, the response may only be about
 * waiting files.
 */
const LINKED =
  /linked this (channel|conversation): |already linked to|are in Slack only|is in Slack only/;

async function linkAndUnlink(world: World, channel: SlackChannel): Promise<void> {
  const { plan, people, truth, service } = world;
  const index = foldersLeft(world).findLast((one) => one > 0);
  if (index === undefined || truth.violations.length > 0 || isAnyLeftOver(world, channel)) return;
  const at = { channel: plan.seed % plan.channels, user: ADMIN };
  people.command('/files', linkText(index), at);
  if (!(await isTold(world, channel, LINKED))) return;
  await checkGoesTo(world, await shareNow(world), FOLDERS[index] ?? null);
  people.command('/files', 'unlink', at);
  if (!(await isTold(world, channel, /unlinked this (channel|conversation) from /))) return;
  const fallback = plan.hasDefault ? FOLDERS[0] : null;
  const share = await shareNow(world);
  if (fallback === null || service.store.folder(fallback))
    await checkGoesTo(world, share, fallback);
}

// Files that were refused, or given up because of their folder, are tried again in the next folder.
function isAnyLeftOver({ truth }: World, channel: SlackChannel): boolean {
  return truth.shares.some(
    ({ channel: where, excused, message }) =>
      where === channel.id &&
      (excused !== null || message.reactions.get(MARKS.needsYou)?.has(BOT.user)),
  );
}

/**
 * Resolves with whether the channel, or the person who has just asked, reads such words. Silence is
 * a violation, and so are other words, unless pages of other people's files may explain them.
 */
async function isTold(world: World, channel: SlackChannel, words: RegExp): Promise<boolean> {
  const asked = world.people.asked.at(-1);
  const before = channel.messages.length;
  const told = () => [
    ...channel.messages.slice(before).filter(({ own }) => own),
    ...(asked?.answers ?? []).map(({ shown }) => shown),
  ];
  const failed = () => world.truth.violations.length > 0;
  const end = virtualNow() + TOLD_MS;
  const isSaid = () => told().some(({ text }) => words.test(text));
  const isOver = await runUntil(() => failed() || isSaid(), end);
  if (isOver) return !failed();
  const read = told().map(({ text }) => text);
  if (read.length === 0 || world.plan.traits.crowd === 0)
    world.truth.fail(
      'who asks is answered',
      `"${asked?.what}" with nothing wrong: ${read.join(' / ') || 'nothing'}`,
    );
  return false;
}

/** Shares a file as an admin, a while after the last message. */
async function shareNow({ people, truth, plan }: World): Promise<KnownShare | undefined> {
  await runUntil(() => truth.violations.length > 0, virtualNow() + LOOKING_MS);
  const files = [{ name: `last ${truth.shares.length}.pdf`, size: 300, hiddenMs: 0 }];
  const place = { channel: plan.seed % plan.channels, user: ADMIN };
  people.share({ kind: 'share', ...place, files, inThread: false }, 0);
  return truth.shares.at(-1);
}

/** Checks that the share's file goes to `folder` only; null: that it stays in Slack. */
async function checkGoesTo(
  { truth }: World,
  share: KnownShare | undefined,
  folder: number | null,
): Promise<void> {
  const [file] = share?.message.files ?? [];
  if (!share || !file) return;
  const isFiled = () => share.message.reactions.get(MARKS.done)?.has(BOT.user) === true;
  const failed = () => truth.violations.length > 0;
  const patience = folder === null ? LOOKING_MS : FILED_MS;
  await runUntil(() => failed() || isFiled(), virtualNow() + patience);
  if (failed()) return;
  const elsewhere = truth.createdOf(file) > (folder === null ? 0 : truth.createdIn(folder, file));
  if (elsewhere || isFiled() !== (folder !== null))
    truth.fail(
      'a link takes effect, and its end',
      `${share.channel} ${share.message.ts}: ${elsewhere ? 'is filed elsewhere' : 'is not filed'}`,
    );
}

async function findWhatIsFiled(world: World, channel: SlackChannel): Promise<void> {
  const { people, truth, plan } = world;
  if (!plan.hasDefault || plan.steps.some(({ deed }) => MOVES.has(deed.kind))) return;
  if ((plan.traits.behaviour.namesOnCreate ?? 'kept') !== 'kept') return;
  const filed = truth.shares
    .filter((share) => share.channel === channel.id && share.excused === null)
    .filter(({ message }) => message.reactions.get(MARKS.done)?.has(BOT.user))
    .flatMap(({ message }) => message.files)
    .find((file) => truth.presentOf(file) === 1 && truth.sharesOf(file) === 1);
  if (!filed) return;
  const at = { channel: plan.seed % plan.channels, user: ADMIN };
  people.command('/files', `find ${filed.name}`, at);
  const asked = people.asked.at(-1);
  await answered(world, asked);
  const shown = JSON.stringify(asked?.answers.at(-1)?.shown.blocks);
  // A search over many pages cannot finish in time for a caller who may not use the whole limit.
  if (plan.traits.crowd > 0 && shown.includes('couldn’t search all')) return;
  if (asked && ![filed.name, escaped(filed.name)].some((name) => shown.includes(name)))
    truth.fail('what is filed is found', `"${asked.what}": ${shown}`);
}

// https://docs.slack.dev/messaging/formatting-message-text
function escaped(name: string): string {
  return name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** After one of these, a channel's files may be in another folder, or gone. */
const MOVES = new Set<Deed['kind']>([
  ...(['link', 'unlink', 'form', 'press', 'folder-deleted', 'stranger-deletes'] as const),
  ...(['bot-removed', 'archived'] as const),
]);

function idIn({ what }: Asked): number {
  return Number(/"id":(\d+)/.exec(what)?.[1]);
}

async function answered({ truth }: World, asked: Asked | undefined): Promise<void> {
  if (!asked) return;
  const isAnswered = () => asked.answers.length > 0 || truth.violations.length > 0;
  if (!(await runUntil(isAnswered, virtualNow() + ANSWER_MS)))
    truth.fail(
      'who asks is answered',
      `"${asked.what}" was not answered within ${ANSWER_MS / 1000} s, with nothing wrong`,
    );
}

/**
 * How long the service is slow, and then the longest time until the result shows, in milliseconds.
 */
const SLOW_MS = 45_000;
const SHOWN_MS = 45_000;

/**
 * At the very end, with no other fault, an admin links a channel in the form while the service
 * takes longer than Slack waits. The modal must not go on saying that the folder is being checked.
 */
export async function formOnSlowService({ plan, people, faults, slack, truth }: World) {
  if (plan.seed % 4 !== 1) return;
  const known = slack.state.modals.length;
  faults.begin('slow-service', SLOW_MS);
  people.command('/files', 'link', { channel: 0, user: ADMIN });
  await runUntil(() => truth.violations.length > 0, virtualNow() + SLOW_MS + SHOWN_MS);
  for (const modal of slack.state.modals.slice(known))
    if (modal.isOpen && isChecking(modal))
      truth.fail('a form says what came of it', `${modal.user} still reads that it is checked`);
}

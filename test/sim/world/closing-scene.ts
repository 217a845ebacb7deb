import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import { FOLDERS } from '../service/account-seed.ts';
import { BOT, type Ephemeral, isMember, type SlackChannel } from '../slack/slack-state.ts';
import type { Deed } from './deeds.ts';
import { foldersLeft } from './end-checks.ts';
import { type Asked, linkText } from './people.ts';
import type { KnownShare } from './truth.ts';
import { MARKS } from './watch-app.ts';
import type { World } from './world.ts';

/** How long somebody waits for an answer when nothing is wrong, in milliseconds. */
const ANSWER_MS = 12_000;
/** How long they look at it before they press: the requests that it took are out of the window then. */
const LOOKING_MS = 12_000;
/** Within this a channel is told of its link, and a file is filed, when nothing is wrong, in milliseconds. */
const TOLD_MS = 60_000;
const FILED_MS = 5 * 60_000;
const ADMIN = 0;

/**
 * What people do when a world has come to rest, and nothing goes wrong: an admin looks for a file that
 * is filed, or lists a channel's files and deletes one of them. Each must be answered in time, the
 * file found, and the delete done. In every second world an admin then links the channel and unlinks it,
 * too, and what is shared after each must go where the channel was told.
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

/** Somebody presses the first Delete of a list; `isOwed`: there must be one. */
async function pressDelete(
  world: World,
  shown: Ephemeral | undefined,
  isOwed: boolean,
): Promise<void> {
  const { people, truth, plan } = world;
  // What a deleted folder held the service may still list, and refuses to delete.
  if (plan.steps.some(({ deed }) => deed.kind === 'folder-deleted')) return;
  await runUntil(() => truth.violations.length > 0, virtualNow() + LOOKING_MS);
  const press = shown && people.pressIn(shown, 'delete_file');
  if (!press) {
    if (isOwed) truth.fail('what is filed is listed', JSON.stringify(shown?.text));
    return;
  }
  const wasThere = idIn(press);
  await answered(world, press);
  if (truth.presses.at(-1)?.allowed && world.service.store.file(wasThere))
    truth.fail('a delete is done', `file ${wasThere} is there after "${press.what}"`);
}

/** Shares of a channel of which a file is in its folder, and nowhere else. */
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

// Of those that look alike nobody can tell whose is whose.
function areAlike({ slack }: World): boolean {
  const looks = [...slack.state.files.values()].map(({ name, bytes }) => `${bytes.length} ${name}`);
  return new Set(looks).size < looks.length;
}

/** After these a file may be in a second folder, or somebody else's. */
const BLURS = new Set<Deed['kind']>(['save', 're-share', 'stranger-files']);

/** What follows a link; where it was the same before, what waits may be all that is asked about. */
const LINKED = /linked this channel: |already linked to|are in Slack only|is in Slack only/;

async function linkAndUnlink(world: World, channel: SlackChannel): Promise<void> {
  const { plan, people, truth, service } = world;
  const index = foldersLeft(world).findLast((one) => one > 0);
  if (index === undefined || truth.violations.length > 0 || isAnyLeftOver(world, channel)) return;
  const at = { channel: plan.seed % plan.channels, user: ADMIN };
  people.command('/files', linkText(index), at);
  if (!(await isTold(world, channel, LINKED))) return;
  await checkGoesTo(world, await shareNow(world), FOLDERS[index] ?? null);
  people.command('/files', 'unlink', at);
  if (!(await isTold(world, channel, /unlinked this channel from /))) return;
  const fallback = plan.hasDefault ? FOLDERS[0] : null;
  const share = await shareNow(world);
  if (fallback === null || service.store.folder(fallback))
    await checkGoesTo(world, share, fallback);
}

// What was refused or given up because of its folder is tried again in the next one.
function isAnyLeftOver({ truth }: World, channel: SlackChannel): boolean {
  return truth.shares.some(
    ({ channel: where, excused, message }) =>
      where === channel.id &&
      (excused !== null || message.reactions.get(MARKS.needsYou)?.has(BOT.user)),
  );
}

/** Whether the channel, or who has just asked, reads such words: a breach where nobody else keeps it from that. */
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

/** Somebody shares a file a while after what was said. */
async function shareNow({ people, truth, plan }: World): Promise<KnownShare | undefined> {
  await runUntil(() => truth.violations.length > 0, virtualNow() + LOOKING_MS);
  const files = [{ name: `last ${truth.shares.length}.pdf`, size: 300, hiddenMs: 0 }];
  const place = { channel: plan.seed % plan.channels, user: ADMIN };
  people.share({ kind: 'share', ...place, files, inThread: false }, 0);
  return truth.shares.at(-1);
}

/** Folder null: it must stay in Slack. */
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
  // Through many pages there is no coming in time for who may not have the whole limit.
  if (plan.traits.crowd > 0 && shown.includes('couldn’t search all')) return;
  if (asked && ![filed.name, escaped(filed.name)].some((name) => shown.includes(name)))
    truth.fail('what is filed is found', `"${asked.what}": ${shown}`);
}

// https://docs.slack.dev/messaging/formatting-message-text
function escaped(name: string): string {
  return name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** After these a channel's files may be in another folder, or gone. */
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

import { systemClock } from '../../../src/base/index.ts';
import { pickAt } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { MARKS } from '../oracle/observer.ts';
import { type Deed, deedInWords } from '../plan/actions.ts';
import type { Step } from '../plan/plan.ts';
import { FOLDERS, STRANGER } from '../service/account.ts';
import { BOT, type SlackChannel, type SlackFile } from '../slack/state.ts';
import type { Seat } from './machine.ts';
import { linkText } from './users.ts';
import type { World } from './world.ts';

/** Performs a step of the plan; returns at once. */
export function doDeed(world: World, { deed, pick }: Step): void {
  world.trace.add(`— ${deedInWords(deed)}`);
  if (isPeoples(deed)) doAsPeople(world, deed, pick);
  else if ('seat' in deed) doToSeat(world, deed);
  else doToWorld(world, deed, pick);
}

const PEOPLES = [
  'share',
  're-share',
  'edit',
  'list',
  'folders',
  'status',
  'find',
  'form',
  'home',
  'where',
  'save',
  'link',
  'unlink',
  'announce',
  'press',
] as const;

type PeoplesDeed = Extract<Deed, { kind: (typeof PEOPLES)[number] }>;
type SeatDeed = Extract<Deed, { seat: number }>;
type WorldDeed = Exclude<Deed, PeoplesDeed | SeatDeed>;

function isPeoples(deed: Deed): deed is PeoplesDeed {
  return PEOPLES.some((kind) => kind === deed.kind);
}

function doAsPeople({ people }: World, deed: PeoplesDeed, pick: number): void {
  if (deed.kind === 'share') people.share(deed, pick);
  if (deed.kind === 're-share') people.shareAgain(deed, pick);
  if (deed.kind === 'edit') people.edit(deed, pick);
  if (deed.kind === 'list') people.command('/files', '', deed);
  if (deed.kind === 'folders') people.command('/folders', '', deed);
  if (deed.kind === 'status') people.command('/files', 'status', deed);
  if (deed.kind === 'find') people.command('/files', `find ${deed.words}`, deed);
  if (deed.kind === 'form') people.command('/files', 'link', deed);
  if (deed.kind === 'home') people.openHome(deed);
  if (deed.kind === 'where') people.where(deed, pick);
  if (deed.kind === 'save') people.save(deed, pick);
  if (deed.kind === 'link') people.command('/files', linkText(deed.folder), deed);
  if (deed.kind === 'unlink') people.command('/files', 'unlink', deed);
  if (deed.kind === 'announce')
    people.command('/files', `announce ${deed.on ? 'on' : 'off'}`, deed);
  if (deed.kind === 'press') people.press(deed, pick);
}

function doToWorld(world: World, deed: WorldDeed, pick: number): void {
  if ('ms' in deed && deed.kind !== 'history-fails') world.faults.lasts(deed.ms);
  if (deed.kind === 'stranger-calls') strangerCalls(world, deed.calls);
  if (deed.kind === 'stranger-files') void strangerFiles(world, pick);
  if (deed.kind === 'stranger-deletes') strangerDeletes(world, pick);
  if (deed.kind === 'attachments-forgotten') world.service.store.forgetAttachments();
  if (deed.kind === 'folder-deleted')
    world.asStranger(() =>
      world.service.store.deleteFolder(FOLDERS[deed.folder ?? -1] ?? pickAt(FOLDERS, pick)),
    );
  if (deed.kind === 'slack-file-deleted') deleteSlackFile(world, pick);
  if (deed.kind === 'message-deleted') deleteMessage(world, deed, pick);
  if (deed.kind === 'bot-removed') void removeBot(world, deed);
  if (deed.kind === 'bot-brought-in' && world.truth.shares.length === 0) bringInAnew(world, deed);
  if (deed.kind === 'archived') archive(world, deed.channel);
  if ('ms' in deed && deed.kind !== 'bot-removed') world.faults.begin(deed.kind, deed.ms);
}

function archive({ truth, slack }: World, index: number): void {
  const channel = [...slack.state.channels.values()][index];
  if (!channel) return;
  channel.archived = true;
  excuse(truth, channel.id, 'the channel is archived');
}

function doToSeat({ seats, faults, truth }: World, deed: SeatDeed): void {
  const seat = seats[deed.seat % seats.length];
  if (!seat) return;
  if (!DYING.has(deed.kind) && deed.kind !== 'disk-full') faults.note(deed.kind);
  if (deed.kind === 'pause') faults.lasts(deed.ms);
  if ('downMs' in deed) faults.lasts(deed.downMs);
  if (deed.kind === 'kill') seat.kill(deed.edges, deed.downMs);
  if (deed.kind === 'killed-answering') seat.killAnswering(deed.downMs);
  // Instances that share a database are several anyway; one more would only change the limit they
  // share.
  if (deed.kind === 'started-twice' && seats.length === 1) seat.startTwice();
  if (deed.kind === 'restart') void seat.restart(deed.downMs);
  if (deed.kind === 'pause') void pause(seat, deed.ms);
  if (deed.kind === 'clock') setClock(seat, deed.ms, truth);
  if (deed.kind === 'disk-full') faults.begin(`disk-full ${seat.name}`, deed.ms);
}

/**
 * How long after its start a process may still wait for its predecessor's window, in milliseconds.
 */
const STARTING_MS = 20_000;

// A new process waits, by its clock, until its predecessor's requests no longer count.
function setClock(seat: Seat, ms: number, truth: World['truth']): void {
  seat.clockOffMs += ms;
  if (ms > 0 && virtualNow() - seat.startedAt < STARTING_MS) truth.forgetArrivals();
}

/** Counted when the kill happens, not here. */
const DYING = new Set<Deed['kind']>(['kill', 'killed-answering']);

async function pause(seat: Seat, ms: number): Promise<void> {
  const goOn = seat.instance?.process.pause();
  await systemClock.sleep(ms);
  goOn?.();
}

function excuse(truth: World['truth'], channel: string, why: string): void {
  for (const share of truth.shares)
    if (share.channel === channel) for (const one of [share, ...share.added]) one.excused ??= why;
}

// The stranger keeps the limit too; what they use is not available to the app.
function strangerCalls({ service }: World, calls: number): void {
  for (let n = 0; n < calls; n += 1) service.window.admit();
}

/**
 * A stranger puts a file with the name and size of one of ours into our folder. This waits until
 * the app has filed something: only the service's responses tell the app its own person, and so
 * whose a file is.
 */
async function strangerFiles(world: World, pick: number): Promise<void> {
  const { truth, service } = world;
  if (!truth.shares.some(({ message }) => message.reactions.get(MARKS.done)?.has(BOT.user))) return;
  const { message } = pickAt(truth.shares, pick);
  const like = message.files[0];
  const folder = service.store.folder(pickAt(FOLDERS, (pick * 3) % 1));
  if (!like || !folder) return;
  const upload = {
    projectId: folder.projectId,
    uploaderId: STRANGER,
    name: like.name,
    bytes: {
      byteSize: like.bytes.length,
      sha256: `a stranger's ${like.id}`,
      keepAs: async () => undefined,
      discard: async () => undefined,
    },
  };
  const attachment = await service.store.addAttachment(upload);
  world.asStranger(() => service.store.createFiles(folder, [attachment], STRANGER));
}

function strangerDeletes(world: World, pick: number): void {
  const files = world.service.store.files();
  if (files.length === 0) return;
  world.asStranger(() => world.service.store.deleteFile(pickAt(files, pick).id));
}

function deleteSlackFile(world: World, pick: number): void {
  const files = [...world.slack.state.files.values()];
  if (files.length > 0) deleteFile(world, pickAt(files, pick), null);
}

function deleteFile({ slack, truth }: World, file: SlackFile, shownIn: SlackChannel | null): void {
  slack.deleteFile(file, shownIn);
  for (const share of truth.shares)
    if (share.message.files.includes(file) && share.message.files.every(({ deleted }) => deleted))
      share.excused ??= 'its files were deleted in Slack';
}

function deleteMessage(
  world: World,
  { withFiles, last }: { withFiles: boolean; last: boolean },
  pick: number,
): void {
  const { slack, truth } = world;
  const there = truth.shares.filter(({ deleted }) => !deleted);
  const share = last ? there.at(-1) : there.length > 0 && pickAt(there, pick);
  const channel = share && slack.state.channels.get(share.channel);
  if (!channel) return;
  share.deleted = true;
  share.excused ??= 'its message was deleted';
  slack.deleteMessage(channel, share.message);
  if (withFiles) for (const file of share.message.files) deleteFile(world, file, channel);
}

async function removeBot(
  { slack, truth }: World,
  deed: Extract<Deed, { kind: 'bot-removed' }>,
): Promise<void> {
  const channel = [...slack.state.channels.values()][deed.channel];
  // Nobody can take out a bot that is not in.
  if (!channel?.members.has(BOT.user)) return;
  slack.setMember(channel, false);
  excuse(truth, channel.id, 'the bot was taken out of the channel');
  await systemClock.sleep(deed.ms);
  bringIn({ slack, truth }, channel, deed.inviter);
}

function bringInAnew(
  world: World,
  { channel: index, inviter }: Extract<Deed, { kind: 'bot-brought-in' }>,
): void {
  const channel = [...world.slack.state.channels.values()][index];
  if (!channel?.members.has(BOT.user)) return;
  world.slack.setMember(channel, false);
  bringIn(world, channel, inviter);
}

function bringIn(
  { slack, truth }: Pick<World, 'slack' | 'truth'>,
  channel: SlackChannel,
  number: number | null,
): void {
  const who = number === null ? undefined : [...slack.state.users.keys()][number];
  const inviter = who !== undefined && channel.members.has(who) ? who : null;
  truth.links.invited(channel.id, inviter);
  slack.setMember(channel, true, inviter);
}

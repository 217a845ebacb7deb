import { pickAt } from '../kernel/chance.ts';
import { sleep } from '../kernel/sleep.ts';
import { FOLDERS, STRANGER } from '../service/account-seed.ts';
import { linkText } from './people.ts';
import type { Step } from './plan.ts';
import type { Seat } from './seat.ts';
import type { World } from './world.ts';

/** Lets a step of the plan happen; returns at once. */
export function doDeed(world: World, { deed, pick }: Step): void {
  const { people, faults, slack } = world;
  world.trace.add(`— ${JSON.stringify(deed)}`);
  switch (deed.kind) {
    case 'share':
      return people.share(deed, pick);
    case 're-share':
      return people.shareAgain(deed, pick);
    case 'edit':
      return people.edit(pick);
    case 'list':
      return people.command('/files', '', deed);
    case 'folders':
      return people.command('/folders', '', deed);
    case 'link':
      return people.command('/files', linkText(deed.folder), deed);
    case 'unlink':
      return people.command('/files', 'unlink', deed);
    case 'press':
      return people.press(deed, pick);
    case 'stranger-calls':
      return strangerCalls(world, deed.calls);
    case 'stranger-files':
      return void strangerFiles(world, pick);
    case 'stranger-deletes':
      return strangerDeletes(world, pick);
    case 'outage':
    case 'storm':
    case 'key-revoked':
    case 'slack-silent':
      return faults.begin(deed.kind, deed.ms);
    case 'folder-deleted':
      return void world.asStranger(() => world.service.store.deleteFolder(pickAt(FOLDERS, pick)));
    case 'slack-file-deleted':
      return deleteSlackFile(world, pick);
    case 'bot-removed':
      return void removeBot(world, deed);
    case 'archived':
      return archive(world, deed.channel);
    default:
      return doToSeat(world, deed);
  }

  function archive({ truth }: World, index: number): void {
    const channel = [...slack.state.channels.values()][index];
    if (!channel) return;
    channel.archived = true;
    excuse(truth, channel.id, 'the channel is archived');
  }
}

type SeatDeed = Extract<Step['deed'], { seat: number }>;

function doToSeat({ seats, faults }: World, deed: SeatDeed): void {
  const seat = seats[deed.seat % seats.length];
  if (!seat) return;
  if (deed.kind === 'kill') seat.kill(deed.edges, deed.downMs);
  if (deed.kind === 'restart') void seat.restart(deed.downMs);
  if (deed.kind === 'pause') void pause(seat, deed.ms);
  if (deed.kind === 'clock') seat.clockOffMs += deed.ms;
  if (deed.kind === 'disk-full') faults.begin(`disk-full ${seat.name}`, deed.ms);
}

async function pause(seat: Seat, ms: number): Promise<void> {
  const goOn = seat.instance?.process.pause();
  await sleep(ms);
  goOn?.();
}

function excuse(truth: World['truth'], channel: string, why: string): void {
  for (const share of truth.shares) if (share.channel === channel) share.excused ??= why;
}

// They keep the limit themselves; what they use is not there for others.
function strangerCalls({ service }: World, calls: number): void {
  for (let n = 0; n < calls; n += 1) service.window.admit();
}

/** Somebody puts a file of the name and size of one of ours into our folder, by hand. */
async function strangerFiles(world: World, pick: number): Promise<void> {
  const { truth, service } = world;
  if (truth.shares.length === 0) return;
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

function deleteSlackFile({ slack, truth }: World, pick: number): void {
  const files = [...slack.state.files.values()];
  if (files.length === 0) return;
  const file = pickAt(files, pick);
  file.deleted = true;
  for (const share of truth.shares)
    if (share.message.files.includes(file)) share.excused ??= 'its file was deleted in Slack';
}

async function removeBot(
  { slack, truth }: World,
  deed: { channel: number; ms: number },
): Promise<void> {
  const channel = [...slack.state.channels.values()][deed.channel];
  if (!channel) return;
  slack.setMember(channel, false);
  excuse(truth, channel.id, 'the bot was taken out of the channel');
  await sleep(deed.ms);
  slack.setMember(channel, true);
}

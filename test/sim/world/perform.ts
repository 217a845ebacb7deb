import { systemClock } from '../../../src/base/index.ts';
import { pickAt } from '../kernel/random.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { REACTIONS } from '../oracle/shares.ts';
import {
  type Action,
  type ActionOf,
  type CommandAction,
  describeAction,
  type FaultAction,
  isCommand,
  typedText,
} from '../plan/actions.ts';
import type { Step } from '../plan/plan.ts';
import { FOLDERS, OTHER_USER, receivedBytes } from '../service/service-model.ts';
import { BOT, type SlackChannel, type SlackFile } from '../slack/state.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

/** Performs a step of the plan; returns at once. */
export function performStep(world: World, { action, pick }: Step): void {
  world.trace.add(`— ${describeAction(action)}`);
  if (isCommand(action)) world.users.command(typedText(action), action);
  else if ('machine' in action) performOnMachine(world, action);
  else if ('ms' in action && action.kind !== 'bot-removed') startFault(world, action);
  else (PERFORM[action.kind] as Perform<Action>)(world, action, pick);
}

type MachineAction = Extract<Action, { machine: number }>;
type Perform<A extends Action> = (world: World, action: A, pick: number) => unknown;
type OtherKind = Exclude<Action, CommandAction | MachineAction | FaultAction>['kind'];

const PERFORM: { [Kind in OtherKind]: Perform<ActionOf<Kind>> } = {
  share: ({ users }, action, pick) => users.share(action, pick),
  're-share': ({ users }, action, pick) => users.shareAgain(action, pick),
  edit: ({ users }, action, pick) => users.edit(action, pick),
  home: ({ users }, action) => users.openHome(action),
  where: ({ users }, action, pick) => users.askWhere(action, pick),
  'find-files': ({ users }, action) => users.findFiles(action),
  paste: ({ users, service }, action, pick) => {
    const files = service.store.files();
    if (files.length > 0) users.paste(action, pickAt(files, pick).id);
  },
  save: ({ users }, action, pick) => users.save(action, pick),
  press: ({ users }, action, pick) => users.press(action, pick),
  'message-deleted': deleteMessage,
  'slack-file-deleted': deleteSlackFile,
  'attachments-forgotten': ({ service }) => service.store.forgetAttachments(),
  'other-requests': sendOtherRequests,
  'other-creates': (world, _action, pick) => createTwinByOtherUser(world, pick),
  'other-deletes': deleteByOtherUser,
  'folder-deleted': ({ service, asOtherUser }, { folder }, pick) =>
    asOtherUser(() => service.store.deleteFolder(FOLDERS[folder ?? -1] ?? pickAt(FOLDERS, pick))),
  'bot-removed': removeBot,
  'bot-re-added': reAddBot,
  archived: archive,
};

function startFault({ faults }: World, { kind, ms }: FaultAction): void {
  if (kind !== 'history-fails') faults.extend(ms);
  faults.start(kind, ms);
}

function performOnMachine({ machines, faults, oracle }: World, action: MachineAction): void {
  const machine = machines[action.machine % machines.length];
  if (!machine) return;
  // A kill is counted when it happens.
  if (!['kill', 'kill-on-ack', 'disk-full'].includes(action.kind)) faults.count(action.kind);
  if (action.kind === 'pause') faults.extend(action.ms);
  if ('downMs' in action) faults.extend(action.downMs);
  if (action.kind === 'kill') machine.kill(action.crashPoints, action.downMs);
  if (action.kind === 'kill-on-ack') machine.killOnAcknowledge(action.downMs);
  // Instances that share a database are several anyway; one more would only change the limit they
  // share.
  if (action.kind === 'second-process' && machines.length === 1) void machine.startSecondProcess();
  if (action.kind === 'restart') void machine.restart(action.downMs);
  if (action.kind === 'pause') void pause(machine, action.ms);
  if (action.kind === 'clock') setClock(machine, action.ms, oracle);
  if (action.kind === 'disk-full') faults.start(`disk-full ${machine.name}`, action.ms);
}

/** How long after its start a process may still wait for its predecessor's window. */
const STARTING_MS = 20_000;

/** The app relies on a clock that is at most this far ahead of Slack's, in milliseconds. */
const MOST_AHEAD_MS = 5 * 60_000;

// A new process waits, by its clock, until its predecessor's requests no longer count.
function setClock(machine: Machine, ms: number, oracle: World['oracle']): void {
  machine.clockOffMs = Math.min(machine.clockOffMs + ms, MOST_AHEAD_MS);
  if (ms > 0 && virtualNow() - machine.startedAt < STARTING_MS) oracle.forgetArrivals();
}

async function pause(machine: Machine, ms: number): Promise<void> {
  const resume = machine.instance?.process.pause();
  await systemClock.sleep(ms);
  resume?.();
}

// The other user keeps the limit too; what they use is not available to the app.
function sendOtherRequests({ service }: World, { calls }: { calls: number }): void {
  for (let n = 0; n < calls; n += 1) service.window.admit();
}

/**
 * Another user puts a file with the name and size of one of ours into our folder. This waits until
 * the app has filed something: only the service's responses tell the app its own person, and so
 * whose a file is.
 */
async function createTwinByOtherUser(world: World, pick: number): Promise<void> {
  const { shares } = world.oracle;
  const { store } = world.service;
  if (!shares.some(({ message }) => message.reactions.get(REACTIONS.done)?.has(BOT.user))) return;
  const like = pickAt(shares, pick).message.files[0];
  const folder = store.folder(pickAt(FOLDERS, (pick * 3) % 1));
  if (!like || !folder) return;
  const attachment = await store.addAttachment({
    projectId: folder.projectId,
    uploaderId: OTHER_USER,
    name: like.name,
    bytes: receivedBytes(like.bytes.length, `another's ${like.id}`),
  });
  world.asOtherUser(() => store.createFiles(folder, [attachment], OTHER_USER));
}

function deleteByOtherUser({ service, asOtherUser }: World, _action: unknown, pick: number): void {
  const files = service.store.files();
  if (files.length > 0) asOtherUser(() => service.store.deleteFile(pickAt(files, pick).id));
}

function deleteSlackFile(
  world: World,
  { ofLast }: ActionOf<'slack-file-deleted'>,
  pick: number,
): void {
  const files = [...world.slack.state.files.values()];
  const last = world.oracle.shares.at(-1)?.message.files[ofLast ?? -1];
  const file = ofLast === undefined && files.length > 0 ? pickAt(files, pick) : last;
  if (file) deleteFile(world, file, null);
}

function deleteFile({ slack, oracle }: World, file: SlackFile, shownIn: SlackChannel | null): void {
  slack.deleteFile(file, shownIn);
  for (const share of oracle.shares)
    if (share.message.files.includes(file) && share.message.files.every(({ deleted }) => deleted))
      share.excused ??= 'its files were deleted in Slack';
}

function deleteMessage(
  world: World,
  { withFiles, last }: ActionOf<'message-deleted'>,
  pick: number,
): void {
  const { slack, oracle } = world;
  const there = oracle.shares.filter(({ deleted }) => !deleted);
  const share = last ? there.at(-1) : there.length > 0 && pickAt(there, pick);
  const channel = share && slack.state.channels.get(share.channel);
  if (!channel) return;
  share.deleted = true;
  share.excused ??= 'its message was deleted';
  slack.deleteMessage(channel, share.message);
  if (withFiles) for (const file of share.message.files) deleteFile(world, file, channel);
}

function archive(world: World, { channel: index }: ActionOf<'archived'>): void {
  const channel = channelAt(world, index);
  if (!channel) return;
  channel.archived = true;
  excuseAll(world, channel.id, 'the channel is archived');
}

function excuseAll({ oracle }: World, channel: string, reason: string): void {
  for (const share of oracle.shares)
    if (share.channel === channel)
      for (const one of [share, ...share.added]) one.excused ??= reason;
}

async function removeBot(world: World, action: ActionOf<'bot-removed'>): Promise<void> {
  world.faults.extend(action.ms);
  const channel = channelAt(world, action.channel);
  // A bot that is not in a channel cannot be removed.
  if (!channel?.members.has(BOT.user)) return;
  world.slack.setBotMember(channel, false);
  excuseAll(world, channel.id, 'the bot was removed from the channel');
  await systemClock.sleep(action.ms);
  addBot(world, channel, action.inviter);
}

function reAddBot(world: World, action: ActionOf<'bot-re-added'>): void {
  const channel = channelAt(world, action.channel);
  if (world.oracle.shares.length > 0 || !channel?.members.has(BOT.user)) return;
  world.slack.setBotMember(channel, false);
  addBot(world, channel, action.inviter);
}

function addBot({ slack, oracle }: World, channel: SlackChannel, by: number | null): void {
  const who = by === null ? undefined : [...slack.state.users.keys()][by];
  const inviter = who !== undefined && channel.members.has(who) ? who : null;
  oracle.links.invited(channel.id, inviter);
  slack.setBotMember(channel, true, inviter);
}

function channelAt({ slack }: World, index: number): SlackChannel | undefined {
  return [...slack.state.channels.values()][index];
}

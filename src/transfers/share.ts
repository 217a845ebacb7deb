import type { PauseReason } from './retry-policy.ts';

/**
 * How a share came to be known; `backfill`: also one of many that waited for their channel's folder;
 * `saved`: somebody had the files of its message put into a folder.
 */
export type ShareOrigin = 'event' | 'catch-up' | 'backfill' | 'saved';

/** A message in Slack: what makes a share unique. */
export interface MessageRef {
  team: string;
  channel: string;
  /** Slack's message timestamp, its identifier within the channel. */
  ts: string;
}

/** One message that carries files. */
export interface Share extends MessageRef {
  /** The thread that the message stands in; null at the top of the channel. */
  threadTs: string | null;
  /** Who shared; null for a message that names nobody. */
  userId: string | null;
  files: SharedFile[];
}

/**
 * What is kept of a Slack file, so that it can be downloaded without asking Slack again. Fields
 * that Slack left out are null (https://docs.slack.dev/reference/objects/file-object).
 */
export interface SharedFile {
  id: string;
  name: string | null;
  title: string | null;
  mimetype: string | null;
  filetype: string | null;
  /** Bytes. */
  size: number | null;
  mode: string | null;
  isExternal: boolean;
  fileAccess: string | null;
  /** Where the bytes are. */
  url: string | null;
  /** Who uploaded it. */
  uploader: string | null;
}

/** Where a channel's files go: a folder of a project in the file service. */
export interface Destination {
  projectId: number;
  folderId: number;
}

/** A destination with what people call it: null, each, where the account does not tell, or not now. */
export interface FolderRef extends Destination {
  projectTitle: string | null;
  folderName: string | null;
}

/** A channel's destination, as it stands now: without names for the default destination. */
export interface ChannelDestination extends FolderRef {
  /** Whether it is the default folder, by a link of the channel's own or for want of one. */
  isDefault: boolean;
  /** Why its files wait, of a link that is paused. Default: they do not. */
  pausedFor?: PauseReason | null;
}

/** A folder as `/files link` takes it: `<project>/<folder>`. */
export function folderNumber({ projectId, folderId }: Destination): string {
  return `${projectId}/${folderId}`;
}

/** The folder that all of these are; null for several, and for none. */
export function oneFolder(folders: readonly Destination[]): Destination | null {
  const [first, ...others] = folders;
  return first && others.every((one) => sameDestination(one, first)) ? first : null;
}

export function sameDestination(a: Destination, b: Destination): boolean {
  return a.projectId === b.projectId && a.folderId === b.folderId;
}

/**
 * The fairness key of a transfer: queues take turns, so that a channel that shares much does not
 * hold up one that shares little. What a channel held before it was linked stands in a queue of
 * its own, behind nobody's fresh files; and so does what people save from it, as that goes to a folder
 * of its own whatever becomes of the channel's.
 */
export function queueOf(
  channel: Pick<MessageRef, 'team' | 'channel'>,
  part: QueuePart = 'fresh',
): string {
  const key = `${channel.team}/${channel.channel}`;
  return part === 'fresh' ? key : `${key}/${part}`;
}

type QueuePart = 'fresh' | 'past' | 'saved';

/** In which of its channel's queues the files of a share stand. */
export function queuePartOf(origin: ShareOrigin): QueuePart {
  if (origin === 'backfill') return 'past';
  return origin === 'saved' ? 'saved' : 'fresh';
}

export function queuesOf(channel: Pick<MessageRef, 'team' | 'channel'>): string[] {
  return [queueOf(channel), queueOf(channel, 'past'), queueOf(channel, 'saved')];
}

/** Whether it is a queue of what people save by hand. */
export function isOfSaved(queue: string): boolean {
  return queue.split('/')[2] === 'saved';
}

export function channelOf(queue: string): string {
  return queue.split('/')[1] ?? '';
}

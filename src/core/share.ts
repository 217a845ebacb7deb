import type { FolderReason } from './holds.ts';

/**
 * How a share became known. `backfill`: read by a backfill, or one of many that waited for their
 * channel's folder; `saved`: a person saved its message's files to a folder.
 */
export type ShareOrigin = 'event' | 'catch-up' | 'backfill' | 'saved';

/** What identifies a channel in Slack, or another conversation. */
export interface ChannelRef {
  team: string;
  channel: string;
}

/** Returns whether a channel is a direct message, with the app or between others. */
export function isDirect({ channel }: { channel: string }): boolean {
  return channel.startsWith('D');
}

/** What identifies a message in Slack. */
export interface MessageRef extends ChannelRef {
  /** Slack's message timestamp, its identifier within the channel. */
  ts: string;
}

/** Returns when a transfer's message was posted, in whole milliseconds since the epoch. */
export function sharedAt({ message }: { message: string }): number {
  return Math.floor(Number(message.split('/').at(-1)) * 1000);
}

/** The reaction of ours on a message whose files are filed: the name of Slack's emoji. */
export const FILED_MARK = 'white_check_mark';

/** One message that carries files. */
export interface Share extends MessageRef {
  /** The thread that the message is in; null outside threads. */
  threadTs: string | null;
  /** Who shared it; null if the message names nobody. */
  userId: string | null;
  files: SharedFile[];
  /** Whether the message bore our FILED_MARK when its history was read. Default: false. */
  isMarked?: boolean;
}

/**
 * The stored part of a Slack file object, enough to download the file without asking Slack again.
 * Fields that Slack left out are null (https://docs.slack.dev/reference/objects/file-object).
 */
export interface SharedFile {
  /** Slack's identifier; for an attachment of an email, see attachmentId. */
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
  /** Where its bytes can be downloaded. */
  url: string | null;
  /** Who uploaded it. */
  uploader: string | null;
  /** Its downloads that came whole but not with the stated size; default: none. */
  whole?: WholeDownloads;
}

/** The hexadecimal digits that tell an email's attachment from its others. */
const ATTACHMENT_DIGITS = 16;

/** How many characters follow the email's identifier in that of an attachment. */
export const ATTACHMENT_SUFFIX_LENGTH = 1 + ATTACHMENT_DIGITS;

/** Returns an attachment's identifier: its email's and the beginning of a hash, in hexadecimal. */
export function attachmentId(emailId: string, hash: string): string {
  return `${emailId}#${hash.slice(0, ATTACHMENT_DIGITS)}`;
}

/** Returns the identifier that Slack knows a file by: of an attachment, its email's. */
export function emailIdOf(id: string): string {
  const at = id.length - ATTACHMENT_SUFFIX_LENGTH;
  return at > 0 && id[at] === '#' ? id.slice(0, at) : id;
}

/** How often in a row a file's download came whole and equal, and what it was. */
export interface WholeDownloads {
  times: number;
  /** Our clock when the first of them had come. */
  since: number;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** Where a channel's files go: a folder of a project in the file service. */
export interface Destination {
  projectId: number;
  folderId: number;
}

/** A destination with its names, each null if the account does not state it, or not now. */
export interface FolderRef extends Destination {
  projectTitle: string | null;
  /** Its name after those of the folders that it is in: `Design › Logos`. */
  folderName: string | null;
  /** Where people open it, as somebody pasted it. Default: null, unknown. */
  url?: string | null;
}

/** A channel's current destination. For a channel without a link, the names are null. */
export interface ChannelDestination extends FolderRef {
  /** Whether it is the default folder, which the channel is linked to or uses without a link. */
  isDefault: boolean;
  /** Why the channel's link is paused and its files wait. Default: null, not paused. */
  heldFor?: FolderReason | null;
}

/**
 * Returns the function that finds where a channel's files go: its link, else the default folder,
 * else null.
 */
export function destinationFinder(
  findLink: (channel: ChannelRef) => Promise<Omit<ChannelDestination, 'isDefault'> | null>,
  fallback: Destination | null,
) {
  const unlinked = fallback && { ...fallback, projectTitle: null, folderName: null };
  return async (channel: ChannelRef): Promise<ChannelDestination | null> => {
    const found = (await findLink(channel)) ?? unlinked;
    return found && { ...found, isDefault: isDefaultFolder(found, fallback) };
  };
}

/**
 * Whether a folder is the default one, which also gets the files of private channels. Only its own
 * number counts: some accounts ignore the project's, so that one folder has many addresses.
 */
export function isDefaultFolder({ folderId }: Destination, fallback: Destination | null): boolean {
  return folderId === fallback?.folderId;
}

/** Returns a folder as `/files link` takes it: `<project>/<folder>`. */
export function folderNumber({ projectId, folderId }: Destination): string {
  return `${projectId}/${folderId}`;
}

/** Returns the folder that `folderNumber` wrote. */
export function toDestination(number: string): Destination {
  const [projectId = 0, folderId = 0] = number.split('/').map(Number);
  return { projectId, folderId };
}

/** Returns the folder if all of these are the same one; null otherwise, and for none. */
export function oneFolder(folders: readonly Destination[]): Destination | null {
  const [first, ...others] = folders;
  return first && others.every((one) => sameDestination(one, first)) ? first : null;
}

/** Returns a channel's link, if it has one and it leads to this folder; null otherwise. */
export function linkIfTo<Link extends Destination>(
  folder: Destination,
  link: Link | null,
): Link | null {
  return link !== null && sameDestination(link, folder) ? link : null;
}

export function sameDestination(a: Destination, b: Destination): boolean {
  return a.projectId === b.projectId && a.folderId === b.folderId;
}

/** Returns the first copy of each Slack file, from copies that may be in several folders. */
export function eachFileOnce<T extends { slackFileId: string }>(copies: readonly T[]): T[] {
  const byFile = Map.groupBy(copies, ({ slackFileId }) => slackFileId);
  return [...byFile.values()].flatMap(([first]) => first ?? []);
}

/**
 * Returns the fairness key of transfers. Queues take turns, so that a channel that shares much does
 * not hold up one that shares little. A channel's past files have a queue of their own, so that
 * they hold up no new ones. So have the files that people save from it by hand, which go to their
 * chosen folders whatever happens to the channel's.
 */
export function queueOf(channel: ChannelRef, part: QueuePart = 'fresh'): string {
  const key = `${channel.team}/${channel.channel}`;
  return part === 'fresh' ? key : `${key}/${part}`;
}

type QueuePart = 'fresh' | 'past' | 'saved';

/** Returns which of its channel's queues the files of a share join. */
export function queuePartOf(origin: ShareOrigin): QueuePart {
  if (origin === 'backfill') return 'past';
  return origin === 'saved' ? 'saved' : 'fresh';
}

export function queuesOf(channel: ChannelRef): string[] {
  return [queueOf(channel), queueOf(channel, 'past'), queueOf(channel, 'saved')];
}

/** Whether this is a queue of files that people save by hand. */
export function isOfSaved(queue: string): boolean {
  return queue.split('/')[2] === 'saved';
}

export function channelOf(queue: string): ChannelRef {
  const [team = '', channel = ''] = queue.split('/');
  return { team, channel };
}

/** How far an upload is. Times are epoch milliseconds. */
export interface SendingProgress {
  begunAt: number;
  /** When the last byte moved. */
  movedAt: number;
  totalBytes: number;
  sentBytes: number;
}

/** What was shared in a channel before it was linked. */
export interface EarlierFiles {
  count: number;
  /** Whether there may be more: further back than was read, or in threads. */
  more: boolean;
}

/**
 * Slack delivers an event that was not acknowledged again at once, and after this time
 * (https://docs.slack.dev/apis/events-api#retries): a shorter absence loses none.
 */
export const REDELIVERED_MS = 60_000;

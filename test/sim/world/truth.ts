import type { StoredFile } from '../../../src/playground/file-service/account.ts';
import type { AccountStore } from '../../../src/playground/file-service/account-store.ts';
import type { Effect } from '../../../src/playground/file-service/apply-effect.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { FIRST_NAMES, OUR_PERSON } from '../service/account-seed.ts';
import type { Asking } from '../slack/response-urls.ts';
import {
  type Ephemeral,
  isMember,
  type SlackFile,
  type SlackMessage,
  type SlackState,
} from '../slack/slack-state.ts';
import { createLinkTruth, type LinkTruth } from './link-truth.ts';
import { createSaveTruth, type SaveTruth } from './save-truth.ts';
import { createSkips, type Skips } from './skips.ts';

/** What is said of a message that no share is known of. */
const NOT_SEEN = /^I haven’t filed anything from this message/;

/** A property that did not hold. */
export interface Violation {
  property: string;
  what: string;
}

/** A file that an edit put into a message. */
export interface AddedFile {
  file: SlackFile;
  /** When, in milliseconds since the epoch. */
  at: number;
  /** When the app took the event of that edit; null: not yet. */
  takenAt: number | null;
  /** When it was first named or filed; null: not yet. */
  seenAt: number | null;
  /** Why it need not be filed or told of; null: it must, once its event is taken. */
  excused: string | null;
}

/** A message with files, as people know it. */
export interface KnownShare {
  channel: string;
  message: SlackMessage;
  user: string;
  /** Which of its files came later. */
  added: AddedFile[];
  /** Why it need not be filed or told of; null: it must. */
  excused: string | null;
  /** When the app took an event of it; null: not yet. */
  takenAt: number | null;
  /** When it got its first reaction; null: not yet. */
  markedAt: number | null;
  /** Whether its people read that a copy may stay in a folder that nobody can look into. */
  mayStay: boolean;
  /** Whether somebody deleted the message. */
  deleted: boolean;
  /** Whether the app took an event of that. */
  deletionTaken: boolean;
}

/** The longest that a line is on its way after the app read what it says, in milliseconds. */
const LINE_MS = 15_000;

/**
 * The files of a share that the app surely knew when it wrote what it says now. Left out: files deleted
 * in Slack, perhaps before the app read the message; files that an edit added; and, where the app may
 * have known of that edit alone, all others.
 */
export function surelyKnown({ message, added, takenAt }: KnownShare): SlackFile[] {
  if (added.length > 0 && (takenAt === null || takenAt > virtualNow() - LINE_MS)) return [];
  return message.files.filter((one) => !one.deleted && added.every(({ file }) => file !== one));
}

/** A press of Delete, and whether that person may. */
export interface DeletePress {
  value: string;
  user: string;
  allowed: boolean;
}

/** Whether filed copies of what was deleted in Slack are to go as well: who is asked, or says so. */
export interface CopiesPress {
  channel: string;
  user: string;
}

/** A press of a button, whichever it is. */
export interface Press {
  actionId: string;
  value: string;
  user: string;
  channel: string;
}

/** What must be so, from what people did and what the service did; breaches are noted at once. */
export interface Truth {
  shares: KnownShare[];
  presses: DeletePress[];
  links: LinkTruth;
  saves: SaveTruth;
  skips: Skips;
  /** Somebody presses a button. */
  pressed(press: Press, asking: Asking): void;
  /** Looks at what somebody is told who asks where a share's files are. */
  saysWhere(share: KnownShare): (shown: Ephemeral) => void;
  /** Those who said so. */
  copiesPresses: CopiesPress[];
  /** Those who were asked. */
  questioned: CopiesPress[];
  violations: Violation[];
  fail(property: string, what: string): void;
  /** A request of the app's reaches the service. */
  arrived(): void;
  /** Those that have arrived count no more: what kept a process from adding to them is over early. */
  forgetArrivals(): void;
  /** The account changed; `byApp`: by a request of the app's. */
  changed(effect: Effect, byApp: boolean): void;
  /** Something that may end the pause of a link: somebody links a channel, or the app learns of a filed file. */
  mends(): void;
  /** When that last happened, or the service last created a file for the app. */
  mendedAt(): number;
  /** How often our key created a file with these bytes. */
  createdOf(file: SlackFile): number;
  /** How often it did so in a folder. */
  createdIn(folder: number, file: SlackFile): number;
  /** The folders that words may name: by their name, or by their number where the app doesn’t know that. */
  foldersNamed(text: string): number[];
  /** How often it did so in any folder that what is shared in a channel may go to by itself. */
  filedFor(share: KnownShare, file: SlackFile): number;
  /** How often one with these bytes was deleted by a request of the app's. */
  deletedOf(file: SlackFile): number;
  /** How many with these bytes are there. */
  presentOf(file: SlackFile): number;
  sharesOf(file: SlackFile): number;
  /** A channel is told that others added these records. */
  announced(channel: string, records: readonly number[]): void;
  /** How many records channels were told of so. */
  announcements(): number;
  /** Where a record is that the app made, and the channels that shared what looks like it; null: not the app's. */
  recordOf(fileId: number): { folder: number; sharedIn: string[] } | null;
  /** Whether no request of the app's has come for longer than a window. */
  isQuiet(): boolean;
  /** The most requests that reached the service in any window. */
  mostInWindow(): number;
}

const LIMIT = 25;
const WINDOW_MS = 10_000;

export interface TruthOptions {
  store(): AccountStore;
  state(): SlackState;
  /** Whether filed copies go with what is deleted in Slack. */
  follows: boolean;
  /** Whether files keep the names that they are created with. */
  keepsNames: boolean;
  hasDefault: boolean;
  mayMakeTwice: boolean;
}

export function createTruth(options: TruthOptions): Truth {
  const { store, state, follows, keepsNames } = options;
  const shares: KnownShare[] = [];
  const violations: Violation[] = [];
  const presses: DeletePress[] = [];
  const copiesPresses: CopiesPress[] = [];
  const created = new Map<string, number>();
  const createdBy = new Map<string, Map<number, number>>();
  const deleted = new Map<string, number>();
  const everOurs = new Map<number, { sha256: string; folder: number }>();
  const byOthers = new Set<number>();
  const told = new Set<string>();
  const arrivals: number[] = [];
  let most = 0;
  let mendedAt = Number.NEGATIVE_INFINITY;

  const fail = (property: string, what: string) => void violations.push({ property, what });
  const mends = () => {
    mendedAt = virtualNow();
  };
  const named = (text: string) => foldersNamed(text);
  const links = createLinkTruth({ ...options, foldersNamed: named, fail, mends });
  const skips = createSkips();
  const createdIn = (folder: number, { sha256 }: SlackFile) =>
    createdBy.get(sha256)?.get(folder) ?? 0;
  const folderNames = new Map(FIRST_NAMES);
  const foldersNamed = (text: string) =>
    [...folderNames].flatMap(([folder, name]) => {
      const words = [name, name.replaceAll('&', '&amp;'), String(folder)];
      return words.some((one) => text.includes(one)) ? folder : [];
    });
  const saves = createSaveTruth({ state, shares, createdIn, foldersNamed, fail });
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  const records = (sha256: string) =>
    store()
      .files()
      .filter((file) => file.creatorId === OUR_PERSON && file.sha256 === sha256);
  const present = (sha256: string) => records(sha256).length;
  const sharesWith = (isLike: (file: SlackFile) => boolean) =>
    shares.filter(({ message }) => message.files.some(isLike));
  const sharesOf = (sha256: string | undefined) => sharesWith((file) => file.sha256 === sha256);

  // What is shared goes to a folder by itself, and to each folder that it is saved to by hand.
  function noteCreated({ sha256, name, folderId }: StoredFile): void {
    count(created, sha256);
    const inFolders = createdBy.get(sha256) ?? new Map<number, number>();
    createdBy.set(sha256, inFolders.set(folderId, (inFolders.get(folderId) ?? 0) + 1));
    const wanted = sharesOf(sha256);
    const here = wanted.filter(
      (share) => goesBySelf(share, { sha256, folder: folderId }) || saves.mayHold(folderId, share),
    );
    for (const one of wanted.flatMap(({ added }) => added))
      if (one.file.sha256 === sha256) one.seenAt ??= virtualNow();
    if (wanted.length === 0) fail('bytes right', `"${name}" holds bytes that nobody shared`);
    else if (here.length === 0)
      fail('files go where their channel is linked', `"${name}" is filed in ${folderId}`);
    const saved = wanted.reduce((sum, share) => sum + saves.foldersOf(share), 0);
    const stays = wanted.filter(({ mayStay }) => mayStay).length;
    const most = wanted.length + saved + stays - (deleted.get(sha256) ?? 0);
    const there = records(sha256);
    if (there.length > most)
      fail(
        'none filed twice',
        `"${name}" is there ${there.length} times, and should be ${most} times`,
      );
    const inHere = there.filter((file) => file.folderId === folderId).length;
    if (inHere > here.length)
      fail(
        'none filed twice',
        `"${name}" is in ${folderId} ${inHere} times, and should be ${here.length} times`,
      );
  }

  function goesBySelf(
    { channel, message, added }: KnownShare,
    { sha256, folder }: { sha256: string | undefined; folder: number },
  ): boolean {
    const later = added.filter(({ file }) => file.sha256 === sha256);
    return [Number(message.ts) * 1000, ...later.map(({ at }) => at)].some((at) => {
      const only = links.linkedTo(channel, at);
      return only === null ? links.mayHold(folder, [channel]) : folder === only;
    });
  }

  function noteDeleted(fileId: number): void {
    const sha256 = everOurs.get(fileId)?.sha256;
    count(deleted, sha256 ?? '');
    const asked = presses.some(({ value, allowed }) => allowed && value.includes(String(fileId)));
    const folder = everOurs.get(fileId)?.folder ?? 0;
    const goes = shares.some((share) => goesAlong(share, { sha256, folder }));
    if (!asked && !goes)
      fail('deletes are asked for', `nobody who may asked for the delete of ${fileId}`);
  }

  // Its file or message was deleted in Slack, and its sharer said so, or need not be asked.
  // What was saved by hand stays until somebody says so.
  function goesAlong(
    share: KnownShare,
    { sha256, folder }: { sha256: string | undefined; folder: number },
  ): boolean {
    const { channel, user, message, deleted } = share;
    const file = message.files.find((one) => one.sha256 === sha256);
    if (!file || !(deleted || file.deleted)) return false;
    const pressed = copiesPresses.some((press) => press.channel === channel && press.user === user);
    return (
      pressed ||
      (follows && goesBySelf(share, { sha256, folder }) && (deleted || file.user === user))
    );
  }

  function noteDeletePress({ value, user }: Press): void {
    const known = state().users.get(user);
    const sha256 = everOurs.get(Number(/"id":(\d+)/.exec(value)?.[1]))?.sha256;
    const isMine = sharesOf(sha256).some((one) => one.user === user);
    const allowed = isMember(known) && (known?.admin === true || isMine);
    presses.push({ value, user, allowed });
  }

  return {
    shares,
    links,
    saves,
    skips,
    pressed: (press, asking) => {
      const { actionId, value, user, channel } = press;
      if (actionId === 'delete_file') noteDeletePress(press);
      // Who was asked in their direct messages presses there about the channel.
      const [, about = channel] = /"c":"(\w+)"/.exec(value) ?? [];
      if (actionId === 'delete_copies') copiesPresses.push({ channel: about, user });
      const [, folder] = /"f":(\d+)/.exec(value) ?? [];
      if (actionId === 'link_folder') links.wish({ channel, user, folder: Number(folder) });
      if (state().users.get(user)?.admin) skips.pressed(actionId, asking);
    },
    saysWhere: (share) => {
      const { channel, message, takenAt } = share;
      const wasTaken = takenAt !== null;
      return ({ text }) => {
        const place = `${channel} ${message.ts}`;
        if (wasTaken && NOT_SEEN.test(text)) fail('where it is is told', `${place}: "${text}"`);
        const missing = surelyKnown(share).filter(({ sha256 }) => !created.has(sha256));
        if (/^Filed\b/.test(text) && missing.length > 0)
          fail('told when it is so', `${place}: "${text}" where ${missing[0]?.name} is not filed`);
      };
    },
    questioned: [],
    copiesPresses,
    presses,
    violations,
    fail,
    arrived: () => {
      const now = virtualNow();
      while ((arrivals[0] ?? now) <= now - WINDOW_MS) arrivals.shift();
      arrivals.push(now);
      most = Math.max(most, arrivals.length);
      if (arrivals.length === LIMIT + 1)
        fail('rate limit', `${arrivals.length} requests within ${WINDOW_MS / 1000} s`);
    },
    forgetArrivals: () => void arrivals.splice(0),
    changed: (effect, byApp) => {
      if (effect.type === 'files-created')
        for (const file of effect.files) {
          if (!byApp) byOthers.add(file.id);
          if (file.creatorId !== OUR_PERSON || !byApp) continue;
          mends();
          everOurs.set(file.id, { sha256: file.sha256, folder: file.folderId });
          noteCreated(file);
        }
      if (effect.type === 'file-deleted' && byApp) noteDeleted(effect.fileId);
      if (effect.type === 'folder-created') folderNames.set(effect.folder.id, effect.folder.name);
      if (effect.type === 'folder-created' && byApp) links.folderMade(effect.folder);
    },
    mends,
    mendedAt: () => mendedAt,
    createdOf: ({ sha256 }) => created.get(sha256) ?? 0,
    createdIn,
    foldersNamed,
    filedFor: (share, { sha256 }) =>
      [...(createdBy.get(sha256) ?? [])].reduce(
        (sum, [folder, times]) => sum + (goesBySelf(share, { sha256, folder }) ? times : 0),
        0,
      ),
    deletedOf: ({ sha256 }) => deleted.get(sha256) ?? 0,
    presentOf: ({ sha256 }) => present(sha256),
    sharesOf: ({ sha256 }) => sharesOf(sha256).length,
    announced: (channel, records) => {
      for (const id of records) {
        if (!byOthers.has(id))
          fail(
            'announced are files that others added',
            `${channel}: ${id} is ${everOurs.has(id) ? 'ours' : 'of long before'}`,
          );
        if (told.has(`${channel} ${id}`)) fail('announced once', `${channel}: ${id}`);
        told.add(`${channel} ${id}`);
      }
    },
    announcements: () => told.size,
    recordOf: (fileId) => {
      const record = everOurs.get(fileId);
      const files = [...state().files.values()];
      const own = files.find(({ sha256 }) => sha256 === record?.sha256);
      if (!record || !own) return null;
      // Of those that look alike nobody can tell which is whose.
      const isLike = ({ name, bytes }: SlackFile) =>
        bytes.length === own.bytes.length && (!keepsNames || name === own.name);
      const sharedIn = sharesWith(isLike).map(({ channel }) => channel);
      return { folder: record.folder, sharedIn };
    },
    isQuiet: () => virtualNow() - (arrivals.at(-1) ?? 0) > WINDOW_MS + 1_000,
    mostInWindow: () => most,
  };
}

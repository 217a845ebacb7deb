import type { StoredFile } from '../../../src/playground/file-service/account.ts';
import type { AccountStore } from '../../../src/playground/file-service/account-store.ts';
import type { Effect } from '../../../src/playground/file-service/apply-effect.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { FIRST_NAMES, OUR_PERSON } from '../service/account.ts';
import type { Asking } from '../slack/state.ts';
import {
  type Ephemeral,
  isMember,
  type SlackFile,
  type SlackMessage,
  type SlackState,
} from '../slack/state.ts';
import { lostIn } from './lines.ts';
import { createLinkTruth, type LinkTruth } from './links.ts';
import { createSaveTruth, type SaveTruth } from './saves.ts';
import { createSkips, type Skips } from './skips.ts';

/** The app's words for a message of which it knows no share. */
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
  /** When the app took the edit's event; null: not yet. */
  takenAt: number | null;
  /** When a message first named the file, or it was first filed; null: not yet. */
  seenAt: number | null;
  /** Why it need not be filed or reported; null: it must be, once its event is taken. */
  excused: string | null;
}

/** A message with files, as people know it. */
export interface KnownShare {
  channel: string;
  message: SlackMessage;
  user: string;
  /** The files that edits added. */
  added: AddedFile[];
  /** Why it need not be filed or reported; null: it must be. */
  excused: string | null;
  /** When the app took an event of it; null: not yet. */
  takenAt: number | null;
  /** When it got its first reaction; null: not yet. */
  markedAt: number | null;
  /** Whether people read that a copy may stay in a folder that the app cannot look into. */
  mayStay: boolean;
  /** Whether somebody deleted the message. */
  deleted: boolean;
  /** Whether the app took the event of the deletion. */
  deletionTaken: boolean;
}

/**
 * The longest delay between the app's reading of the state and its line in Slack, in milliseconds.
 */
const LINE_MS = 15_000;

/**
 * Returns the files of a share that the app surely knew when it wrote its current words. Excluded:
 * files deleted in Slack, which may have gone before the app read the message; files that an edit
 * added; and all others if the app may know the message by that edit only.
 */
export function surelyKnown({ message, added, takenAt }: KnownShare): SlackFile[] {
  if (added.length > 0 && (takenAt === null || takenAt > virtualNow() - LINE_MS)) return [];
  return message.files.filter((one) => !one.deleted && added.every(({ file }) => file !== one));
}

/** A press of Delete, and whether that person has the right to it. */
interface DeletePress {
  value: string;
  user: string;
  allowed: boolean;
}

/** A person who was asked whether filed copies are to be deleted too, or who says so. */
interface CopiesPress {
  channel: string;
  user: string;
}

/** A press of any button. */
interface Press {
  actionId: string;
  value: string;
  user: string;
  channel: string;
}

/**
 * Checks what the app does against what people and the service did; violations are noted at once.
 */
export interface Truth {
  shares: KnownShare[];
  presses: DeletePress[];
  links: LinkTruth;
  saves: SaveTruth;
  skips: Skips;
  /** Notes the press of a button. */
  pressed(press: Press, asking: Asking): void;
  /** Returns a check of the response to a person who asks where a share's files are. */
  saysWhere(share: KnownShare): (shown: Ephemeral) => void;
  /** The people who agreed to delete filed copies. */
  copiesPresses: CopiesPress[];
  /** The people who were asked. */
  questioned: CopiesPress[];
  violations: Violation[];
  fail(property: string, what: string): void;
  /** Notes that a request of the app reaches the service. */
  arrived(): void;
  /**
   * Forgets the arrivals so far: the wait that keeps a new process from adding to them ends early.
   */
  forgetArrivals(): void;
  /** Notes a change of the account; `byApp`: by a request of the app. */
  changed(effect: Effect, byApp: boolean): void;
  /**
   * Notes what may end the pause of a link: somebody links a channel, or the app learns of a filed
   * file.
   */
  mends(): void;
  /** Returns when that last happened, or the service last created a file for the app. */
  mendedAt(): number;
  /** Returns how often our key created a file with these bytes. */
  createdOf(file: SlackFile): number;
  /** Returns how often it did so in a folder. */
  createdIn(folder: number, file: SlackFile): number;
  /**
   * Returns the folders that a text may name, by name, or by number where the app does not know the
   * name.
   */
  foldersNamed(text: string): number[];
  /** Returns how often it did so in any folder that the share may go to by itself. */
  filedFor(share: KnownShare, file: SlackFile): number;
  /** Returns how often a request of the app deleted a file with these bytes. */
  deletedOf(file: SlackFile): number;
  /** Returns how many files with these bytes exist. */
  presentOf(file: SlackFile): number;
  sharesOf(file: SlackFile): number;
  /** Notes that a channel is told that others added these records. */
  announced(channel: string, records: readonly number[]): void;
  /** Returns how many records channels were told of in this way. */
  announcements(): number;
  /**
   * Returns the folder of a record that the app created, and the channels that shared files that
   * look like it; null: the app did not create it.
   */
  recordOf(fileId: number): { folder: number; sharedIn: string[] } | null;
  /** Returns whether no request of the app has arrived for longer than a window. */
  isQuiet(): boolean;
  /** Returns the most requests that reached the service in any window. */
  mostInWindow(): number;
}

const LIMIT = 25;
const WINDOW_MS = 10_000;

interface TruthOptions {
  store(): AccountStore;
  state(): SlackState;
  /** Whether filed copies are deleted with what is deleted in Slack. */
  follows: boolean;
  /** Whether files keep the names that they are created with. */
  keepsNames: boolean;
  hasDefault: boolean;
  mayMakeTwice: boolean;
  /** Whether the service has refused creates that it did, and their check, too. */
  refusedWrongly(): boolean;
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

  // A shared file goes to one folder by itself, and to each folder that it is saved to by hand.
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
    // The app believes such a refusal, and a file that is refused follows its channel's link.
    const believed = options.refusedWrongly() ? wanted.length : 0;
    const most = wanted.length + saved + Math.max(stays, believed) - (deleted.get(sha256) ?? 0);
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

  // A copy may go if its file or message was deleted in Slack and its sharer agreed or need not be
  // asked. A copy that was saved by hand stays until somebody agrees.
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
    const record = everOurs.get(Number(/"id":(\d+)/.exec(value)?.[1]));
    const isMine =
      record !== undefined &&
      sharesOf(record.sha256).some(
        (one) =>
          saves.isSavedBy(user, record.folder, one) ||
          (one.user === user && goesBySelf(one, record)),
      );
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
      // A press in direct messages carries the channel that it is about.
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
        if (!/^Filed\b/.test(text)) return;
        // With a message all of its files are gone.
        for (const { name } of missing.slice(share.deleted ? lostIn(text) : 0))
          fail('told when it is so', `${place}: "${text}" where ${name} is not filed`);
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
      // Files that look alike cannot be told apart.
      const isLike = ({ name, bytes }: SlackFile) =>
        bytes.length === own.bytes.length && (!keepsNames || name === own.name);
      const sharedIn = sharesWith(isLike).map(({ channel }) => channel);
      return { folder: record.folder, sharedIn };
    },
    isQuiet: () => virtualNow() - (arrivals.at(-1) ?? 0) > WINDOW_MS + 1_000,
    mostInWindow: () => most,
  };
}

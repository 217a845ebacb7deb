import type { Effect, StoredFile } from '../../../src/playground/file-service/account.ts';
import type { AccountStore } from '../../../src/playground/file-service/account-store.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { APP_USER, FOLDER_NAMES, FOLDERS } from '../service/service-model.ts';
import {
  type Ephemeral,
  isMember,
  type SlackFile,
  type SlackMessage,
  type SlackState,
  type UserRequest,
} from '../slack/state.ts';
import { NOT_SEEN } from './app-words.ts';
import { createLinkOracle } from './links.ts';
import { createPutBackOracle } from './put-backs.ts';
import { createFormResponses, createPresses, type Press } from './requests.ts';
import { createSaveOracle } from './saves.ts';
import { createSharedFileOracle } from './shared-files.ts';
import {
  countDeletedInSlack,
  type ExpectedShare,
  isNamed,
  nameOf,
  postedAt,
  sum,
  surelyKnown,
  textOf,
} from './shares.ts';

/** A property that did not hold. */
export interface Violation {
  property: string;
  what: string;
}

const LIMIT = 25;
const WINDOW_MS = 10_000;

interface OracleOptions {
  store(): AccountStore;
  state(): SlackState;
  /** Whether filed copies are deleted with what is deleted in Slack. */
  follows: boolean;
  /** Whether files keep the names that they are created with. */
  keepsNames: boolean;
  hasDefaultFolder: boolean;
  mayMakeTwice: boolean;
  /** Whether the account lists this deleted folder, with all files of the account. */
  listsAll(folder: number): boolean;
  /** Whether an instance may take a moment ago for long ago. */
  clocksDiffer: boolean;
  /** Whether the service has refused creates that it did, and their check, too. */
  refusedWrongly(): boolean;
}

/** A file by its content, in a folder. */
type Filed = { sha256: string; folder: number };

/** Keeps what is expected of the app, and checks at once what it does; notes violations. */
export type Oracle = ReturnType<typeof createOracle>;

export function createOracle(options: OracleOptions) {
  const { store, state, follows, keepsNames } = options;
  const shares: ExpectedShare[] = [];
  const violations: Violation[] = [];
  const presses = createPresses();
  /** How often our key created files with these bytes, by folder. */
  const created = new Map<string, Map<number, number>>();
  const deleted = new Map<string, number>();
  /** When the app last deleted such a file. */
  const deletedAt = new Map<string, number>();
  const createdByApp = new Map<number, Filed>();
  const createdByOthers = new Set<number>();
  const announced = new Set<string>();
  const folderNames = new Map(FOLDER_NAMES);
  const arrivals: number[] = [];
  let pauseMayHaveEndedAt = Number.NEGATIVE_INFINITY;

  const fail = (property: string, what: string) => void violations.push({ property, what });
  const pauseMayEnd = () => {
    pauseMayHaveEndedAt = virtualNow();
  };
  const foldersNamed = (text: string) =>
    [...folderNames].flatMap(([folder, name]) => {
      const words = [name, name.replaceAll('&', '&amp;'), String(folder)];
      return words.some((one) => text.includes(one)) ? folder : [];
    });
  const createdIn = (folder: number, { sha256 }: SlackFile) =>
    created.get(sha256)?.get(folder) ?? 0;
  const links = createLinkOracle({ ...options, foldersNamed, fail, pauseMayEnd });
  const saves = createSaveOracle({ state, shares, createdIn, foldersNamed, fail });

  const putBacks = createPutBackOracle({
    ...{ state, shares, keepsNames, isSavedBy: saves.isSavedByHand },
    wasDeleted: ({ sha256 }) => deleted.has(sha256),
  });
  const sharedFiles = createSharedFileOracle({ ...options, mayShow, fail });

  const recordsOf = (sha256: string) =>
    store()
      .files()
      .filter((file) => file.creatorId === APP_USER && file.sha256 === sha256);
  const sharesWith = (isLike: (file: SlackFile) => boolean) =>
    shares.filter(({ message }) => message.files.some(isLike));
  const sharesOf = (sha256: string | undefined) => sharesWith((file) => file.sha256 === sha256);

  // A shared file goes to one folder by itself, and to each folder that it is saved to by hand.
  function noteCreated({ sha256, name, folderId }: StoredFile): void {
    const folders = created.get(sha256) ?? new Map<number, number>();
    created.set(sha256, folders.set(folderId, (folders.get(folderId) ?? 0) + 1));
    const wanted = sharesOf(sha256);
    const here = wanted.filter(
      (share) =>
        belongsIn(share, { sha256, folder: folderId }) || saves.mayContain(folderId, share),
    );
    for (const one of wanted.flatMap(({ added }) => added))
      if (one.file.sha256 === sha256) one.seenAt ??= virtualNow();
    if (wanted.length === 0) fail('bytes right', `"${name}" holds bytes that nobody shared`);
    else if (here.length === 0)
      fail('files go where their channel is linked', `"${name}" is filed in ${folderId}`);
    const saved = sum(wanted, saves.countFolders);
    const stays = wanted.filter(({ copyMayStay }) => copyMayStay).length;
    // The app believes such a refusal, and a file that is refused follows its channel's link.
    const believed = options.refusedWrongly() ? wanted.length : 0;
    const gone = deleted.get(sha256) ?? 0;
    const back = Math.min(gone, putBacks.countOf(sha256));
    const most = wanted.length + saved + Math.max(stays, believed) - gone + back;
    const there = recordsOf(sha256);
    const checkCount = (where: string, times: number, limit: number) => {
      const what = `"${name}" is ${where} ${times} times, and should be ${limit} times`;
      if (times > limit) fail('none filed twice', what);
    };
    checkCount('there', there.length, most);
    const inHere = there.filter((file) => file.folderId === folderId);
    checkCount(`in ${folderId}`, inHere.length, here.length);
  }

  // Whether the share's file may be in the folder by itself, through the channel's link.
  function belongsIn(
    { channel, message, added }: ExpectedShare,
    { sha256, folder }: Filed,
  ): boolean {
    const later = added.filter(({ file }) => file.sha256 === sha256);
    return [postedAt({ message }), ...later.map(({ at }) => at)].some((at) => {
      const only = links.linkedTo(channel, at);
      return only === null ? links.mayContain(folder, [channel]) : folder === only;
    });
  }

  function noteDeleted(fileId: number): void {
    const filed = createdByApp.get(fileId);
    if (filed) deleted.set(filed.sha256, (deleted.get(filed.sha256) ?? 0) + 1);
    if (filed) deletedAt.set(filed.sha256, virtualNow());
    const id = String(fileId);
    const isAsked = presses.deletes.some(({ value, allowed }) => allowed && value.includes(id));
    if (!isAsked && !(filed && shares.some((share) => mayGoWith(share, filed))))
      fail('deletes are asked for', `nobody who may asked for the delete of ${fileId}`);
  }

  // A copy may go if its file or message was deleted in Slack and its sharer agreed, or if its file was
  // and they need not be asked. A copy that was saved by hand stays until somebody agrees.
  function mayGoWith(share: ExpectedShare, filed: Filed): boolean {
    const { channel, user, message, deleted } = share;
    const file = message.files.find((one) => one.sha256 === filed.sha256);
    if (!file || !(deleted || file.deleted)) return false;
    const agreed = presses.copyDeletes.some(
      (one) => one.channel === channel && one.user === user && wasAskedAbout(file, one.value),
    );
    const mayFollow = follows && file.deleted && (deleted || file.user === user);
    return agreed || (mayFollow && belongsIn(share, filed));
  }

  // Whether the question with buttons of this value named the file; it names no more than a few.
  function wasAskedAbout(file: SlackFile, value: string): boolean {
    const isAbout = (text: string) => isNamed(text, file) || / and \d+ more /.test(text);
    return presses.questions.some((one) => one.value === value && isAbout(one.text));
  }

  function noteDeletePress({ value, user }: Press): void {
    const known = state().users.get(user);
    const filed = createdByApp.get(Number(/"id":(\d+)/.exec(value)?.[1]));
    const isOwn =
      filed !== undefined &&
      sharesOf(filed.sha256).some(
        (one) =>
          saves.isSavedBy(user, filed.folder, one) || (one.user === user && belongsIn(one, filed)),
      );
    const allowed = isMember(known) && (known?.admin === true || isOwn);
    presses.deletes.push({ value, user, allowed });
  }

  /**
   * Returns the folder of a record that the app created, and the channels that shared files that look
   * like it; null: the app did not create it.
   */
  function recordOf(fileId: number): { folder: number; sharedIn: string[] } | null {
    const record = createdByApp.get(fileId);
    const files = [...state().files.values()];
    const own = files.find(({ sha256 }) => sha256 === record?.sha256);
    if (!record || !own) return null;
    // Files that look alike cannot be told apart.
    const isLike = ({ name, bytes }: SlackFile) =>
      bytes.length === own.bytes.length && (!keepsNames || name === own.name);
    const sharedIn = sharesWith(isLike).map(({ channel }) => channel);
    return { folder: record.folder, sharedIn };
  }

  // Whether everybody in a channel may see a file: it was shared there, or is in the channel's own
  // folder.
  function mayShow(channel: string, fileId: number): boolean {
    const record = recordOf(fileId);
    const folder = record?.folder ?? store().file(fileId)?.folderId;
    if (folder === undefined || record?.sharedIn.includes(channel)) return true;
    if (FOLDERS.some((one) => options.listsAll(one) && links.mayBeLinked(channel, one)))
      return true;
    const isDefault = options.hasDefaultFolder && folder === FOLDERS[0];
    return !isDefault && links.mayBeLinked(channel, folder);
  }

  return {
    shares,
    links,
    saves,
    sharedFiles,
    putBacks,
    /** Searches in a modal, each of which must be answered there. */
    searches: createFormResponses(),
    presses,
    violations,
    fail,
    addShare: (channel: string, message: SlackMessage, excused: string | null): ExpectedShare => {
      const unseen = { acknowledgedAt: null, reactedAt: null, copyMayStay: false };
      const there = { added: [], deleted: false, deletionAcknowledged: false };
      const share = { channel, message, user: message.user, excused, ...unseen, ...there };
      shares.push(share);
      return share;
    },
    pressed: (press: Press, request: UserRequest): void => {
      const { actionId, value, user, channel } = press;
      sharedFiles.pressed(press, request);
      putBacks.pressed(press, request);
      if (actionId === 'delete_file') noteDeletePress(press);
      // A press in direct messages carries the channel that it is about.
      const [, about = channel] = /"c":"(\w+)"/.exec(value) ?? [];
      if (actionId === 'delete_copies') presses.copyDeletes.push({ channel: about, user, value });
      const [, folder] = /"f":(\d+)/.exec(value) ?? [];
      if (actionId === 'link_folder' || actionId === 'link_again')
        links.linkRequested({ channel, user, folder: Number(folder) });
      if (value.includes('"lines":false')) links.quietAgain(channel);
      if (actionId === 'unlink') links.unlinkRequested(channel);
      const isOwn = shares.some((one) => one.channel === about && one.user === user);
      if (state().users.get(user)?.admin || (actionId === 'attention_skip' && isOwn))
        presses.noteSkip(actionId, request);
    },
    /** Returns a check of the response to a person who asks where a share's files are. */
    checkWhereFiled: (share: ExpectedShare): ((shown: Ephemeral) => void) => {
      const wasAcknowledged = share.acknowledgedAt !== null;
      return (shown) => {
        const text = textOf(shown);
        if (wasAcknowledged && NOT_SEEN.test(text))
          fail('acknowledged shares are known', `${nameOf(share)}: "${text}"`);
        const missing = surelyKnown(share).filter(({ sha256 }) => !created.has(sha256));
        if (!/^Filed\b/.test(text)) return;
        // With a message all of its files are gone.
        for (const { name } of missing.slice(share.deleted ? countDeletedInSlack(text) : 0))
          fail(
            'nothing is reported before it is done',
            `${nameOf(share)}: "${text}" where ${name} is not filed`,
          );
      };
    },
    /** Notes that a request of the app reaches the service. */
    arrived: (): void => {
      const now = virtualNow();
      while ((arrivals[0] ?? now) <= now - WINDOW_MS) arrivals.shift();
      arrivals.push(now);
      if (arrivals.length === LIMIT + 1)
        fail('rate limit', `${arrivals.length} requests within ${WINDOW_MS / 1000} s`);
    },
    /** Forgets the arrivals so far: the wait that keeps a new process from adding to them ends early. */
    forgetArrivals: () => void arrivals.splice(0),
    /** Returns whether no request of the app has arrived for longer than a window. */
    isQuiet: (): boolean => virtualNow() - (arrivals.at(-1) ?? 0) > WINDOW_MS + 1_000,
    /** Notes a change of the account; `byApp`: by a request of the app. */
    changed: (effect: Effect, byApp: boolean): void => {
      if (effect.type === 'files-created')
        for (const file of effect.files) {
          if (!byApp) createdByOthers.add(file.id);
          if (file.creatorId !== APP_USER || !byApp) continue;
          pauseMayEnd();
          createdByApp.set(file.id, { sha256: file.sha256, folder: file.folderId });
          noteCreated(file);
        }
      if (effect.type === 'file-deleted' && byApp) noteDeleted(effect.fileId);
      if (effect.type === 'folder-created') folderNames.set(effect.folder.id, effect.folder.name);
      if (effect.type === 'folder-created' && byApp) links.folderCreated(effect.folder);
    },
    /**
     * Notes what may end the pause of a link: somebody links a channel, or the app learns of a filed
     * file.
     */
    pauseMayEnd,
    /** Returns when that last happened, or the service last created a file for the app. */
    pauseMayHaveEndedAt: () => pauseMayHaveEndedAt,
    /** Returns how often our key created a file with these bytes. */
    createdOf: ({ sha256 }: SlackFile): number =>
      sum(created.get(sha256) ?? [], ([, times]) => times),
    /** Returns how often it did so in a folder. */
    createdIn,
    /** Returns how often it did so in any folder that the share may go to by itself. */
    filedFor: (share: ExpectedShare, { sha256 }: SlackFile): number =>
      sum(created.get(sha256) ?? [], ([folder, times]) =>
        belongsIn(share, { sha256, folder }) ? times : 0,
      ),
    /** Returns how many files with these bytes exist, in a folder or anywhere. */
    presentOf: ({ sha256 }: SlackFile, folder: number | null = null): number =>
      recordsOf(sha256).filter(({ folderId }) => folder === null || folderId === folder).length,
    /** Returns when the app last deleted a file with these bytes; null: never. */
    deletedAt: ({ sha256 }: SlackFile): number | null => deletedAt.get(sha256) ?? null,
    sharesOf: ({ sha256 }: SlackFile): number => sharesOf(sha256).length,
    /** Returns the folders that a text may name, by number where the app does not know the name. */
    foldersNamed,
    /** Notes that a channel is told that others added these records. */
    announced: (channel: string, records: readonly number[]): void => {
      for (const id of records) {
        const whose = createdByApp.has(id) ? 'ours' : 'of long before';
        if (!createdByOthers.has(id))
          fail('announced are files that others added', `${channel}: ${id} is ${whose}`);
        if (announced.has(`${channel} ${id}`)) fail('announced once', `${channel}: ${id}`);
        announced.add(`${channel} ${id}`);
      }
    },
    /** Returns how many records channels were told of in this way. */
    announcements: () => announced.size,
    recordOf,
    mayShow,
  };
}

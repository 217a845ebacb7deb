import type { AccountStore } from '../../../src/playground/file-service/account-store.ts';
import type { Effect } from '../../../src/playground/file-service/apply-effect.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import { OUR_PERSON } from '../service/account-seed.ts';
import type { SlackFile, SlackMessage } from '../slack/slack-state.ts';

/** A property that did not hold. */
export interface Violation {
  property: string;
  what: string;
}

/** A message with files, as people know it. */
export interface KnownShare {
  channel: string;
  message: SlackMessage;
  user: string;
  /** Why it need not be filed or told of; null: it must. */
  excused: string | null;
  /** When the app took an event of it; null: not yet. */
  takenAt: number | null;
  /** When it got its first reaction; null: not yet. */
  markedAt: number | null;
  /** Whether somebody deleted the message. */
  deleted: boolean;
  /** Whether the app took an event of that. */
  deletionTaken: boolean;
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

/** What must be so, from what people did and what the service did; breaches are noted at once. */
export interface Truth {
  shares: KnownShare[];
  presses: DeletePress[];
  /** Those who said so. */
  copiesPresses: CopiesPress[];
  /** Those who were asked. */
  questioned: CopiesPress[];
  violations: Violation[];
  fail(property: string, what: string): void;
  /** A request of the app's reaches the service. */
  arrived(): void;
  /** The account changed; `byApp`: by a request of the app's. */
  changed(effect: Effect, byApp: boolean): void;
  /** How often our key created a file with these bytes. */
  createdOf(file: SlackFile): number;
  /** How often one with these bytes was deleted by a request of the app's. */
  deletedOf(file: SlackFile): number;
  /** How many with these bytes are there. */
  presentOf(file: SlackFile): number;
  sharesOf(file: SlackFile): number;
  /** A channel is told that others added these records. */
  announced(channel: string, records: readonly number[]): void;
  /** How many records channels were told of so. */
  announcements(): number;
  /** Who shared a record's bytes; null: nobody here did. */
  sharersOf(fileId: number): string[];
  /** Whether no request of the app's has come for longer than a window. */
  isQuiet(): boolean;
  /** The most requests that reached the service in any window. */
  mostInWindow(): number;
}

const LIMIT = 25;
const WINDOW_MS = 10_000;

export function createTruth(store: () => AccountStore, follows: boolean): Truth {
  const shares: KnownShare[] = [];
  const violations: Violation[] = [];
  const presses: DeletePress[] = [];
  const copiesPresses: CopiesPress[] = [];
  const created = new Map<string, number>();
  const deleted = new Map<string, number>();
  const everOurs = new Map<number, string>();
  const byOthers = new Set<number>();
  const told = new Set<string>();
  const arrivals: number[] = [];
  let most = 0;

  const fail = (property: string, what: string) => void violations.push({ property, what });
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  const present = (sha256: string) =>
    store()
      .files()
      .filter((file) => file.creatorId === OUR_PERSON && file.sha256 === sha256).length;
  const sharesOf = (sha256: string) =>
    shares.filter(({ message }) => message.files.some((file) => file.sha256 === sha256)).length;

  function noteCreated(sha256: string, name: string): void {
    count(created, sha256);
    const wanted = sharesOf(sha256);
    if (wanted === 0) fail('bytes right', `"${name}" holds bytes that nobody shared`);
    const most = wanted - (deleted.get(sha256) ?? 0);
    const there = present(sha256);
    if (there > most)
      fail('none filed twice', `"${name}" is there ${there} times, and should be ${most} times`);
  }

  function noteDeleted(fileId: number): void {
    count(deleted, everOurs.get(fileId) ?? '');
    const sha256 = everOurs.get(fileId);
    const asked = presses.some(({ value, allowed }) => allowed && value.includes(String(fileId)));
    const goes = shares.some((share) => goesAlong(share, sha256));
    if (!asked && !goes)
      fail('deletes are asked for', `nobody who may asked for the delete of ${fileId}`);
  }

  // Its file or message was deleted in Slack, and its sharer said so, or need not be asked.
  function goesAlong({ channel, user, message, deleted }: KnownShare, sha256?: string): boolean {
    const file = message.files.find((one) => one.sha256 === sha256);
    if (!file || !(deleted || file.deleted)) return false;
    const pressed = copiesPresses.some((press) => press.channel === channel && press.user === user);
    return pressed || (follows && (deleted || file.user === user));
  }

  return {
    shares,
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
    changed: (effect, byApp) => {
      if (effect.type === 'files-created')
        for (const file of effect.files) {
          if (!byApp) byOthers.add(file.id);
          if (file.creatorId !== OUR_PERSON || !byApp) continue;
          everOurs.set(file.id, file.sha256);
          noteCreated(file.sha256, file.name);
        }
      if (effect.type === 'file-deleted' && byApp) noteDeleted(effect.fileId);
    },
    createdOf: ({ sha256 }) => created.get(sha256) ?? 0,
    deletedOf: ({ sha256 }) => deleted.get(sha256) ?? 0,
    presentOf: ({ sha256 }) => present(sha256),
    sharesOf: ({ sha256 }) => sharesOf(sha256),
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
    sharersOf: (fileId) => {
      const sha256 = everOurs.get(fileId);
      return shares
        .filter(({ message }) => message.files.some((file) => file.sha256 === sha256))
        .map(({ user }) => user);
    },
    isQuiet: () => virtualNow() - (arrivals.at(-1) ?? 0) > WINDOW_MS + 1_000,
    mostInWindow: () => most,
  };
}

import { sql } from 'kysely';
import type { ErrorCode } from '../base/index.ts';
import {
  type ChannelRef,
  type Destination,
  FOR_TWINS,
  likenessOf,
  MAX_CREATES,
  type MessageRef,
  SHUT,
  type Share,
  type SharedFile,
  sameDestination,
  toDestination,
} from '../core/index.ts';
import { isChannel, isOfFolder } from './channels.ts';
import { reopenDeletions } from './deletions.ts';
import { probeHolds } from './holds.ts';
import { noteSharesChanged } from './messages.ts';
import { atomically, inChunks } from './run-statements.ts';
import type { Db, ShareRow } from './schema.ts';
import { TRIED_AGAIN } from './steps.ts';
import {
  FOLLOWS_CHANNEL,
  fileKey,
  findTransfers,
  inFolder,
  messageRef,
  NOT_SENT,
  reschedule,
  type Transfer,
  transfersOfShare,
  UNSETTLED,
  yieldToSaved,
} from './transfer.ts';
import { hurry } from './waiting-files.ts';

/** Refusals that no retry resolves: it would file a second copy, or the file was deleted. */
const FINAL: readonly (ErrorCode | null)[] = ['RECORD_SIZE_MISMATCH', 'SLACK_FILE_DELETED'];

export async function findShareById(db: Db, id: number): Promise<ShareRow | undefined> {
  return db.selectFrom('shares').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the shares of a message: its own, and one for each folder that it was saved to. */
export async function sharesOf(db: Db, message: MessageRef): Promise<ShareRow[]> {
  const shares = db.selectFrom('shares').selectAll().where(isChannel(message));
  return shares.where('ts', '=', message.ts).orderBy('id').execute();
}

interface AnotherTry {
  /** Where the channel files now: files refused elsewhere go there. Default: null, none do. */
  to?: Destination | null;
  /**
   * Whether files go there too that may be in their old folder, which cannot be listed: a copy may
   * stay in it. Only if a person asks. Default: false.
   */
  unseenToo?: boolean;
  /** Only the transfers to this folder. Default: null, all. */
  only?: Destination | null;
  now: number;
}

/**
 * Makes a share's refused and waiting transfers due at once, each in the state that it had, and
 * with them the refused twins that they wait for. Refused transfers count failures from zero. Two kinds stay
 * refused: one whose record is in the folder with another size, because a retry would only add a
 * copy; and one deleted in Slack. Returns how many became due, or wait for a hold.
 */
export function retryShare(
  db: Db,
  shareId: number,
  { to = null, unseenToo = false, only = null, now }: AnotherTry,
): Promise<number> {
  return atomically(db, async (trx) => {
    const yielded = to ? await redirectRefused(trx, shareId, { to, unseenToo }) : [];
    const all = await transfersOfShare(trx, shareId, { savedToo: true });
    const own = only
      ? all.filter(({ destination }) => destination && sameDestination(destination, only))
      : all;
    const refused = [...own, ...(await twinsInTheWay(trx, own))].filter(isRefusedForNow);
    const retried = await releaseRefused(trx, refused);
    const hurried = await hurry(
      trx,
      sql<boolean>`(id in (${sql.join([0, ...own.map(({ id }) => id)])}))`,
    );
    const due = [...retried, ...hurried];
    // What waits under a hold is tried by its probe.
    await probeHolds(trx, { at: now });
    await reschedule(trx, due, { now });
    await reopenDeletions(trx, retried, now);
    await noteSharesChanged(trx, [...due, ...yielded], now);
    return due.length;
  });
}

// Files deleted in Slack stay as they are, and files saved by hand keep their folder.
async function redirectRefused(
  trx: Db,
  shareId: number,
  { to, unseenToo }: { to: Destination; unseenToo: boolean },
) {
  const { projectId, folderId } = to;
  const outOfSight = unseenToo ? [...SHUT, 'RECORD_UNSEEN' as const] : SHUT;
  const which = sql<boolean>`(share_id = ${shareId} and ${FOLLOWS_CHANNEL}
    and problem <> 'SLACK_FILE_DELETED' and ${isOfFolder(to)} is not true
    and (refused_in in ('recorded', 'uploaded')
      or (refused_in = 'creating' and problem in (${sql.join(outOfSight)}))))`;
  const yielded = await yieldToSaved(trx, which, to);
  await trx
    .updateTable('transfers')
    .set({ ...NOT_SENT, projectId, folderId, refusedIn: 'recorded' })
    .where(which)
    .execute();
  return yielded;
}

// A file that was refused while its channel had no folder has nowhere to go.
function isRefusedForNow({ state, problem, destination }: Transfer): boolean {
  return state === 'refused' && !FINAL.includes(problem) && destination !== null;
}

/** Returns the transfers that keep these from being sent or created. */
async function twinsInTheWay(db: Db, transfers: readonly Transfer[]): Promise<Transfer[]> {
  const waiting = transfers.filter(({ problem }) => FOR_TWINS.includes(problem));
  return (await Promise.all(waiting.map((one) => alikeIn(db, one)))).flat();
}

// The transfers that keep one from being created: see nextInFolder.
async function alikeIn(db: Db, transfer: Transfer): Promise<Transfer[]> {
  const { destination } = transfer;
  if (!destination) return [];
  const unsettled = await findTransfers(inFolder(db, destination).where(UNSETTLED));
  return unsettled.filter((one) => likenessOf(one) === likenessOf(transfer));
}

function releaseRefused(trx: Db, refused: readonly Transfer[]) {
  const ids = refused.map(({ id }) => id);
  if (ids.length === 0) return [];
  return trx
    .updateTable('transfers')
    .set({
      ...TRIED_AGAIN,
      state: sql`refused_in`,
      refusedIn: null,
      // A person's retry allows one more create.
      creates: sql`case when creates < ${MAX_CREATES} then creates else ${MAX_CREATES - 1} end`,
    })
    .where('id', 'in', ids)
    .where('state', '=', 'refused')
    .returning(['id', 'shareId'])
    .execute();
}

/**
 * Returns what the ledger lacks of a channel's shares: an edit may have added a file to one. A file
 * that is known only because somebody saved it by hand is lacking: the channel's folder may be
 * another one.
 */
export async function unknownFiles(
  db: Db,
  { team, channel }: ChannelRef,
  shares: readonly Share[],
): Promise<Share[]> {
  const own = db.selectFrom('transfers').select(['message', 'slackFileId']).where('own', '=', 1);
  const messageOf = ({ ts }: Share) => messageRef({ team, channel, ts });
  const rows = await inChunks(shares.map(messageOf), (some) =>
    own.where('message', 'in', some).execute(),
  );
  const known = new Set(rows.map(({ message, slackFileId }) => `${message}/${slackFileId}`));
  return shares
    .map((share) => {
      const isKnown = ({ id }: SharedFile) => known.has(`${messageOf(share)}/${fileKey(id)}`);
      return { ...share, files: share.files.filter((file) => !isKnown(file)) };
    })
    .filter(({ files }) => files.length > 0);
}

/** Returns another channel that has one of these messages with one of its files; null for none. */
export async function otherChannelOf(
  db: Db,
  { team, channel }: ChannelRef,
  shares: readonly Share[],
): Promise<string | null> {
  const keys = new Set(
    shares.flatMap(({ ts, files }) => files.map(({ id }) => `${ts}/${fileKey(id)}`)),
  );
  const ids = shares.flatMap(({ files }) => files.map(({ id }) => fileKey(id)));
  const elsewhere = db
    .selectFrom('transfers')
    .innerJoin('shares', 'shares.id', 'transfers.shareId')
    .select(['channel', 'ts', 'slackFileId'])
    .where((eb) => eb.and({ team, own: 1 }))
    .where('channel', '<>', channel);
  const rows = await inChunks(ids, (some) => elsewhere.where('slackFileId', 'in', some).execute());
  return rows.find(({ ts, slackFileId }) => keys.has(`${ts}/${slackFileId}`))?.channel ?? null;
}

/** Returns the folder that a person last saved to; null when they never did. */
export async function lastSavedTo(
  db: Db,
  { team, userId }: { team: string; userId: string },
): Promise<Destination | null> {
  const row = await db
    .selectFrom('shares')
    .select('savedTo')
    .where((eb) => eb.and({ team, savedBy: userId }))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toDestination(row.savedTo) : null;
}

/** Returns the folders that messages of these channels were saved to, by channel, each once. */
export async function savedFolders(
  db: Db,
  team: string,
  channels: readonly string[],
): Promise<(Destination & { channel: string })[]> {
  const saved = db
    .selectFrom('shares')
    .select(['channel', 'savedTo'])
    .distinct()
    .where('team', '=', team)
    .where('savedBy', 'is not', null)
    .orderBy('channel')
    .orderBy('savedTo');
  const rows = await inChunks(channels, (some) => saved.where('channel', 'in', some).execute());
  return rows.map(({ channel, savedTo }) => ({ channel, ...toDestination(savedTo) }));
}

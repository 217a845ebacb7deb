import {
  ANNOUNCE_EVERY_MS,
  announceRequestEveryMs,
  CLOCKS_APART_MS,
  type Destination,
  type FolderRecord,
  MAX_ANNOUNCED,
  mayBeFiledAs,
  mayBeOurs,
  nextAnnounceMs,
} from '../core/index.ts';
import type { ChannelRow, ClaimedRow, Looked } from '../ledger/index.ts';
import { type CallOptions, isListed } from '../service/index.ts';
import type { EngineContext } from './engine-context.ts';
import { type Handler, type HeldRow, rowJobs, whileSending } from './job.ts';

/** Folders listed at once. Their requests take turns, so a small folder waits for no large one. */
const LOOKS_AT_ONCE = 8;
/** How old a list that another caller requested may be, in milliseconds. */
const COPY_AGE_MS = 60_000;
/** How soon it is looked again whether a message was posted, in milliseconds. */
const UNPOSTED_MS = 60_000;
/** How often a look checks whether it may send its next request now, in milliseconds. */
const ASK_EVERY_MS = 1_000;

/**
 * Looks for files that others add to the folders of watched channels, every ten minutes each. The
 * first look records what is there; each later one makes a message due about added files that are
 * not ours. Its requests stay within their part of the rate limit, and go only while no file waits.
 */
export function announcing(context: EngineContext): Handler {
  const turn = createTurns(context);
  const jobs = rowJobs(context, {
    kind: 'watch',
    concurrency: LOOKS_AT_ONCE,
    run: (watch) => lookInto(watch, turn, context),
    failed: (watch, error) => {
      const { channel, attempts: failures } = watch.row;
      const message = 'A folder could not be looked into for what others add';
      context.logger.warn({ channel, error, failures }, message);
      return putOffFailed(watch, context);
    },
  });
  return whileSending(context, jobs);
}

type Turn = NonNullable<CallOptions['turn']>;
type HeldWatch = HeldRow<ClaimedRow<'watch'>>;

// Requests take turns in order of arrival: a large folder needs many turns, a small one needs one.
function createTurns({ ledger, clock, rateLimit }: EngineContext): Turn {
  const everyMs = announceRequestEveryMs(rateLimit);
  let last: Promise<unknown> = Promise.resolve();
  const take = async (signal?: AbortSignal) => {
    signal?.throwIfAborted();
    while (!(await ledger.takeAnnounceRequest({ now: clock.now(), everyMs })))
      await clock.sleep(ASK_EVERY_MS, signal);
  };
  return (signal) => {
    const turn = last.then(() => take(signal));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function lookInto(watch: HeldWatch, turn: Turn, context: EngineContext): Promise<void> {
  const { row, held } = watch;
  const { ledger, clock, logger } = context;
  const folder = await context.findDestination(row);
  const waitMs = await untilNextLine(row, context);
  const mayLook =
    waitMs === 0 &&
    folder !== null &&
    // Files in the default folder concern only the channel that shared them.
    !folder.isDefault &&
    // The first look posts nothing, so it needs no membership; later ones wait until the bot is in.
    (row.addedSeen === null || (await context.workspace.isIn(row.channel)));
  if (!mayLook) {
    const dueAt = clock.now() + (waitMs || ANNOUNCE_EVERY_MS);
    return void (await ledger.endJob(held, { dueAt }));
  }
  const call = { lane: 'bulk', signal: held.signal, turn } as const;
  const found = await findAdded({ ...folder, before: row.addedSeen }, call, context);
  if (!found) return putOffFailed(watch, context);
  const isOurs = await ledger.recordLook(held, { ...found, now: clock.now() });
  if (!isOurs || !found.added) return;
  const { team, channel } = row;
  const { count: files, folder: to } = found.added;
  logger.info({ team, channel, ...to, files }, 'Others added files');
}

/** Returns the milliseconds until the channel may be notified again; 0 when it may be now. */
async function untilNextLine(
  { addedReportId: about }: ChannelRow,
  { ledger, clock }: EngineContext,
): Promise<number> {
  if (about === null) return 0;
  const { ts, isDue } = await ledger.findMessage({ kind: 'report', about });
  if (ts === null) return isDue ? UNPOSTED_MS : 0;
  const leftMs = Math.ceil(Number(ts) * 1_000 + ANNOUNCE_EVERY_MS - clock.now());
  // Slack's clock, in `ts`, may be ahead of ours; if further ahead, ours is wrong.
  return leftMs > ANNOUNCE_EVERY_MS + CLOCKS_APART_MS ? 0 : Math.max(0, leftMs);
}

async function putOffFailed(
  { held, row }: HeldWatch,
  { ledger, clock }: EngineContext,
): Promise<void> {
  const dueAt = clock.now() + nextAnnounceMs(row.attempts);
  await ledger.endJob(held, { dueAt, unfinished: true });
}

/**
 * Reads a folder and resolves with the files that others added since the number `before` of its
 * mirror, which are none if that is null; null when the account's answers do not show it.
 */
export async function findAdded(
  folder: Destination & { before: number | null },
  call: CallOptions,
  context: EngineContext,
): Promise<Omit<Looked, 'now'> | null> {
  const { before } = folder;
  const { ledger } = context;
  const reading = await context.folders.read(folder, { ...call, maxAgeMs: COPY_AGE_MS });
  // An old file that an incomplete list lacks would look new in the next list.
  if (!reading.complete) return null;
  const seen = (await ledger.findFolder(folder))?.written ?? 0;
  const added = before === null ? [] : await ledger.recordsSeenAfter(reading.folder, before);
  const found = added.filter(({ firstSeen }) => firstSeen <= seen);
  const files = await ofOthers(found, folder, context);
  if (files.length === 0) return { seen, added: null };
  const { projectId, folderId } = folder;
  // Some accounts list a deleted folder as if it held all other folders' files. Asked after that
  // list: a folder that exists now existed then. If that is unknown, it is taken to exist.
  const { list: folders } = await context.names.folders(projectId, { ...call, maxAgeMs: 0 });
  if (isListed(folders, folderId) === false) return null;
  const announced = {
    count: files.length,
    files: files.slice(0, MAX_ANNOUNCED).map(({ name, url }) => ({ name, url })),
    by: await nameCreator(files, call, context),
    folder: { projectId, folderId },
  };
  return { seen, added: announced };
}

// Runs after the list, so that the ledger knows each of our files in it: it records a create first.
async function ofOthers(
  files: readonly FolderRecord[],
  folder: Destination,
  { ledger }: EngineContext,
): Promise<FolderRecord[]> {
  // Read first: a file that is filed in between is then in both, not in neither.
  const unidentified = files.length > 0 ? await ledger.unidentifiedIn(folder) : [];
  const ids = files.map(({ id }) => id);
  const filed = await ledger.everFiledAs(folder, ids);
  const isOurs = (file: FolderRecord) => {
    const own = filed.get(file.id);
    return own?.state === 'filed' && mayBeFiledAs(own, file);
  };
  return files.filter((file) => !isOurs(file) && !mayBeOurs(file, unidentified));
}

// A look must not fail because names cannot be listed.
async function nameCreator(
  files: readonly FolderRecord[],
  call: CallOptions,
  { names }: EngineContext,
): Promise<string | null> {
  const [id = null, ...others] = new Set(files.map(({ creatorId }) => creatorId));
  if (id === null || others.length > 0) return null;
  const asked = names.people({ ...call, maxAgeMs: ANNOUNCE_EVERY_MS });
  const { list } = await asked.catch(() => ({ list: null }));
  return list?.records.find((person) => person.id === id)?.name ?? null;
}

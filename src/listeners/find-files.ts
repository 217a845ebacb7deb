import { within } from '../base/index.ts';
import type { FoundFile, FoundPageClaim, MissedFolders, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { type FileRecord, ServiceError } from '../service/index.ts';
import {
  type ChannelDestination,
  type Destination,
  folderNumber,
  kindOf,
} from '../transfers/index.ts';
import type { Asked, Handler } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { callInBulk, patientCall } from './personal-quota.ts';
import {
  describeFiles,
  ensureThere,
  filterByName,
  nameFolder,
  newestFirst,
  recordsInView,
} from './show-files.ts';

/** A search goes over what was read a minute ago: reading all of it takes many requests. */
const COPY_MS = 60_000;

/** So long somebody is kept waiting for a folder to be read, in milliseconds. */
const MAX_MS = 45_000;

/** A folder of channels that somebody is in. */
interface SearchedFolder {
  destination: ChannelDestination;
  channels: string[];
}

/** What is found in a folder's list, of what may be seen of it. */
interface Hit {
  file: FileRecord;
  destination: ChannelDestination;
}

/**
 * A page of the files with these words in the folders of all channels that the person is in, newest
 * first; of each folder what those channels may see of it.
 */
export const findFiles: Handler<FoundPageClaim, View> = async (asked, claim, context) => {
  const mine = new Set([asked.channel, ...(await context.workspace.channelsOf(asked.userId))]);
  const folders = await foldersOf(asked, [...mine], context);
  if (folders.length === 0) return views.nowhereToFind();
  const searched = searchedAmong(folders, context);
  // What takes too long is read on all the same: who asks again has what it brings.
  const patience = { clock: context.clock, timeoutMs: MAX_MS, timedOut };
  const lists = await Promise.allSettled(
    searched.map((one) => within(patience, () => searchIn(one, { asked, claim }, context))),
  );
  const read = lists.flatMap((list) => (list.status === 'fulfilled' ? [list.value] : []));
  const failures = lists.flatMap((list) => (list.status === 'rejected' ? [list.reason] : []));
  if (read.length === 0 && failures.length > 0) throw failures[0];
  const whole = read.filter(({ complete }) => complete).length;
  const shut = failures.filter(isForGood).length;
  const missed = {
    later: searched.length - whole - shut,
    shut,
    beyond: folders.length - searched.length,
  };
  const total = read.reduce((sum, { files }) => sum + files, 0);
  const counts = { folders: read.length, missed, total };
  const found = read.flatMap(({ hits }) => hits);
  return showPage(found, { asked, claim, counts, isIn: (channel) => mine.has(channel) }, context);
};

function searchedAmong(
  folders: readonly SearchedFolder[],
  { service }: ListenerContext,
): SearchedFolder[] {
  const first = folders.slice(0, views.MAX_SEARCHED);
  const fitting = new Set<Destination>(
    service.foldersThatFitCache(first.map((one) => one.destination)),
  );
  return first.filter(({ destination }) => fitting.has(destination));
}

function isForGood(failure: unknown): boolean {
  return failure instanceof ServiceError && failure.retry === 'never';
}

function timedOut(): ServiceError {
  const details = { retry: 'later', sent: 'unknown' } as const;
  return new ServiceError('SERVICE_TIMEOUT', 'a folder was not read in time', details);
}

// The folder of the channel where it was asked comes first. Of those that messages of the channels were
// saved to, no more may be seen than that.
async function foldersOf(
  { team }: Asked,
  channels: readonly string[],
  { findDestination, ledger }: ListenerContext,
): Promise<SearchedFolder[]> {
  const own = await Promise.all(
    channels.map(async (channel) => ({
      channel,
      destination: await findDestination({ team, channel }),
    })),
  );
  const saved = (await ledger.savedFolders(team, channels)).map(({ channel, ...folder }) => ({
    channel,
    destination: { ...folder, projectTitle: null, folderName: null, isDefault: true },
  }));
  const folders = new Map<string, SearchedFolder>();
  for (const { channel, destination } of [...own, ...saved]) {
    if (!destination) continue;
    const known = folders.get(folderNumber(destination));
    if (known) known.channels.push(channel);
    else folders.set(folderNumber(destination), { destination, channels: [channel] });
  }
  return [...folders.values()];
}

/** So many found files, of each end of the list, are looked up: one that we filed shows that the folder is there. */
const MAX_PROVING = 50;

interface Searched {
  hits: Hit[];
  /** How many were looked through. */
  files: number;
  complete: boolean;
}

async function searchIn(
  { destination, channels }: SearchedFolder,
  { asked, claim }: Pick<Search, 'asked' | 'claim'>,
  context: ListenerContext,
): Promise<Searched> {
  const list = await patientCall(asked, (call) =>
    context.service.listFiles(destination, { ...call, maxAgeMs: COPY_MS }),
  );
  const isInView = await recordsInView({ team: asked.team, channels, destination }, context);
  const files = list.files.filter(({ id }) => isInView(id));
  const found = await filterByName(files, claim.words);
  // Whichever end the service begins with, the newest are among these.
  const ends = [...found.slice(0, MAX_PROVING), ...found.slice(-MAX_PROVING)];
  if (found.length > 0)
    await ensureThere(destination, { ...list, files: ends }, context, callInBulk(asked));
  const hits = found.map((file) => ({ file, destination }));
  return { hits, files: files.length, complete: list.complete };
}

interface Search {
  asked: Asked;
  claim: FoundPageClaim;
  counts: { folders: number; missed: MissedFolders; total: number };
  isIn: (channel: string) => boolean;
}

async function showPage(
  found: readonly Hit[],
  { asked, claim, counts, isIn }: Search,
  context: ListenerContext,
): Promise<View> {
  const kinds = Map.groupBy(found, ({ file }) => kindOf(file));
  const matching = claim.kind === null ? found : (kinds.get(claim.kind) ?? []);
  const sorted = matching.toSorted((a, b) => newestFirst(a.file, b.file));
  const { items, page, pages } = views.pageOf(sorted, views.FILES_PER_PAGE, claim.page);
  const files = await Promise.all(items.map((hit) => describe(hit, { asked, isIn }, context)));
  return views.foundFiles({
    ...counts,
    words: claim.words,
    kind: claim.kind,
    files: files.flat(),
    kinds: Object.fromEntries([...kinds].map(([kind, files]) => [kind, files.length])),
    page,
    pages,
    now: context.clock.now(),
  });
}

// Deleted from the list of its channel alone: there it is checked what the channel may delete.
async function describe(
  { file, destination }: Hit,
  { asked, isIn }: Pick<Search, 'asked' | 'isIn'>,
  context: ListenerContext,
): Promise<FoundFile[]> {
  const [described, folder] = await Promise.all([
    describeFiles([file], { asked, destination, isIn }, context),
    nameFolder(destination, context),
  ]);
  return described.map((one) => ({ ...one, folder, mayDelete: false }));
}

import { within } from '../../base/index.ts';
import {
  type ChannelDestination,
  type FolderRecord,
  folderNumber,
  kindOf,
  sameDestination,
} from '../../core/index.ts';
import { ServiceError, unlessCode } from '../../service/index.ts';
import { FILES_PER_PAGE } from '../files/file-list.ts';
import {
  describeFiles,
  filesInView,
  NO_FOLDER,
  newestFirst,
  orLastReading,
} from '../files/show-files.ts';
import type { Asked, Handler } from '../kit/answer.ts';
import { NOWHERE } from '../kit/app-home.ts';
import { pageOf, type View } from '../kit/layout.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import type { FoundPageClaim } from './actions.ts';
import { foundFiles, MAX_SEARCHED, type MissedFolders, NOWHERE_TO_FIND } from './found-files.ts';

/** The age of readings that a search accepts: reading all folders takes many requests. */
const COPY_MS = 60_000;

/** How long a search waits for one folder to be read, in milliseconds. */
const MAX_MS = 45_000;

/** A folder, and the channels of the person that use it. */
interface SearchedFolder extends ChannelDestination {
  channels: string[];
}

/** A match in a folder, among the files that its channels may see. */
interface Hit {
  file: FolderRecord;
  destination: SearchedFolder;
}

/**
 * Shows a page of the files with these words in their names, newest first: in the folders of all
 * channels that the person is in, and only files that those channels may see.
 */
export const findFiles: Handler<FoundPageClaim, View> = async (asked, claim, context) => {
  const here = asked.channel === NOWHERE ? [] : [asked.channel];
  const mine = new Set([...here, ...(await context.workspace.channelsOf(asked.userId))]);
  const folders = await foldersOf(asked, [...mine], context);
  if (folders.length === 0) return NOWHERE_TO_FIND;
  const searched = folders.slice(0, MAX_SEARCHED);
  // Reading a folder continues after the timeout, so a repeated search finds it read.
  const patience = { clock: context.clock, timeoutMs: MAX_MS, timedOut };
  const lists = await Promise.allSettled(
    searched.map((folder) => {
      const found = within(patience, () => searchIn(asked, { folder, claim }, context));
      return unlessCode(found, NO_FOLDER);
    }),
  );
  const answered = lists.flatMap((list) => (list.status === 'fulfilled' ? [list.value] : []));
  const failed = lists.find((list) => list.status === 'rejected');
  const read = answered.filter((one) => one !== null);
  // Folders that are gone or closed are only counted; so are others, unless none could be read.
  if (read.length === 0 && failed) throw failed.reason;
  const whole = read.filter(({ complete }) => complete).length;
  const shut = answered.length - read.length;
  const missed = {
    later: searched.length - whole - shut,
    shut,
    beyond: folders.length - searched.length,
  };
  const total = read.reduce((sum, { files }) => sum + files, 0);
  const ages = read.flatMap(({ downAgeMs }) => downAgeMs ?? []);
  const downAgeMs = ages.length === 0 ? null : Math.max(...ages);
  const counts = { folders: read.length, missed, total, downAgeMs };
  const found = read.flatMap(({ hits }) => hits);
  const isIn = (channel: string) => mine.has(channel);
  return showPage(asked, { found, claim, counts, isIn }, context);
};

function timedOut(): ServiceError {
  const details = { retry: 'later', sent: 'unknown' } as const;
  return new ServiceError('SERVICE_TIMEOUT', 'a folder was not read in time', details);
}

// The folder of the channel that was asked in comes first. In a folder that messages were saved to,
// their channel may see only those files, as in the default folder.
const foldersOf: Handler<string[], SearchedFolder[]> = async ({ team }, channels, context) => {
  const { ledger, findDestination } = context;
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
    else folders.set(folderNumber(destination), { ...destination, channels: [channel] });
  }
  return [...folders.values()];
};

// Resolves with the matches in a folder, how many files were searched, and whether these are all.
async function searchIn(
  asked: Asked,
  { folder: destination, claim }: { folder: SearchedFolder; claim: FoundPageClaim },
  context: SurfaceContext,
) {
  const reading = context.folders.read(destination, { ...asked.call, maxAgeMs: COPY_MS });
  const read = await orLastReading(reading, destination, context);
  const { folder, complete, fetchedAt } = 'last' in read ? read.last : read;
  const viewed = { folder, destination, filter: claim.words, newest: null };
  const { total, matching } = await filesInView(asked, viewed, context);
  const hits = matching.map((file): Hit => ({ file, destination }));
  const downAgeMs = 'last' in read ? context.clock.now() - fetchedAt : null;
  return { hits, files: total, complete, downAgeMs };
}

interface Results {
  found: Hit[];
  claim: FoundPageClaim;
  counts: { folders: number; missed: MissedFolders; total: number; downAgeMs: number | null };
  isIn: (channel: string) => boolean;
}

const showPage: Handler<Results, View> = async (asked, results, context) => {
  const { found, claim, counts, isIn } = results;
  const kinds = Map.groupBy(found, ({ file }) => kindOf(file));
  const matching = claim.kind === null ? found : (kinds.get(claim.kind) ?? []);
  const sorted = matching.toSorted((a, b) => newestFirst(a.file, b.file));
  const { items, page, pages } = pageOf(sorted, FILES_PER_PAGE, claim.page);
  const own = await context.findDestination(asked);
  const described = items.map(async ({ file, destination }) => {
    const [[one], folder] = await Promise.all([
      describeFiles([file], { asked, destination, isIn }, context),
      context.names.nameFolder(destination),
    ]);
    // Only a channel's own list checks what the channel may delete; a folder to which files were saved by
    // hand is not its own.
    const isOwn = own !== null && sameDestination(own, destination);
    const isHere = isOwn && destination.channels.includes(asked.channel);
    return one ? [{ ...one, folder, isHere, mayDelete: false }] : [];
  });
  return foundFiles({
    ...counts,
    words: claim.words,
    kind: claim.kind,
    files: (await Promise.all(described)).flat(),
    kinds: Object.fromEntries([...kinds].map(([kind, files]) => [kind, files.length])),
    page,
    pages,
    now: context.clock.now(),
  });
};

import { type ChannelRef, type Destination, folderNumber } from '../../core/index.ts';
import { recordsInView, shownAs } from '../files/show-files.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { webAddress } from '../kit/text.ts';
import type { PreviewedFile } from './preview-view.ts';

/**
 * Resolves with the file that an address leads to, as the channel's folder was last read; null if the
 * folder has none, or the channel may not see it. Of a folder that was never read, asks for the newest
 * files, and rejects like the service's client.
 */
export async function findLinkedFile(
  channel: ChannelRef,
  url: string,
  context: SurfaceContext,
): Promise<PreviewedFile | null> {
  const { ledger, findDestination } = context;
  const [destination, numbers] = [await findDestination(channel), numbersIn(url)];
  if (!destination || numbers.length === 0) return null;
  const folder =
    (await ledger.findFolder(destination))?.id ?? (await glimpse(destination, context));
  const records = await ledger.recordsNumbered(folder, numbers);
  const address = withoutFragment(url);
  const record = [...records.values()].find(
    (one) => one.url !== null && address !== null && withoutFragment(one.url) === address,
  );
  if (!record || !(await recordsInView(channel, destination, context))(record)) return null;
  const filed = (await ledger.filedRecords(destination, [record])).get(record.id);
  return {
    name: shownAs(record.name, filed?.name),
    url: record.url,
    sizeBytes: record.byteSize,
    sharedBy: filed?.userId ?? null,
    at: filed ? Math.floor(Number(filed.ts) * 1000) : record.createdAt,
  };
}

// Nobody waits for a preview as for an answer: it takes its turn with the filing.
async function glimpse(destination: Destination, { folders }: SurfaceContext): Promise<number> {
  const queue = folderNumber(destination);
  const { reading } = await folders.glimpse(destination, { lane: 'bulk', queue });
  return reading.folder;
}

/** The most numbers of an address of which a file may be known. */
const MAX_NUMBERS = 20;

// The addresses of files have their numbers; so the folder need not be searched.
function numbersIn(url: string): number[] {
  const numbers = (url.match(/\d+/g) ?? []).map(Number).filter(Number.isSafeInteger);
  return [...new Set(numbers)].slice(0, MAX_NUMBERS);
}

function withoutFragment(url: string): string | null {
  return webAddress(url)?.replace(/#.*$/, '') ?? null;
}

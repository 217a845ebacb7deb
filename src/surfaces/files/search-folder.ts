import { type FolderRecord, nameMatcher, plainWords, searchText } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { inTurns } from '../kit/in-turns.ts';

/** Matches read at once: a few milliseconds of work. */
const AT_ONCE = 1_000;

/** Resolves with the files of a folder whose names contain these words, newest first. */
export async function searchFolder(
  folder: number,
  typed: string,
  { ledger }: { ledger: Ledger },
): Promise<FolderRecord[]> {
  const found: FolderRecord[] = [];
  const words = plainWords(typed);
  let after: FolderRecord | undefined;
  do {
    const page = { limit: AT_ONCE, after, words };
    const some = await ledger.newestRecords(folder, page);
    found.push(...(await filterByName(some, typed)));
    after = some.length === AT_ONCE ? some.at(-1) : undefined;
  } while (after);
  return found;
}

/** Resolves with the files whose names contain these words; null matches all. Yields regularly. */
export async function filterByName<T extends { name: string }>(
  files: readonly T[],
  filter: string | null,
): Promise<T[]> {
  if (filter === null) return [...files];
  const isFound = nameMatcher(filter);
  const tried = await inTurns(files, (file) => {
    const text = searchText(file.name);
    return { file, text, isFound: isFound(text) };
  });
  return tried.flatMap((one) => (one.isFound ? [one.file] : []));
}

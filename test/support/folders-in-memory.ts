import { type FolderRecord, isHeld } from '../../src/core/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import type { FileList, FolderReader } from '../../src/service/index.ts';

type List = (...given: Parameters<FolderReader['read']>) => Promise<FileList>;

/** The ledger's calls about folders that were read. */
type MirrorCalls = Pick<
  Ledger,
  'countRecords' | 'newestRecords' | 'noteDeleted' | 'recordsNumbered' | 'unheldRecords'
>;

/**
 * Returns a reader of folders that reads what `list` returns, at each call, and the ledger's calls
 * that tell what it has read: a stand-in for the mirror, without its rules. `everFiledAs` tells which
 * records transfers hold; none by default.
 */
export function foldersInMemory(
  list: List,
  everFiledAs: Ledger['everFiledAs'] = async () => new Map(),
): { folders: FolderReader; mirror: MirrorCalls } {
  const read: FolderRecord[][] = [];
  const recordsOf = (folder: number) =>
    (read[folder] ?? [])
      .toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || b.id - a.id)
      .map((record) => ({ ...record, firstSeen: 1, changedIn: 1, goneSince: null }));
  const numbered = (folder: number, ids: readonly number[]) =>
    new Map(
      recordsOf(folder).flatMap((one) => (ids.includes(one.id) ? [[one.id, one] as const] : [])),
    );

  const readNow: FolderReader['read'] = async (destination, options) => {
    const { files, ...reading } = await list(destination, options);
    return { ...reading, folder: read.push(files) - 1 };
  };
  return {
    folders: {
      read: readNow,
      glimpse: async (destination, options) => {
        const reading = await readNow(destination, options);
        return { reading, newest: null, readRest: null };
      },
      find: async (destination, number, options) => {
        const { folder, complete, unreadable } = await readNow(destination, options);
        const record = numbered(folder, [number]).get(number) ?? null;
        return { record, certain: complete && unreadable === 0 };
      },
      last: async () => null,
      noteCreated: async () => undefined,
    },
    mirror: {
      countRecords: async (folder) => recordsOf(folder).length,
      newestRecords: async (folder, { limit, offset = 0, after }) => {
        const all = recordsOf(folder);
        const from = after ? all.findIndex(({ id }) => id === after.id) + 1 : offset;
        return all.slice(from, from + limit);
      },
      noteDeleted: async () => undefined,
      recordsNumbered: async (folder, ids) => numbered(folder, ids),
      unheldRecords: async (destination, { id, open }) => {
        const records = recordsOf(id).toSorted((a, b) => b.id - a.id);
        const ids = records.map((record) => record.id);
        const held = await everFiledAs(destination, ids);
        return records.filter((record) => !isHeld(held.get(record.id), record, open));
      },
    },
  };
}

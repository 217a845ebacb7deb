import type { Destination } from '../core/index.ts';
import type { CallOptions } from './call.ts';
import { filesPath } from './http.ts';
import type { FileRecord, ReadRecord } from './json.ts';
import { arrayOf, type ListSource, type Page, readList, type SourceOf } from './list.ts';
import type { FolderReading } from './mirror-writer.ts';

/** A folder's files; `complete`: whether the list was read to its end. */
export interface FileList extends Omit<FolderReading, 'folder'> {
  files: FileRecord[];
}

interface FileListsOptions {
  sourceOf: SourceOf;
  readFile: ReadRecord<FileRecord>;
}

export type FileLists = ReturnType<typeof createFileLists>;

/** Creates the client's calls that list a folder's files (service interface, section 4.1). */
export function createFileLists({ sourceOf, readFile }: FileListsOptions) {
  const read = arrayOf(readFile);
  const pagesOf = (folder: Destination, call: CallOptions): ListSource<FileRecord> =>
    sourceOf({ path: filesPath(folder), read }, call);

  return {
    /** Returns the pages of a folder's list; each is one request, with its lane's retries. */
    pagesOf,
    /** Lists a folder's first page: with one request, it shows whether the folder can be read. */
    peekFiles: (folder: Destination, call: CallOptions): Promise<Page<FileRecord>> =>
      pagesOf(folder, call).readPage(null),
    /** Lists all of a folder's files; `complete` is false if its end could not be read. */
    listFiles: async (folder: Destination, call: CallOptions): Promise<FileList> => {
      const source = pagesOf(folder, call);
      const list = await readList(source);
      return {
        files: [...list.records.values()],
        unreadable: list.unreadable.size,
        complete: list.state === 'whole',
        serviceTime: list.serviceTime,
        fetchedAt: list.fetchedAt,
      };
    },
  };
}

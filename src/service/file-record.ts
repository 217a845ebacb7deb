/** A file in a folder, as the service tells of it (service interface, section 2.1). */
export interface FileRecord {
  id: number;
  name: string;
  /** Bytes; null when the service sent no readable size. */
  byteSize: number | null;
  /** Milliseconds since the epoch; null when the service sent no readable time. */
  createdAt: number | null;
  updatedAt: number | null;
  source: string | null;
  approvedByMe: boolean;
  approvedCount: number;
  fileType: string | null;
  proofCount: number;
  /** An https address of a thumbnail or of the file. */
  url: string | null;
  creatorId: number | null;
}

/** A folder's files. `unreadable` counts records too odd to use; the others are kept. */
export interface FileList {
  files: FileRecord[];
  unreadable: number;
  /** Whether these are all files of the folder: false when the list could not be read to its end. */
  complete: boolean;
  /** The service's clock when it answered (its `Date` header), in milliseconds since the epoch. */
  serviceTime: number | null;
  /**
   * Who made the records that creates with the same key were answered with; empty or absent until
   * this process has had such an answer.
   */
  creators?: ReadonlySet<number>;
  /** When this list was fetched, by our clock; older than now when it is a copy. */
  fetchedAt: number;
}

/** A list outside the specified interface: projects, folders or people. */
export interface AccountList<T> {
  records: T[];
  /** Whether these are all: false when some could not be read, or the list not to its end. */
  complete: boolean;
}

export interface Project {
  id: number;
  title: string;
  archived: boolean;
}

export interface Folder {
  id: number;
  name: string;
  /** 1 for the top. */
  level: number;
  /** Null for the top. */
  parentId: number | null;
  /** The project that the service says it belongs to; null when it does not say. */
  projectId: number | null;
}

export interface Person {
  id: number;
  name: string;
}

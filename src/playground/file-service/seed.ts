/** What an account holds when it is first started. */
export interface Seed {
  people: readonly SeedPerson[];
  projects: readonly SeedProject[];
}

export interface SeedPerson {
  id: number;
  firstName: string;
  lastName: string;
  email: string;
  /** The key for `X-API-KEY`. */
  apiKey: string;
  /** Projects the person may see; any other gives a 403. */
  projects: readonly number[];
  /** Folders in which, and below which, every change gives a 403. Default: none. */
  readOnlyFolders?: readonly number[];
  /** A suspended person's key gives a 401. Default: false. */
  suspended?: boolean;
}

export interface SeedProject {
  id: number;
  title: string;
  description?: string;
  archived?: boolean;
  creatorId: number;
  /** One of `folders`, at any depth. */
  homeFolderId: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
  folders: readonly SeedFolder[];
}

export interface SeedFolder {
  id: number;
  name: string;
  folders?: readonly SeedFolder[];
  files?: readonly SeedFile[];
}

export interface SeedFile {
  /** Also the identifier of the attachment that the file was created from. */
  id: number;
  name: string;
  /** The file's bytes, as UTF-8. */
  content: string;
  creatorId: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** People who approved it. Default: nobody. */
  approvedBy?: readonly number[];
  /** Default: 0. */
  proofCount?: number;
}

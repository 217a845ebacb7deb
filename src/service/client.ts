import type { Readable } from 'node:stream';
import type { Destination } from '../transfers/destination.ts';
import type { AccountList, FileList, FileRecord, Folder, Person, Project } from './file-record.ts';
import type { Lane } from './throttle/throttle.ts';

export interface CallOptions {
  lane: Lane;
  /** Fairness key of the bulk lane: see AdmissionRequest. */
  queue?: string | undefined;
  signal?: AbortSignal | undefined;
  /** The key to act with; the shared key when absent. */
  apiKey?: string | undefined;
}

export interface ListOptions extends CallOptions {
  /**
   * The oldest copy that will do, in milliseconds; never one older than the last change made through
   * this client. Default: 0, always fresh.
   */
  maxAgeMs?: number | undefined;
  /** No reading that began earlier, by our clock, is shared. */
  notBefore?: number | undefined;
}

/** A folder's files, as far as they can be told at once. */
export interface FileGlimpse {
  /** All files, or those that are certain to be the newest: none where that cannot be told. */
  list: FileList;
  /** Reads what is missing; null when nothing is, or it cannot be read. */
  readRest: (() => Promise<FileList>) | null;
}

export interface UploadSource {
  /** The name to file under, already made fit for a header (see transfers/file-name.ts). */
  name: string;
  /** Bytes; known beforehand, and checked against what was sent. */
  size: number;
  mimetype: string | undefined;
  /** Opens the bytes from their start; called anew for each attempt. */
  open(signal: AbortSignal): Promise<Readable>;
  /** Told now and then how many bytes have gone out. */
  onProgress?: ((sentBytes: number) => void) | undefined;
  /** What was opened is not read any more: the attempt was answered, or it failed. */
  onEnd?: (() => void) | undefined;
}

export interface Upload {
  /** The `file_id` of service interface, section 4.4. */
  attachmentId: number;
  /** Bytes that went out. */
  sentBytes: number;
  /** The service's clock at the answer (its `Date` header); null when it sent none. */
  serviceTime: number | null;
}

export interface CreateRequest {
  destination: Destination;
  attachmentId: number;
  /** Name and size of the upload: they tell the records of a batch apart. */
  name: string;
  byteSize: number;
  /**
   * Called when the create is about to leave, before anything is sent. The intent is recorded here;
   * when it rejects, this attachment is left out and the call rejects with that reason.
   */
  onSending(): Promise<void>;
  /**
   * Looks for a record that a request left which was answered with an error, at `answeredAt` by our
   * clock. Asked, where given, before the attachment is sent again: what is found is the outcome.
   */
  findLeft?: (answeredAt: number) => Promise<FileRecord | null>;
}

/**
 * The file service's client: one for the whole process, over one throttle. Every method rejects
 * with ServiceError or with the reason of an aborted signal; an upload also with what its source
 * failed with, or SLACK_FILE_SIZE_MISMATCH; a create also with what `onSending` rejected with.
 */
export interface ServiceClient {
  /**
   * All files of a folder (section 4.1), read to the end where the account pages; `complete` is
   * false when that was not possible. Equal calls in flight are one reading. A list of more than a
   * few pages is read in the bulk lane, whoever asks.
   */
  listFiles(destination: Destination, options: ListOptions): Promise<FileList>;
  /** The same, with the newest files alone at once where all of them would take long. */
  glimpseFiles(destination: Destination, options: ListOptions): Promise<FileGlimpse>;
  /**
   * Puts an uploaded attachment into a folder (section 4.2). Attachments that are ready for the
   * same folder and key when a place is granted go in one request. Null: it was answered with
   * success, so it is done, and the answer does not tell which record is its. After a
   * SERVICE error other than `sent: 'no'` the folder is to be looked at before it is sent again.
   */
  createFile(request: CreateRequest, options: CallOptions): Promise<FileRecord | null>;
  /** Deletes a file (section 4.3). `gone`: it was not there any more. */
  deleteFile(
    destination: Destination,
    fileId: number,
    options: CallOptions,
  ): Promise<'deleted' | 'gone'>;
  /** Uploads a file's bytes (section 4.4), streaming. */
  uploadFile(projectId: number, source: UploadSource, options: CallOptions): Promise<Upload>;
  /** Whether the service answers: one request at the most, whatever comes of it. */
  check(options: CallOptions): Promise<void>;
  /** Null when the account does not offer the call (404, 403, or a refusal within a 200): outside the specified interface. */
  listProjects(options: CallOptions): Promise<AccountList<Project> | null>;
  listFolders(projectId: number, options: CallOptions): Promise<AccountList<Folder> | null>;
  listPeople(options: CallOptions): Promise<AccountList<Person> | null>;
}

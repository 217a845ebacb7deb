import type { ErrorTelling } from './error-telling.ts';

/** The account's lists. */
export type ListKind = 'files' | 'folders' | 'projects' | 'people';

export type ListOrder = 'oldest-first' | 'newest-first';

/**
 * How accounts differ, one field for each fact; R1 to R10 are those of the service interface's
 * second appendix. `by_me` as "made by me" (R9), dates with `+00:00` and 429 with `Retry-After` are
 * the same in all of them; how many digits an identifier has is the seed's choice (R8).
 */
export interface Behaviour {
  /**
   * R1: how much of a list one answer holds. `whole`: all of it; `paged`: at most 100, from
   * `?start=<n>` on, fewer with `&limit=<m>`; `cut`: the first 100, whatever is asked for.
   */
  listPaging: Record<ListKind, 'whole' | 'paged' | 'cut'>;
  /** R1. */
  listOrder: Record<ListKind, ListOrder>;
  /** R2: which requests must carry `Content-Type: application/json`. */
  jsonHeader: 'with-a-body' | 'always';
  /** R3: how a request is refused, be it by a fault of 401, 403 or 404. */
  errors: ErrorTelling;
  /** R3 and R10: how the rate limit refuses; a status comes with `Retry-After`. */
  rateLimitErrors: ErrorTelling;
  /**
   * R4. `flat`: an array of all; `nested`: an array of the top ones, the others in their `children`;
   * `one-object`: the folder that holds the home folder, with all others in its `children`.
   */
  folderList: 'flat' | 'nested' | 'one-object';
  /** R5: what the list of a folder or project that is not there is answered with. */
  unknownPlace: 'refused' | 'empty-list' | 'whole-collection';
  /** R6: titles and descriptions of projects, in HTML. */
  titles: 'plain' | 'escaped';
  /** R6. */
  folderNames: 'plain' | 'escaped';
  /** R6. */
  fileNames: 'plain' | 'escaped';
  /** What becomes of a name at create: `numbered`: `report_1.pdf`; `own`: the service's own. */
  namesOnCreate: 'kept' | 'numbered' | 'own';
  /** R7: a file's `url`. */
  fileUrl: 'text' | 'object';
  /** R8: `{ "id": 7 }`, or 7. */
  creator: 'object' | 'number';
}

/** The same for all lists. */
export function everyList<T>(value: T): Record<ListKind, T> {
  return { files: value, folders: value, projects: value, people: value };
}

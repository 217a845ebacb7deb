import type { ErrorReporting } from './responses.ts';

/** The account's lists. */
export type ListKind = 'files' | 'folders' | 'projects' | 'people';

export type ListOrder = 'oldest-first' | 'newest-first';

/**
 * How accounts differ, one field per fact; R1 to R10 refer to the service interface, appendix 2. In
 * all accounts `by_me` means "made by me" (R9), dates end in `+00:00`, and a status 429 has
 * `Retry-After`. The seed chooses how many digits identifiers have (R8).
 */
export interface Behaviour {
  /**
   * R1: how much of a list one response holds. `whole`: all entries; `paged`: at most 100, from
   * `?start=<n>` on, fewer with `&limit=<m>`; `cut`: always the first 100.
   */
  listPaging: Record<ListKind, 'whole' | 'paged' | 'cut'>;
  /** R1. */
  listOrder: Record<ListKind, ListOrder>;
  /** R2: which requests must carry `Content-Type: application/json`. */
  jsonHeader: 'with-a-body' | 'always';
  /** R3: how refusals are reported, including injected 401, 403 and 404. */
  errors: ErrorReporting;
  /** R3 and R10: how the rate limit refuses; a status 429 has `Retry-After`. */
  rateLimitErrors: ErrorReporting;
  /**
   * R4. `flat`: an array of all folders; `nested`: an array of the top folders, the others in their
   * `children`; `one-object`: the home folder's top folder, with all others in its `children`.
   */
  folderList: 'flat' | 'nested' | 'one-object';
  /** R5: what listing a folder or project that does not exist returns. */
  unknownParent: 'refused' | 'empty-list' | 'whole-collection';
  /**
   * Whether a path's project counts where the path names a folder. `ignored`: every project has all
   * folders of the key's user.
   */
  projectNumbers: 'checked' | 'ignored';
  /** R6: titles and descriptions of projects, in HTML. */
  titles: 'plain' | 'escaped';
  /** R6. */
  folderNames: 'plain' | 'escaped';
  /** R6. */
  fileNames: 'plain' | 'escaped';
  /** How create names a file: `numbered`: `report_1.pdf`; `own`: `file-<attachment>.pdf`. */
  namesOnCreate: 'kept' | 'numbered' | 'own';
  /** R7: a file's `url`. */
  fileUrl: 'text' | 'object';
  /** R8: `{ "id": 7 }` or `7`. */
  creator: 'object' | 'number';
}

/** Returns `value` for every kind of list. */
export function everyList<T>(value: T): Record<ListKind, T> {
  return { files: value, folders: value, projects: value, people: value };
}

/** `specified`: as the service interface says; `real`: as its appendix 2 describes accounts. */
export type ProfileName = 'specified' | 'real';

export const PROFILES: Record<ProfileName, Behaviour> = {
  specified: {
    listPaging: everyList('whole'),
    listOrder: everyList('oldest-first'),
    jsonHeader: 'with-a-body',
    errors: 'by-status',
    rateLimitErrors: 'by-status',
    folderList: 'flat',
    unknownParent: 'refused',
    projectNumbers: 'checked',
    titles: 'plain',
    folderNames: 'plain',
    fileNames: 'plain',
    namesOnCreate: 'kept',
    fileUrl: 'text',
    creator: 'object',
  },
  // Where the appendix does not know (list order, whether names are escaped): the plainer choice.
  real: {
    listPaging: everyList('paged'),
    listOrder: everyList('oldest-first'),
    jsonHeader: 'always',
    errors: ['all-markers', 'code-alone', 'success-only', 'status-only'],
    rateLimitErrors: 'by-status',
    folderList: 'one-object',
    unknownParent: 'empty-list',
    projectNumbers: 'checked',
    titles: 'escaped',
    folderNames: 'plain',
    fileNames: 'plain',
    namesOnCreate: 'kept',
    fileUrl: 'object',
    creator: 'number',
  },
};

/** Whether there is a profile of that name. */
export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}

export type BehaviourControl = ReturnType<typeof createBehaviourControl>;

/** Creates the control that reads and sets the account's behaviour while the service runs. */
export function createBehaviourControl(profile: ProfileName, changes: Partial<Behaviour> = {}) {
  let now = { profile, behaviour: { ...PROFILES[profile], ...changes } };
  return {
    profile: () => now.profile,
    current: (): Behaviour => now.behaviour,
    /** Sets the behaviour from the next request on. Discards earlier `changes`. */
    set: (profile: ProfileName, changes: Partial<Behaviour> = {}): void => {
      now = { profile, behaviour: { ...PROFILES[profile], ...changes } };
    },
  };
}

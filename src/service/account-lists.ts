import { type Logger, oncePer, orNull } from '../base/index.ts';
import { decodeHtml } from '../core/index.ts';
import { type Answer, badAnswer } from './answer.ts';
import { type CallContext, type CallOptions, callOnce, callWithRetries } from './call.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import { apiOperation } from './http.ts';
import { asName, asWholeNumber, isJsonObject, parseJson, readPerson, readProject } from './json.ts';
import {
  arrayOf,
  type Identified,
  type ListAddress,
  PAGES_AT_ONCE,
  type Page,
  readList,
  readOn,
  type SourceOf,
} from './list.ts';

/** A list outside the specified interface: projects, folders or people. */
export interface AccountList<T> {
  records: T[];
  /** False if some records, or the end of the list, could not be read. */
  complete: boolean;
}

/** Whether the account lists the identifier; null if the list is missing or incomplete. */
export function isListed(list: AccountList<Identified> | null, id: number): boolean | null {
  if (list?.records.some((record) => record.id === id)) return true;
  return list?.complete ? false : null;
}

export type AccountLists = ReturnType<typeof createAccountLists>;

/**
 * Creates the calls outside the specified interface (service interface, appendix). Each list is
 * read to its end, page by page, a long one in the bulk lane. Resolves with null if the account
 * does not offer the call (404, 403, or an error within a 200).
 */
export function createAccountLists(context: CallContext & { sourceOf: SourceOf; logger: Logger }) {
  const { sourceOf, logger } = context;
  async function list<T extends Identified>(
    address: ListAddress<T>,
    options: CallOptions,
  ): Promise<AccountList<T> | null> {
    const begun = await orNull(readList(sourceOf(address, options), PAGES_AT_ONCE), isNotOffered);
    if (!begun) return null;
    const { path } = address;
    // Callers share the rest of a long list, so it must not count towards one person's slots.
    const inBulk = { ...options, lane: 'bulk', queue: path } as const;
    const { state, records, unreadable } = await readOn(begun, sourceOf(address, inBulk));
    const complete = state === 'whole' && unreadable.size === 0;
    if (!complete)
      logger.warn({ path, unreadable: unreadable.size }, 'A list could not be read to its end');
    return { records: [...records.values()], complete };
  }

  async function listFolders(
    projectId: number,
    options: CallOptions,
  ): Promise<AccountList<Folder> | null> {
    const path = `/projects/${projectId}/folders`;
    const entries = await list({ path, read: readFolderEntries }, options);
    if (!entries) return null;
    const { records, unreadable } = flattenFolders(entries.records.map(({ value }) => value));
    return {
      // For an unknown project the service may return all projects' folders (appendix 2, R5).
      records: records.filter((folder) => (folder.projectId ?? projectId) === projectId),
      complete: entries.complete && unreadable === 0,
    };
  }

  return {
    listProjects: (options: CallOptions) =>
      list({ path: '/projects', read: arrayOf(readProject) }, options),
    listFolders,
    listPeople: (options: CallOptions) =>
      list({ path: '/people', read: arrayOf(readPerson) }, options),
    /**
     * Creates a folder at the top of a project. Retries only a request that was never sent: after
     * an error other than `sent: 'no'` the folder may exist.
     */
    createFolder: (
      { projectId, name }: { projectId: number; name: string },
      options: CallOptions,
    ): Promise<Folder> => {
      const operation = apiOperation('POST', `/projects/${projectId}/folders`);
      return callWithRetries(context, { operation, json: { name }, options }, readCreated);
    },
    /**
     * Checks with at most one request that the service answers. Resolves with whether the account
     * offers the list of projects.
     */
    check: async (options: CallOptions): Promise<boolean> => {
      const operation = apiOperation('GET', '/projects');
      const answer = callOnce(context, { operation, options }, arrayOf(readProject));
      return (await orNull(answer, isNotOffered)) !== null;
    },
  };
}

const NOT_OFFERED: readonly ServiceErrorCode[] = [
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
];

// A web server of the account's may answer a call that it lacks with a page of its own.
function isNotOffered(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { code, status } = error;
  return (
    NOT_OFFERED.includes(code) ||
    (code === 'SERVICE_BAD_ANSWER' && (status === 403 || status === 404))
  );
}

export type Folder = NonNullable<ReturnType<typeof readFolder>>;

const byNumber = oncePer(
  (folders: readonly Folder[]) => new Map(folders.map((folder) => [folder.id, folder])),
);

/**
 * Returns a folder's name after those of the folders that it is in, without the project's own:
 * `Design › Logos`; null if it is not among `folders`, which must not change.
 */
export function folderPath(folders: readonly Folder[], id: number): string | null {
  const all = byNumber(folders);
  const path: string[] = [];
  // The list has no cycles of parents.
  for (let at = all.get(id); at; at = all.get(at.parentId ?? 0))
    if (!at.isRoot || path.length === 0) path.unshift(at.name);
  return path.join(' › ') || null;
}

/** An unparsed entry of a folders response, with its `children`. */
interface FolderEntry {
  id: number;
  value: Record<string, unknown>;
}

/**
 * Reads the entries of a folders response: an array (service interface, appendix), or one object
 * that contains all others (appendix 2, R4).
 *
 * @throws ServiceError SERVICE_BAD_ANSWER if it is neither
 */
export async function readFolderEntries(answer: Answer): Promise<Page<FolderEntry>> {
  if (/^\s*\[/.test(answer.text)) return arrayOf(readEntry)(answer);
  const value = parseJson(answer.text);
  if (!isJsonObject(value) || (value['id'] === undefined && !Array.isArray(value['children'])))
    throw badAnswer(answer, 'something that is no list of folders');
  const { askedAt, serviceTime } = answer;
  const entries = [{ id: asWholeNumber(value['id']) ?? 0, value }];
  return { entries, whole: true, askedAt, serviceTime };
}

function readEntry(value: unknown): FolderEntry | null {
  if (!isJsonObject(value)) return null;
  const id = asWholeNumber(value['id']);
  return id === null ? null : { id, value };
}

const DEEPEST = 50;
const MAX_NODES = 200_000;
/** The name of the project's root folder if the service gives it none. */
const TOP_NAME = 'Top folder';

interface Node {
  value: unknown;
  /** The folder whose `children` contain it; null at the top of the response. */
  within: number | null;
}

/**
 * Flattens folder entries, which may nest others in their `children`. Returns each folder once, in
 * the response's order and inner after outer, with its level and parent; a cycle of parents starts
 * at the top with its first folder. Unreadable, too deep (50 levels) and surplus (200,000) entries
 * are counted and hide no other. Time and memory are linear in the response's length.
 */
export function flattenFolders(entries: readonly unknown[]) {
  const { folders, unreadable } = gather(entries);
  const records = place(folders);
  return { records, unreadable: unreadable + folders.size - records.length };
}

// A growing list instead of recursion: the service controls the depth.
function gather(entries: readonly unknown[]) {
  const nodes: Node[] = [];
  const folders = new Map<number, Folder>();
  let unreadable = 0;
  const add = (values: readonly unknown[], within: number | null) => {
    const room = MAX_NODES - nodes.length;
    for (const value of values.slice(0, room)) nodes.push({ value, within });
    unreadable += Math.max(0, values.length - room);
  };
  add(entries, null);
  for (const node of nodes) {
    const folder = readFolder(node);
    if (!folder) unreadable += 1;
    else if (!folders.has(folder.id)) folders.set(folder.id, folder);
    const children = isJsonObject(node.value) ? node.value['children'] : undefined;
    if (Array.isArray(children)) add(children, folder?.id ?? node.within);
  }
  return { folders, unreadable };
}

function readFolder({ value, within }: Node) {
  if (!isJsonObject(value)) return null;
  const id = asWholeNumber(value['id']);
  const name = nameOf(value, within);
  if (id === null || name === null) return null;
  return {
    id,
    name,
    /** 1 for the top. */
    level: Math.max(1, asWholeNumber(value['level']) ?? 1),
    /** Null for the top. */
    parentId: within ?? asWholeNumber(value['parent_id']),
    /** Its project according to the service; null if not given. */
    projectId: isJsonObject(value['project']) ? asWholeNumber(value['project']['id']) : null,
    ...(isRoot({ value, within }) ? IS_ROOT : {}),
  };
}

/** Marks the project's own folder, which holds all others (appendix 2, R4). */
const IS_ROOT = { isRoot: true };

function isRoot({ value, within }: Node): boolean {
  return within === null && isJsonObject(value) && value['parent_id'] === null;
}

function nameOf(value: Record<string, unknown>, within: number | null): string | null {
  const given = asName(value['name']);
  if (isRoot({ value, within }) && /^\s*(root)?\s*$/i.test(given ?? '')) return TOP_NAME;
  return given === null ? null : decodeHtml(given);
}

/** Sets each folder's level, in the response's order, and drops folders that are too deep. */
function place(folders: ReadonlyMap<number, Folder>): Folder[] {
  const listed = [...folders.values()];
  const children = Map.groupBy(listed, ({ parentId }) => parentId);
  const tops = listed.filter(({ parentId }) => parentId === null || !folders.has(parentId));
  // Folders below no top form cycles; the first folder of each cycle becomes a top.
  const line = [...tops, ...listed.map((folder) => ({ ...folder, parentId: null, level: 1 }))];
  const placed = new Map<number, Folder>();
  for (const top of line) {
    const branch = [top];
    for (const folder of branch) {
      if (placed.has(folder.id)) continue;
      placed.set(folder.id, folder);
      const inner = children.get(folder.id) ?? [];
      for (const child of inner) branch.push({ ...child, level: folder.level + 1 });
    }
  }
  return listed.flatMap(({ id }) => placed.get(id) ?? []).filter(({ level }) => level <= DEEPEST);
}

function readCreated(answer: Answer): Folder {
  const [folder] = flattenFolders([parseJson(answer.text)]).records;
  if (!folder) throw badAnswer(answer, 'no readable folder');
  return folder;
}

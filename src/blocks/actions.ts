import { z } from 'zod';
import { FILE_KINDS } from '../transfers/index.ts';

/**
 * A button or a menu, and the claim that its value carries. The value comes back from outside:
 * `read` returns null for one that no view writes, and the listener checks the claim against the
 * ledger.
 */
export interface Action<T> extends Claim<T> {
  /** Its `action_id`. */
  id: string;
}

interface Claim<T> {
  write(claim: T): string;
  read(value: unknown): T | null;
}

type ClaimOf<A> = A extends Claim<infer T> ? T : never;

/** The longest text that a button carries, in UTF-16 units: no file's name is longer. */
export const MAX_FILTER_LENGTH = 255;

// Short keys leave room for text: Slack limits a `block_id` to 255 characters.
const SHORT_NAMES: Readonly<Record<string, string>> = {
  ...{ projectId: 'p', folderId: 'f', fileId: 'id', channel: 'c', shareId: 'share', askedAt: 'at' },
  ...{
    name: 'n',
    size: 's',
    filter: 'q',
    words: 'q',
    kind: 'k',
    linksPage: 'links',
    reportId: 'report',
  },
};

function claimWith<S extends z.ZodRawShape>(shape: S): Claim<z.output<z.ZodObject<S>>> {
  const schema = z.object(shape);
  const names = Object.keys(shape).map((name) => [name, SHORT_NAMES[name] ?? name] as const);
  return {
    write: (claim) => {
      const given = new Map<string, unknown>(Object.entries(claim));
      return JSON.stringify(
        Object.fromEntries(names.map(([name, short]) => [short, cutText(given.get(name))])),
      );
    },
    read: (value) => {
      const sent = parseObject(value);
      const given = Object.fromEntries(names.map(([name, short]) => [name, sent?.[short]]));
      return schema.safeParse(given).data ?? null;
    },
  };
}

function cutText(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_FILTER_LENGTH) : value;
}

const id = z.number().int().positive();
const text = z.string().max(MAX_FILTER_LENGTH);
const channel = z.string().max(40);
const folder = { projectId: id, folderId: id };

// All pages count from 1.
const filesPage = claimWith({ page: id, filter: text.nullable() });
/** A file, and the page that shows its button. */
const file = claimWith({
  ...{ ...folder, page: id, filter: text.nullable(), fileId: id },
  // As the list shows it; absent in buttons of earlier versions.
  name: text.optional(),
  size: z.number().nullable().optional(),
});
/** A page of the files of one kind; `kind` null: of all kinds. */
const foundPage = claimWith({ words: text, kind: z.enum(FILE_KINDS).nullable(), page: id });
const share = claimWith({ shareId: id });
/**
 * The copies of a share's message that were asked about at that time, in epoch milliseconds. Its
 * channel; absent: where it is pressed.
 */
const copies = claimWith({ shareId: id, askedAt: z.number(), channel: channel.optional() });
/** A folder, and the channel whose files are meant; absent: the one where it is pressed. */
const folderHere = claimWith({ ...folder, channel: channel.optional() });
/** A channel; null: the one where it is pressed. */
const channelHere = claimWith({ channel: channel.nullable() });
const foldersPage = claimWith({ projectId: id, page: id });
const projectsPage = claimWith({ page: id });
/** A channel with files that need attention, null for none, and the shown pages. */
const attention = claimWith({ channel: channel.nullable(), page: id, linksPage: id });

/** Every button and menu, but for those that turn pages: see PAGE_ACTIONS. */
export const ACTIONS = {
  retryShare: { id: 'retry_share', ...share },
  deleteCopies: { id: 'delete_copies', ...copies },
  keepCopies: { id: 'keep_copies', ...copies },
  deleteFile: { id: 'delete_file', ...file },
  filesShowAll: { id: 'files_show_all', ...filesPage },
  foundKind: { id: 'found_kind', ...foundPage },
  linkFolder: { id: 'link_folder', ...folderHere },
  linkChannel: { id: 'link_channel', ...channelHere },
  foldersOfProject: { id: 'folders_of_project', ...foldersPage },
  allProjects: { id: 'all_projects', ...projectsPage },
  foldersRefresh: { id: 'folders_refresh', ...foldersPage },
  projectsRefresh: { id: 'projects_refresh', ...projectsPage },
  fileParked: { id: 'file_parked', ...folderHere },
  leaveParked: { id: 'leave_parked', ...folderHere },
  moveWaiting: { id: 'move_waiting', ...folderHere },
  keepWaiting: { id: 'keep_waiting', ...folderHere },
  parkWaiting: { id: 'leave_waiting', ...folderHere },
  backfillStart: { id: 'backfill_start', ...folderHere },
  backfillDecline: { id: 'backfill_decline', ...folderHere },
  backfillStop: { id: 'backfill_stop', ...claimWith({ reportId: id }) },
  attentionRetry: { id: 'attention_retry', ...attention },
  attentionRelink: { id: 'attention_relink', ...attention },
  attentionSkip: { id: 'attention_skip', ...attention },
  homeRefresh: { id: 'home_refresh', ...attention },
};

/**
 * What turns the pages of each list: buttons to the previous and the next page and, for files, a
 * menu of all pages.
 */
export const PAGE_ACTIONS = {
  files: { menu: { id: 'files_page', ...filesPage }, ...through('files_page', filesPage) },
  found: { menu: { id: 'found_page', ...foundPage }, ...through('found_page', foundPage) },
  folders: through('folders_page', foldersPage),
  projects: through('projects_page', projectsPage),
  attention: through('attention_page', attention),
  homeLinks: through('home_links', attention),
};

function through<T>(list: string, claim: Claim<T>) {
  return { previous: { id: `${list}_prev`, ...claim }, next: { id: `${list}_next`, ...claim } };
}

export type FileClaim = ClaimOf<typeof file>;
export type FoundPageClaim = ClaimOf<typeof foundPage>;
export type CopiesClaim = ClaimOf<typeof copies>;
export type FolderClaim = ClaimOf<typeof folderHere>;
export type AttentionClaim = ClaimOf<typeof attention>;
/** The shown pages of what needs attention and of the linked channels. */
export type AttentionPages = Omit<AttentionClaim, 'channel'>;

/** The claim of a menu's choice: its block's value with the option's changes; null if malformed. */
export function chosenValue(blockId: string, option: string): string | null {
  const [claim, changes] = [parseObject(blockId), parseObject(option)];
  return claim && changes && JSON.stringify({ ...claim, ...changes });
}

/** Returns the object that a text from outside holds as JSON, still unchecked; null if malformed. */
export function parseObject(text: unknown): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

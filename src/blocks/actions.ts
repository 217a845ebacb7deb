import { z } from 'zod';
import { FILE_KINDS } from '../transfers/index.ts';

/** The `action_id` of every button and menu, but for those that turn pages: see PAGE_ACTIONS. */
export const ACTIONS = {
  retryShare: 'retry_share',
  deleteCopies: 'delete_copies',
  keepCopies: 'keep_copies',
  deleteFile: 'delete_file',
  filesShowAll: 'files_show_all',
  foundKind: 'found_kind',
  linkFolder: 'link_folder',
  linkChannel: 'link_channel',
  foldersOfProject: 'folders_of_project',
  allProjects: 'all_projects',
  foldersRefresh: 'folders_refresh',
  projectsRefresh: 'projects_refresh',
  fileParked: 'file_parked',
  leaveParked: 'leave_parked',
  moveWaiting: 'move_waiting',
  keepWaiting: 'keep_waiting',
  parkWaiting: 'leave_waiting',
  backfillStart: 'backfill_start',
  backfillDecline: 'backfill_decline',
  backfillStop: 'backfill_stop',
  attentionRetry: 'attention_retry',
  attentionRelink: 'attention_relink',
  attentionSkip: 'attention_skip',
  homeRefresh: 'home_refresh',
} as const;

/**
 * The `action_id`s that turn the pages of each list: buttons to the previous and the next page and,
 * for files, a menu of all pages.
 */
export const PAGE_ACTIONS = {
  files: { menu: 'files_page', ...through('files_page') },
  found: { menu: 'found_page', ...through('found_page') },
  folders: through('folders_page'),
  projects: through('projects_page'),
  attention: through('attention_page'),
  homeLinks: through('home_links'),
};

function through<L extends string>(list: L) {
  return { previous: `${list}_prev`, next: `${list}_next` } as const;
}

export type ActionId = ValueOf<typeof ACTIONS> | ValueOf<ValueOf<typeof PAGE_ACTIONS>>;

// Distributes over a union: the values of each member.
type ValueOf<T> = T extends unknown ? T[keyof T] : never;

/**
 * Writes and reads a button's value. It comes back from outside, so it is a claim: `read` returns
 * null for a value that no view writes, and the listener checks the claim against the ledger.
 */
export interface ButtonValue<T> {
  write(claim: T): string;
  read(value: unknown): T | null;
}

type ClaimOf<V> = V extends ButtonValue<infer T> ? T : never;

/** The longest text that a button carries, in UTF-16 units: no file's name is longer. */
export const MAX_FILTER_LENGTH = 255;

// Short keys leave room for text: Slack limits a `block_id` to 255 characters.
const SHORT_NAMES: Readonly<Record<string, string>> = {
  ...{ projectId: 'p', folderId: 'f', fileId: 'id', channel: 'c', shareId: 'share', askedAt: 'at' },
  ...{ filter: 'q', words: 'q', kind: 'k', linksPage: 'links', reportId: 'report' },
};

function buttonValue<S extends z.ZodRawShape>(shape: S): ButtonValue<z.output<z.ZodObject<S>>> {
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
      try {
        const sent = typeof value === 'string' ? JSON.parse(value) : null;
        return schema.parse(Object.fromEntries(names.map(([name, short]) => [name, sent[short]])));
      } catch {
        return null;
      }
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
const filesPage = { page: id, filter: text.nullable() };

/** The page, from 1, of `files_page*` and `files_show_all`. */
export const filesPageValue = buttonValue(filesPage);

/** The file of `delete_file`, and the page that shows its button. */
export const fileValue = buttonValue({ ...folder, ...filesPage, fileId: id });
export type FileClaim = ClaimOf<typeof fileValue>;

/** The page, from 1, of `found_*`, of the files of one kind; `kind` null: of all kinds. */
export const foundPageValue = buttonValue({
  words: text,
  kind: z.enum(FILE_KINDS).nullable(),
  page: id,
});
export type FoundPageClaim = ClaimOf<typeof foundPageValue>;

/** The claim of a menu's choice: its block's value with the option's changes; null if malformed. */
export function chosenValue(blockId: string, option: string): string | null {
  try {
    return JSON.stringify({ ...JSON.parse(blockId), ...JSON.parse(option) });
  } catch {
    return null;
  }
}

/** The share of `retry_share`. */
export const shareValue = buttonValue({ shareId: id });

/**
 * What `delete_copies` and `keep_copies` are about: the copies of a share's message that were asked
 * about at that time, in epoch milliseconds. Its channel; absent: where it is pressed.
 */
export const copiesValue = buttonValue({
  shareId: id,
  askedAt: z.number(),
  channel: channel.optional(),
});
export type CopiesClaim = ClaimOf<typeof copiesValue>;

/** The report of `backfill_stop`. */
export const reportValue = buttonValue({ reportId: id });

/**
 * The folder of `link_folder`, `*_waiting`, `file_parked`, `leave_parked`, `backfill_start` and
 * `backfill_decline`, and the channel whose files are meant; absent: the one where it is pressed.
 */
export const folderValue = buttonValue({ ...folder, channel: channel.optional() });
export type FolderClaim = ClaimOf<typeof folderValue>;

/** The channel of `link_channel`; null: the one where it is pressed. */
export const channelValue = buttonValue({ channel: channel.nullable() });

/** The page, from 1, of `folders_of_project`, `folders_page*` and `folders_refresh`. */
export const foldersPageValue = buttonValue({ projectId: id, page: id });

/** The page, from 1, of `all_projects`, `projects_page*` and `projects_refresh`. */
export const projectsPageValue = buttonValue({ page: id });

/**
 * The pages of `attention_page*` and `home_*`, and the channel of `attention_retry`,
 * `attention_relink` and `attention_skip`; null for none.
 */
export const attentionValue = buttonValue({ channel: channel.nullable(), page: id, linksPage: id });
export type AttentionClaim = ClaimOf<typeof attentionValue>;
/** The shown pages of what needs attention and of the linked channels; from 1. */
export type AttentionPages = Omit<AttentionClaim, 'channel'>;

import { z } from 'zod';
import { type Destination, FILE_KINDS, type FileKind } from '../transfers/index.ts';

/** The `action_id` of every button and menu that the views make. */
export const ACTIONS = {
  retryShare: 'retry_share',
  deleteCopies: 'delete_copies',
  keepCopies: 'keep_copies',
  deleteFile: 'delete_file',
  filesPrevious: 'files_page_prev',
  filesNext: 'files_page_next',
  filesPage: 'files_page',
  filesShowAll: 'files_show_all',
  foundPrevious: 'found_page_prev',
  foundNext: 'found_page_next',
  foundPage: 'found_page',
  foundKind: 'found_kind',
  linkFolder: 'link_folder',
  linkChannel: 'link_channel',
  foldersPrevious: 'folders_page_prev',
  foldersNext: 'folders_page_next',
  projectsPrevious: 'projects_page_prev',
  projectsNext: 'projects_page_next',
  foldersOfProject: 'folders_of_project',
  allProjects: 'all_projects',
  foldersRefresh: 'folders_refresh',
  projectsRefresh: 'projects_refresh',
  fileParked: 'file_parked',
  leaveParked: 'leave_parked',
  moveWaiting: 'move_waiting',
  keepWaiting: 'keep_waiting',
  leaveWaiting: 'leave_waiting',
  backfillStart: 'backfill_start',
  backfillDecline: 'backfill_decline',
  backfillStop: 'backfill_stop',
  attentionRetry: 'attention_retry',
  attentionRelink: 'attention_relink',
  attentionSkip: 'attention_skip',
  attentionPrevious: 'attention_page_prev',
  attentionNext: 'attention_page_next',
  homeLinksPrevious: 'home_links_prev',
  homeLinksNext: 'home_links_next',
  homeRefresh: 'home_refresh',
} as const;

export type ActionId = (typeof ACTIONS)[keyof typeof ACTIONS];

/**
 * What a button carries. It comes back from outside, so it is a claim: `read` returns null for what
 * no view of ours writes, and the listener checks what is claimed against the ledger.
 */
export interface ButtonValue<T> {
  write(claim: T): string;
  read(value: unknown): T | null;
}

interface Wire<W, T> {
  schema: z.ZodType<W>;
  pack: (claim: T) => W;
  unpack: (wire: W) => T;
}

function buttonValue<W, T>({ schema, pack, unpack }: Wire<W, T>): ButtonValue<T> {
  return {
    write: (claim) => JSON.stringify(pack(claim)),
    read: (value) => {
      try {
        return typeof value === 'string' ? unpack(schema.parse(JSON.parse(value))) : null;
      } catch {
        return null;
      }
    },
  };
}

/** The longest filter that a page button carries: no file's name is longer. */
export const LONGEST_FILTER = 255;

/** A page of a folder's files. */
export interface FilesPageClaim extends Destination {
  /** From 1. */
  page: number;
  filter: string | null;
}

/** A file that a button speaks of, and the page that the button stands on. */
export interface FileClaim extends FilesPageClaim {
  fileId: number;
}

const id = z.number().int().positive();
const filesPage = {
  schema: z.object({ p: id, f: id, page: id, q: z.string().max(LONGEST_FILTER).nullable() }),
  pack: ({ projectId: p, folderId: f, page, filter }: FilesPageClaim) => ({
    p,
    f,
    page,
    q: filter?.slice(0, LONGEST_FILTER) ?? null,
  }),
  unpack: ({ p, f, page, q }: { p: number; f: number; page: number; q: string | null }) => ({
    projectId: p,
    folderId: f,
    page,
    filter: q,
  }),
};

/** The page of `files_page`, `files_page_prev`, `files_page_next` and `files_show_all`. */
export const filesPageValue: ButtonValue<FilesPageClaim> = buttonValue(filesPage);

/** The file of `delete_file`. */
export const fileValue: ButtonValue<FileClaim> = buttonValue({
  schema: filesPage.schema.extend({ id }),
  pack: (claim: FileClaim) => ({ ...filesPage.pack(claim), id: claim.fileId }),
  unpack: (wire) => ({ ...filesPage.unpack(wire), fileId: wire.id }),
});

/** A page of what a search found. */
export interface FoundPageClaim {
  words: string;
  /** Only files of this sort; null for all. */
  kind: FileKind | null;
  /** From 1. */
  page: number;
}

/** The page of `found_*`. */
export const foundPageValue: ButtonValue<FoundPageClaim> = buttonValue({
  schema: z.object({
    q: z.string().max(LONGEST_FILTER),
    k: z.enum(FILE_KINDS).nullable(),
    page: id,
  }),
  pack: ({ words, kind: k, page }: FoundPageClaim) => ({
    q: words.slice(0, LONGEST_FILTER),
    k,
    page,
  }),
  unpack: ({ q, k, page }) => ({ words: q, kind: k, page }),
});

/** Slack takes so many characters in a block's identifier. */
const LONGEST_BLOCK_ID = 255;

/**
 * The identifier of a block with menus: the claim that their choices change. Null for one that is too
 * long for Slack. An option of a menu holds less than a button does.
 */
export function menuBlockId(value: string): string | null {
  return value.length <= LONGEST_BLOCK_ID ? value : null;
}

/** What a choice in a menu claims: the value of its block with what the option changes. */
export function chosenValue(blockId: string, option: string): string | null {
  try {
    return JSON.stringify({ ...JSON.parse(blockId), ...JSON.parse(option) });
  } catch {
    return null;
  }
}

/** The share of `retry_share`, `delete_copies` and `keep_copies`. */
export const shareValue: ButtonValue<number> = buttonValue({
  schema: z.object({ share: id }),
  pack: (share) => ({ share }),
  unpack: ({ share }) => share,
});

/** The report of `backfill_stop`. */
export const reportValue: ButtonValue<number> = buttonValue({
  schema: z.object({ report: id }),
  pack: (report) => ({ report }),
  unpack: ({ report }) => report,
});

/** A folder, and the channel whose files are spoken of; absent: the one that it is pressed in. */
export interface FolderClaim extends Destination {
  channel?: string | undefined;
}

/** The folder of `link_folder`, `*_waiting`, `file_parked`, `leave_parked`, `backfill_start` and `backfill_decline`. */
export const folderValue: ButtonValue<FolderClaim> = buttonValue({
  schema: z.object({ p: id, f: id, c: z.string().max(30).optional() }),
  pack: ({ projectId: p, folderId: f, channel: c }: FolderClaim) => ({ p, f, c }),
  unpack: ({ p, f, c }) => ({ projectId: p, folderId: f, channel: c }),
});

/** The channel of `link_channel`; null: the one that it is pressed in. */
export const channelValue: ButtonValue<{ channel: string | null }> = buttonValue({
  schema: z.object({ c: z.string().max(30).nullable() }),
  pack: ({ channel: c }) => ({ c }),
  unpack: ({ c }) => ({ channel: c }),
});

/** The page, from 1, of `folders_of_project`, `folders_page_*` and `folders_refresh`. */
export const foldersPageValue: ButtonValue<{ projectId: number; page: number }> = buttonValue({
  schema: z.object({ p: id, page: id }),
  pack: ({ projectId: p, page }) => ({ p, page }),
  unpack: ({ p, page }) => ({ projectId: p, page }),
});

/** The page, from 1, of `all_projects`, `projects_page_*` and `projects_refresh`. */
export const projectsPageValue: ButtonValue<number> = buttonValue({
  schema: z.object({ page: id }),
  pack: (page) => ({ page }),
  unpack: ({ page }) => page,
});

/** The pages that are shown of what needs attention, and of the linked channels; from 1. */
export interface AttentionPlace {
  page: number;
  linksPage: number;
}

/** A place, and the channel whose files a button there speaks of; null for none. */
export interface AttentionClaim extends AttentionPlace {
  channel: string | null;
}

/** The channel of `attention_retry`, `attention_relink` and `attention_skip`; the page of `attention_page_*` and `home_*`. */
export const attentionValue: ButtonValue<AttentionClaim> = buttonValue({
  schema: z.object({ c: z.string().max(40).nullable(), page: id, links: id }),
  pack: ({ channel: c, page, linksPage: links }: AttentionClaim) => ({ c, page, links }),
  unpack: ({ c: channel, page, links: linksPage }) => ({ channel, page, linksPage }),
});

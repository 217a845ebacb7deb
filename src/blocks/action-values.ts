import { z } from 'zod';
import type { Destination } from '../transfers/index.ts';

/** The longest filter that a page button carries: no file's name is longer. */
export const LONGEST_FILTER = 255;

const id = z.number().int().positive();
const page = z.number().int().positive();

const shareValue = z.object({ share: id });
const reportValue = z.object({ report: id });
const folderValue = z.object({ p: id, f: id });
const filter = z.string().max(LONGEST_FILTER).nullable();
const filesPageValue = z.object({ p: id, f: id, page, q: filter });
const fileValue = filesPageValue.extend({ id });
const foldersPageValue = z.object({ p: id, page });
const projectsPageValue = z.object({ page });

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

export interface FoldersPageClaim {
  projectId: number;
  /** From 1. */
  page: number;
}

export const writeShareValue = (share: number): string => JSON.stringify({ share });

export const writeReportValue = (report: number): string => JSON.stringify({ report });

export const writeFolderValue = ({ projectId: p, folderId: f }: Destination): string =>
  JSON.stringify({ p, f });

export function writeFileValue({ fileId: id, ...page }: FileClaim): string {
  return JSON.stringify({ ...filesPage(page), id });
}

export function writeFilesPageValue(claim: FilesPageClaim): string {
  return JSON.stringify(filesPage(claim));
}

function filesPage(claim: FilesPageClaim): z.infer<typeof filesPageValue> {
  const { projectId: p, folderId: f, page, filter } = claim;
  return { p, f, page, q: filter?.slice(0, LONGEST_FILTER) ?? null };
}

export const writeFoldersPageValue = ({ projectId: p, page }: FoldersPageClaim): string =>
  JSON.stringify({ p, page });

export const writeProjectsPageValue = (page: number): string => JSON.stringify({ page });

/*
 * A button's value comes back from outside, so it is a claim: each reader answers null to what no
 * view of ours writes, and the listener checks what is claimed against the ledger.
 */

/** The share of `retry_share`. */
export function readShareValue(value: unknown): number | null {
  return read(shareValue, value)?.share ?? null;
}

/** The report of `backfill_stop`. */
export function readReportValue(value: unknown): number | null {
  return read(reportValue, value)?.report ?? null;
}

/** The folder of `link_folder`, `file_parked`, `leave_parked`, `backfill_start` and `backfill_decline`. */
export function readFolderValue(value: unknown): Destination | null {
  const claim = read(folderValue, value);
  return claim && { projectId: claim.p, folderId: claim.f };
}

/** The file of `delete_file`. */
export function readDeleteValue(value: unknown): FileClaim | null {
  const claim = read(fileValue, value);
  return claim && { ...pageClaim(claim), fileId: claim.id };
}

/** The page of `files_page_prev`, `files_page_next` and `files_show_all`. */
export function readPageValue(value: unknown): FilesPageClaim | null {
  const claim = read(filesPageValue, value);
  return claim && pageClaim(claim);
}

function pageClaim({ p, f, page, q }: z.infer<typeof filesPageValue>): FilesPageClaim {
  return { projectId: p, folderId: f, page, filter: q };
}

/** The page of `folders_of_project`, `folders_page_prev` and `folders_page_next`. */
export function readFoldersPageValue(value: unknown): FoldersPageClaim | null {
  const claim = read(foldersPageValue, value);
  return claim && { projectId: claim.p, page: claim.page };
}

/** The page of `projects_page_prev` and `projects_page_next`. */
export function readProjectsPageValue(value: unknown): number | null {
  return read(projectsPageValue, value)?.page ?? null;
}

function read<T>(schema: z.ZodType<T>, value: unknown): T | null {
  if (typeof value !== 'string') return null;
  try {
    return schema.parse(JSON.parse(value));
  } catch {
    return null;
  }
}

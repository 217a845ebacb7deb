import { writeFoldersPageValue, writeFolderValue } from './action-values.ts';
import { ACTIONS } from './actions.ts';
import { button } from './button.ts';
import { counted, shownNumber } from './counted.ts';
import { folderTree, type ListedFolder, type PlacedFolder } from './folder-tree.ts';
import { entry, heading, smallPrint } from './layout.ts';
import { type Page, pageOf } from './page-of.ts';
import { pager } from './pager.ts';
import { fallbackText, prose } from './prose.ts';
import { refreshButton, shownCopyAge } from './refresh-button.ts';
import { shownName } from './shown-name.ts';
import type { Block, View } from './view.ts';

/** Folders to a page: one block each, and Slack takes fifty to a message. */
export const FOLDERS_PER_PAGE = 20;

const DEEPEST_SHOWN = 8;
const PATH_LENGTH = 30;

export interface FolderListInput {
  projectTitle: string | null;
  projectId: number;
  /** All folders of the project, in any order. */
  folders: readonly ListedFolder[];
  /** The folder of this project that the channel is linked to. */
  linkedFolderId: number | null;
  /** Whether the reader may link this channel: shows the buttons for it. */
  mayLink: boolean;
  /** From 1; the last page stands in for one that is not there. */
  page: number;
  /** The age of the copy that the list is made from, milliseconds; null when it is fresh. */
  copyAgeMs: number | null;
}

/** The answer to `/folders`: a page of a project's tree of folders, each with a button to link it. */
export function folderList(input: FolderListInput): View {
  const { folders, projectId } = input;
  const title = shownName(input.projectTitle ?? '', { unnamed: `Project ${projectId}` });
  const page = pageOf(folderTree(folders), FOLDERS_PER_PAGE, input.page);
  const text = `Folders of ${title}: ${shownNumber(folders.length)}.`;
  const entries = page.items.map((folder) => folderEntry(folder, input));
  return {
    text: fallbackText([text]),
    blocks: [
      heading(`Folders of ${title}`),
      ...(entries.length === 0
        ? [noFolders()]
        : [smallPrint(standing(page, input)), ...entries, ...whoLinks(input)]),
      ...pagerOf(page, input),
    ],
  };
}

function whoLinks({ mayLink }: FolderListInput): Block[] {
  return mayLink ? [] : [smallPrint('A workspace admin can link this channel to one of these.')];
}

function noFolders(): Block {
  return prose(['This project has no folders yet. Make one in the file service, then try again.']);
}

function standing(
  { items, page, pages }: Page<PlacedFolder>,
  { folders, copyAgeMs }: FolderListInput,
): string {
  const path = items[0]?.path ?? [];
  const names = path.slice(-DEEPEST_SHOWN).map((name) => folderName(name, PATH_LENGTH));
  const parts = [
    counted(folders.length, 'folder'),
    pages > 1 ? `page ${shownNumber(page)} of ${shownNumber(pages)}` : null,
    names.length > 0 ? `beginning inside ${names.join(' › ')}` : null,
    copyAgeMs === null ? null : shownCopyAge(copyAgeMs),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

function folderEntry(
  folder: PlacedFolder,
  { projectId, linkedFolderId, mayLink }: FolderListInput,
): Block {
  const indent = '› '.repeat(Math.min(folder.depth, DEEPEST_SHOWN));
  const name = folderName(folder.name);
  if (folder.id === linkedFolderId)
    return entry(`${indent}✓ ${name} – this channel’s folder`, null);
  if (!mayLink) return entry(`${indent}${name}`, null);
  const value = writeFolderValue({ projectId, folderId: folder.id });
  const link = { action: ACTIONS.linkFolder, label: 'Link this channel', value };
  return entry(`${indent}${name}`, button({ ...link, spoken: `Link this channel to ${name}` }));
}

function folderName(name: string, max?: number): string {
  const unnamed = 'unnamed folder';
  return shownName(name, max === undefined ? { unnamed } : { unnamed, max });
}

function pagerOf({ page, pages }: Page<PlacedFolder>, { projectId, copyAgeMs }: FolderListInput) {
  const valueFor = (target: number) => writeFoldersPageValue({ projectId, page: target });
  const previous = { action: ACTIONS.foldersPrevious, label: 'Previous' };
  const next = { action: ACTIONS.foldersNext, label: 'Next' };
  const refresh = { action: ACTIONS.foldersRefresh, value: valueFor(page) };
  return pager({ page, pages, previous, next, valueFor }, refreshButton(copyAgeMs, refresh));
}

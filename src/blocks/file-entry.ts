import { ACTIONS, fileValue } from './actions.ts';
import { counted, shownAge, shownSize } from './format.ts';
import { type Block, button, type Detail, detailsLine, entry } from './layout.ts';
import { type FolderRef, shownFolder } from './prose.ts';
import { isUserId, linkAddress, shownName, staysAsItIs } from './text.ts';

/** A file of a folder, as the list shows it. */
export interface ListedFile {
  /** The service's number of the file. */
  id: number;
  name: string;
  /** Bytes; null when the service did not say. */
  sizeBytes: number | null;
  /** Epoch milliseconds; null when the service did not say. */
  createdAt: number | null;
  /** Slack's identifier of who shared it; null when it did not come by Pigeonhole. */
  sharedBy: string | null;
  /** Who made the record in the service; null when nobody knows. Shown where `sharedBy` is null. */
  creatorName: string | null;
  /** Whether the reader may delete it: shows the button for it. */
  mayDelete: boolean;
  approvedCount: number;
  proofCount: number;
  /** Whether the reader approved it; false when the list was read with a key that is not theirs. */
  approvedByMe: boolean;
  /** File type by extension; null when the service did not say. */
  fileType: string | null;
  /** Where to open it, https; null when the service did not say. */
  url: string | null;
}

/** Where a file's entry stands. */
export interface EntryPlace {
  folder: FolderRef;
  /** Of the list, from 1. */
  page: number;
  filter: string | null;
  /** Epoch milliseconds. */
  now: number;
}

/** A file of the list with what is known of it, and a Delete button for who may delete it. */
export function fileEntry(file: ListedFile, place: EntryPlace): Block[] {
  const name = shownName(file.name);
  const action = file.mayDelete ? deleteButton(file, place) : null;
  const address = file.url === null ? null : linkAddress(file.url);
  // What mrkdwn would format stands as it is, with its link beside it.
  const link = staysAsItIs(name) ? address : null;
  const open = link === null && address !== null ? { link: address, label: 'Open' } : null;
  const shown = details(file, open, place.now);
  return [entry(name, action, link), ...(shown.length > 0 ? [detailsLine(shown)] : [])];
}

function details(file: ListedFile, open: Detail | null, now: number): Detail[] {
  const { sizeBytes, createdAt, approvedCount, proofCount } = file;
  const parts = [
    shownType(file),
    sizeBytes === null ? null : shownSize(sizeBytes),
    createdAt === null ? null : shownAge(createdAt, now),
    whose(file),
    approvedCount > 0 ? counted(approvedCount, 'approval') : null,
    file.approvedByMe ? 'approved by you' : null,
    proofCount > 0 ? counted(proofCount, 'proof') : null,
    open,
  ];
  return parts.filter((part) => part !== null);
}

function whose({ sharedBy, creatorName }: ListedFile): Detail | null {
  if (isUserId(sharedBy)) return { person: sharedBy };
  return creatorName === null ? null : shownName(creatorName, { unnamed: 'somebody' });
}

// The extension says it where there is one.
function shownType({ name, fileType }: ListedFile): string | null {
  return fileType === null || /\.\w+$/.test(name) ? null : shownName(fileType, { max: 20 });
}

function deleteButton(file: ListedFile, { folder, page, filter }: EntryPlace) {
  const { projectId, folderId } = folder;
  const name = shownName(file.name, { max: 50 });
  return button({
    action: ACTIONS.deleteFile,
    label: 'Delete',
    value: fileValue.write({ projectId, folderId, page, filter, fileId: file.id }),
    spoken: `Delete ${name}`,
    confirm: {
      title: 'Delete this file?',
      text: `${name} will be deleted from ${shownFolder(folder, 40)} for everyone. Slack’s copy stays.`,
      confirm: 'Delete file',
      deny: 'Keep it',
    },
  });
}

import type { Destination } from '../transfers/index.ts';
import { writeFileValue } from './action-values.ts';
import { ACTIONS } from './actions.ts';
import { button } from './button.ts';
import { counted } from './counted.ts';
import { type FolderRef, shownFolder } from './folder-ref.ts';
import { entry, smallPrint } from './layout.ts';
import { shownName } from './shown-name.ts';
import { shownSize } from './shown-size.ts';
import { shownAge } from './shown-time.ts';
import type { Block } from './view.ts';

/** A file of a folder, as the list shows it. */
export interface ListedFile {
  /** The service's number of the file. */
  id: number;
  name: string;
  /** Bytes. */
  sizeBytes: number;
  /** Epoch milliseconds; null when the service did not say. */
  createdAt: number | null;
  /** Null when nobody knows. */
  creatorName: string | null;
  approvedCount: number;
  proofCount: number;
  /** Whether the reader approved it; false when the list was read with a key that is not theirs. */
  approvedByMe: boolean;
  /** File type by extension; null when the service did not say. */
  fileType: string | null;
}

/** A file of the list with what is known of it and its Delete button. */
export function fileEntry(file: ListedFile, folder: FolderRef, now: number): Block[] {
  const name = shownName(file.name);
  return [entry(name, deleteButton(file, folder)), smallPrint(details(file, now))];
}

function details(file: ListedFile, now: number): string {
  const { sizeBytes, createdAt, creatorName, approvedCount, proofCount } = file;
  const parts = [
    shownType(file),
    shownSize(sizeBytes),
    createdAt === null ? null : shownAge(createdAt, now),
    creatorName === null ? null : shownName(creatorName, { unnamed: 'somebody' }),
    approvedCount > 0 ? counted(approvedCount, 'approval') : null,
    file.approvedByMe ? 'approved by you' : null,
    proofCount > 0 ? counted(proofCount, 'proof') : null,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

// The extension says it where there is one.
function shownType({ name, fileType }: ListedFile): string | null {
  return fileType === null || /\.\w+$/.test(name) ? null : shownName(fileType, { max: 20 });
}

function deleteButton(file: ListedFile, folder: FolderRef) {
  const { projectId, folderId }: Destination = folder;
  const name = shownName(file.name, { max: 50 });
  return button({
    action: ACTIONS.deleteFile,
    label: 'Delete',
    value: writeFileValue({ projectId, folderId, fileId: file.id }),
    spoken: `Delete ${name}`,
    confirm: {
      title: 'Delete this file?',
      text: `${name} will be deleted from ${shownFolder(folder, 40)} for everyone. This cannot be undone.`,
      confirm: 'Delete file',
      deny: 'Keep it',
    },
  });
}

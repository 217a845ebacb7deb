import { hash } from 'node:crypto';
import type { FolderRef } from '../../core/index.ts';

/** A file of a folder, as the list shows it. */
export interface ListedFile {
  /** The service's number of the file. */
  id: number;
  name: string;
  /** Bytes; null when the service did not say. */
  sizeBytes: number | null;
  /** Epoch milliseconds; null when the service did not say. */
  createdAt: number | null;
  /** Slack ID of the person who shared it; null when Pigeonhole did not file it. */
  sharedBy: string | null;
  /** Who created the record in the service; null when unknown, or when `sharedBy` is shown. */
  creatorName: string | null;
  /** Whether the reader may delete it: its menu offers that. */
  mayDelete: boolean;
  approvedCount: number;
  proofCount: number;
  /** File type by extension; null when the service did not say. */
  fileType: string | null;
  /** Where to open it, https; null when the service did not say. */
  url: string | null;
  /** Where to open the message that shared it; null when the reader may not see that. */
  messageUrl: string | null;
  /** Its folder, named beside it. Default: that of the list. */
  folder?: FolderRef;
}

const MARK_LENGTH = 12;

/** Returns what stands for a name where the name itself is too long. */
export function markOf(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, MARK_LENGTH);
}

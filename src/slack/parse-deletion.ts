import { z } from 'zod';
import { readSlackFile } from './slack-file.ts';

const ts = z.string().regex(/^\d{1,20}(\.\d{1,20})?$/);
const inner = z.looseObject({
  ts: ts.nullish(),
  subtype: z.string().nullish(),
  files: z.array(z.unknown()).nullish(),
});
const event = z.looseObject({
  subtype: z.enum(['message_deleted', 'message_changed']),
  channel: z.string().max(40),
  deleted_ts: ts.nullish(),
  message: inner.nullish(),
  previous_message: inner.nullish(),
});

/** A message that was deleted, or a file of one. */
export type ParsedDeletion = { channel: string; ts: string } | { fileId: string };

/**
 * What a `message` event says was deleted: a message that had files (one with replies stays as a
 * tombstone), or files of a message that stays. Nobody is told who deleted it
 * (https://docs.slack.dev/reference/events/message/message_deleted).
 */
export function parseDeletion(value: unknown): ParsedDeletion[] {
  const { success, data } = event.safeParse(value);
  if (!success) return [];
  const { subtype, channel, message, previous_message: previous } = data;
  const isTombstone = message?.subtype === 'tombstone';
  if (subtype === 'message_changed' && !isTombstone) return deletedAmong(message?.files ?? []);
  const deleted = data.deleted_ts ?? message?.ts ?? previous?.ts;
  const hadFiles = !previous || (previous.files ?? []).length > 0;
  return deleted && hadFiles ? [{ channel, ts: deleted }] : [];
}

function deletedAmong(files: readonly unknown[]): ParsedDeletion[] {
  const read = files.flatMap((file) => readSlackFile(file) ?? []);
  return read.flatMap(({ id, mode }) => (mode === 'tombstone' ? [{ fileId: id }] : []));
}

/**
 * What becomes of a filed copy when its file, or the message that shared it, is deleted in Slack:
 * `ask`: its sharer is asked; `keep`: nothing; `follow`: it is deleted too.
 */
export const ON_SLACK_DELETE = ['ask', 'keep', 'follow'] as const;
export type OnSlackDelete = (typeof ON_SLACK_DELETE)[number];

/**
 * Whether a deletion in Slack counts as its sharer's press of Delete. Slack does not say who deleted
 * something, but lets only its author and workspace admins do it, who may both delete the filed copy. A
 * message's author is the sharer; a file's author is who uploaded it, and others may share it again.
 */
export function countsAsPress(deleted: {
  withMessage: boolean;
  uploader: string | null;
  sharer: string;
}): boolean {
  return deleted.withMessage || deleted.uploader === deleted.sharer;
}

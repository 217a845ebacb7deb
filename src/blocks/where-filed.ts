import { line, prose, say, type View } from './prose.ts';
import { isUserId } from './text.ts';

export interface WhereFiledInput {
  /** What the line of the message's share says: see shareLine. */
  line: View;
  /** Slack's identifier of who shared; null where Slack did not say. */
  sharedBy: string | null;
  /** Whether the reader may have files tried again: shows the button for it. */
  mayRetry: boolean;
}

/** The private answer to where the files of a message are. */
export function whereFiled({ line: said, sharedBy, mayRetry }: WhereFiledInput): View {
  const shown = said.blocks.filter(({ type }) => mayRetry || type !== 'actions');
  const whose = isUserId(sharedBy) ? [prose(line`Shared by ${{ person: sharedBy }}.`)] : [];
  return { text: said.text, blocks: [...shown, ...whose] };
}

/** The same for a message that no share is recorded of; `hasFiles`: whether it has any. */
export function notSeen({ hasFiles }: { hasFiles: boolean }): View {
  if (!hasFiles) return say(['This message has no files.']);
  return say([
    'I haven’t filed anything from this message: it was shared before this channel had a folder, or where I’m not a member. To have its files filed, share them again in a linked channel.',
  ]);
}

import { line, prose, say, type View } from './prose.ts';
import { isUserId } from './text.ts';

export interface WhereFiledInput {
  /** What the lines of the message's shares say, of each folder one: see shareLine. */
  lines: readonly View[];
  /** Slack's identifier of who shared; null where Slack did not say. */
  sharedBy: string | null;
  /** Whether the reader may have files tried again: shows the button for it. */
  mayRetry: boolean;
}

/** Of more folders than these are not told at once: Slack shows so many blocks. */
const MOST_LINES = 15;

/** The private answer to where the files of a message are. */
export function whereFiled({ lines, sharedBy, mayRetry }: WhereFiledInput): View {
  const said = lines.slice(0, MOST_LINES);
  const blocks = said.flatMap((one) => one.blocks);
  const shown = blocks.filter(({ type }) => mayRetry || type !== 'actions');
  const whose = isUserId(sharedBy) ? [prose(line`Shared by ${{ person: sharedBy }}.`)] : [];
  return { text: said.map(({ text }) => text).join('\n'), blocks: [...shown, ...whose] };
}

/** The same for a message that no share is recorded of; `hasFiles`: whether it has any. */
export function notSeen({ hasFiles }: { hasFiles: boolean }): View {
  if (!hasFiles) return say(['This message has no files.']);
  return say([
    'I haven’t filed anything from this message: it was shared before this channel had a folder, or where I’m not a member. To have its files filed, choose “Save files to a folder” in the message’s menu.',
  ]);
}

import { stacked, type View } from '../kit/layout.ts';
import { line, type Reader, say, whoCanLink } from '../kit/prose.ts';
import { isUserId } from '../kit/text.ts';

/** More lines than this are left out: Slack limits the blocks of a message. */
const MAX_LINES = 15;

/**
 * The private response to “Where is this filed?” on a message: the lines of its shares, one for each
 * folder (see shareLine), and the Slack ID of who shared the files, null when Slack did not say it.
 */
export function whereFiled(of: { lines: readonly View[]; sharedBy: string | null }): View {
  const { lines, sharedBy } = of;
  const whose = isUserId(sharedBy) ? say(line`Shared by ${{ person: sharedBy }}.`) : null;
  return stacked(...lines.slice(0, MAX_LINES), whose);
}

/** The same for a message without a recorded share. */
export function notSeen(reader: Reader): View {
  return say([
    `I haven’t filed anything from this message. ${whoCanLink(reader)} save its files with “Save files to a folder” in its menu.`,
  ]);
}

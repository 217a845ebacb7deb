import { say } from './say.ts';
import { shownSpan } from './shown-time.ts';
import type { View } from './view.ts';

/** The private answer to who asks for more at once than one person may. */
export function slowDown({ waitMs }: { waitMs: number }): View {
  return say([
    `That’s a lot at once, and I’m still busy with what you asked before. Try again in ${shownSpan(waitMs)}.`,
  ]);
}

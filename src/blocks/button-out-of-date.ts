import { say } from './say.ts';
import type { View } from './view.ts';

/** The private answer to a button whose value no view of ours writes, or writes no more. */
export function buttonOutOfDate(): View {
  return say(['This button is out of date. Type ', { command: '/files' }, ' for a fresh list.']);
}

import { say } from './say.ts';
import type { View } from './view.ts';

/** What somebody may not do: take a link away, have earlier files filed, or stop that. */
export type RefusedChange = 'unlink' | 'file-earlier' | 'stop-filing';

export interface ChangeRefusedInput {
  change: RefusedChange;
  reason: 'not-allowed' | 'other-workspace';
}

const NOT_DONE: Record<RefusedChange, string> = {
  unlink: 'This channel’s link was not taken away.',
  'file-earlier': 'The earlier files were not filed.',
  'stop-filing': 'The filing goes on.',
};

const WHO_MAY: Record<RefusedChange, string> = {
  unlink: 'Only workspace admins take links away. Ask one of them to type /files unlink here.',
  'file-earlier': 'Only workspace admins have earlier files filed. Ask one of them.',
  'stop-filing': 'Only who started it and workspace admins stop it. Ask one of them.',
};

const OTHER_WORKSPACE =
  'Only people of the workspace that Pigeonhole is installed in can do that. Ask one of its admins.';

/** The private answer to a change of a channel's filing that is not this person's to make. */
export function changeRefused({ change, reason }: ChangeRefusedInput): View {
  const why = reason === 'other-workspace' ? OTHER_WORKSPACE : WHO_MAY[change];
  return say([`${NOT_DONE[change]} ${why}`]);
}

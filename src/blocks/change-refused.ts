import type { Refusal } from '../transfers/index.ts';
import { OTHER_WORKSPACE } from './other-workspace.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

/** What somebody may not do: unlink, have earlier files filed, stop that, or try a share again. */
export type RefusedChange = 'unlink' | 'file-earlier' | 'stop-filing' | 'retry';

export interface ChangeRefusedInput {
  change: RefusedChange;
  reason: Refusal;
}

const NOT_DONE: Record<RefusedChange, string> = {
  unlink: 'This channel is still linked.',
  'file-earlier': 'The earlier files were not filed.',
  'stop-filing': 'Filing is still running.',
  retry: 'The files were not tried again.',
};

const WHO_MAY: Record<RefusedChange, string> = {
  unlink: 'Only workspace admins can unlink it. Ask one of them to type /files unlink here.',
  'file-earlier': 'Only workspace admins can have earlier files filed. Ask one of them.',
  'stop-filing':
    'Only the person who started it or a workspace admin can stop it. Ask one of them.',
  retry:
    'Only the person who shared them or a full member of this workspace can do that. Ask one of them to press the button.',
};

/** The private answer to a change of a channel's filing that is not this person's to make. */
export function changeRefused({ change, reason }: ChangeRefusedInput): View {
  const why = reason === 'other-workspace' ? OTHER_WORKSPACE : WHO_MAY[change];
  return say([`${NOT_DONE[change]} ${why}`]);
}

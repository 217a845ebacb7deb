import type { ErrorCode } from '../base/index.ts';
import { reasonFor } from './reason-for.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

export interface UntoldInput {
  /** What the channel was to be told: it is done. */
  view: View;
  /** Why the channel could not be told. */
  code: ErrorCode;
  /** What the person is asked besides; null for nothing. */
  question: View | null;
}

/** What was done, said privately to who did it, as the channel could not be told. */
export function untold({ view, code, question }: UntoldInput): View {
  const { why } = reasonFor(code);
  const alone = say([`This is done, but the channel could not be told: ${why}. Tell the others.`]);
  const views = [view, alone, ...(question ? [question] : [])];
  return {
    text: views.map(({ text }) => text).join('\n'),
    blocks: views.flatMap(({ blocks }) => blocks),
  };
}

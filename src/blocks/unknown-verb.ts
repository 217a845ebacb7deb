import { cleanText } from './clean-text.ts';
import { cut } from './cut.ts';
import type { Line } from './prose.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

export interface UnknownVerbInput {
  /** What stood after the command. */
  typed: string;
  /** The verb that is most like it; null when none is. */
  nearest: string | null;
}

/** The private answer to a word that is no verb. */
export function unknownVerb({ typed, nearest }: UnknownVerbInput): View {
  const guess: Line =
    nearest === null ? [] : [' Did you mean ', { command: `/files ${nearest}` }, '?'];
  const find = `/files find ${cut(cleanText(typed), 40)}`;
  return say(
    [{ typed }, ' is not something I know.', ...guess],
    ['To look for files with it in their name, type ', { typed: find }, '.'],
    ['All commands: ', { command: '/files help' }],
  );
}

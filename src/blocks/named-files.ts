import { shownNumber } from './counted.ts';
import type { Line, Piece } from './prose.ts';

const NAMED = 5;

/** The first few files by name, and how many more there are. */
export function namedFiles(files: readonly { name: string }[]): Line {
  // "and 1 more" is longer than most names.
  const shown = files.length === NAMED + 1 ? files : files.slice(0, NAMED);
  const more = files.length - shown.length;
  const names = shown.flatMap((file, index): Piece[] =>
    index === 0 ? [{ file: file.name }] : [', ', { file: file.name }],
  );
  return more === 0 ? names : [...names, ` and ${shownNumber(more)} more`];
}

import { shownNumber } from './counted.ts';
import type { Line, Piece } from './prose.ts';

const NAMED = 5;

/** The first few files by name, and how many more there are: of `count`, when not all are given. */
export function namedFiles(files: readonly { name: string }[], count = files.length): Line {
  // "and 1 more" is longer than most names.
  const shown = count === NAMED + 1 ? files.slice(0, count) : files.slice(0, NAMED);
  const more = count - shown.length;
  const names = shown.flatMap((file, index): Piece[] =>
    index === 0 ? [{ file: file.name }] : [', ', { file: file.name }],
  );
  return more === 0 ? names : [...names, ` and ${shownNumber(more)} more`];
}

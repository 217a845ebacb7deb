import { shownNumber } from './counted.ts';
import { groupBy } from './group-by.ts';
import { namedFiles } from './named-files.ts';
import type { Line } from './prose.ts';
import { canRetry, reasonFor } from './reason-for.ts';
import type { RefusedFile } from './share-file.ts';

const UNKNOWN = { why: 'for a reason that was not noted', next: 'Press Retry.' };

export interface RefusedLinesOptions {
  /** All files that are spoken of. */
  total: number;
  /** Whether a Retry button stands beside the lines. */
  retry: boolean;
}

/** One line for each reason that files of these were refused for. */
export function refusedLines(
  files: readonly RefusedFile[],
  { total, retry }: RefusedLinesOptions,
): Line[] {
  const groups = groupBy(files, (file) => `${file.problem} ${file.problemNote}`);
  return groups.map((group): Line => {
    const some = `${shownNumber(group.length)} of ${shownNumber(total)} could not be filed: `;
    const could = total === 1 ? 'Could not be filed: ' : some;
    return [could, ...namedFiles(group), ' – ', shownReason(group[0], retry)];
  });
}

function shownReason({ problem, problemNote }: RefusedFile, retry: boolean): string {
  const known = problem === null ? UNKNOWN : reasonFor(problem, problemNote);
  const helps = problem === null || canRetry(problem);
  const next = helps && !retry ? 'Once that is mended, share again.' : known.next;
  return next === null ? `${known.why}.` : `${known.why}. ${next}`;
}

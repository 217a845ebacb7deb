import { shownNumber } from './counted.ts';
import { type Group, groupBy } from './group-by.ts';
import { namedFiles } from './named-files.ts';
import type { Line } from './prose.ts';
import { canRetry, reasonFor, reasonKey } from './reason-for.ts';
import type { RefusedFile } from './share-file.ts';

const UNKNOWN = { why: 'for a reason that was not noted', next: 'Press Retry.' };

/** A refused file that may stand for others that are not given. */
export type SomeRefused = RefusedFile & {
  /** How many were refused with the same code, this one included. */
  alike?: number;
};

export interface RefusedLinesOptions {
  /** All files that are spoken of. */
  total: number;
  /** Whether a Retry button stands beside the lines. */
  retry: boolean;
}

/** One line for each reason that files of these were refused for. */
export function refusedLines(
  files: readonly SomeRefused[],
  { total, retry }: RefusedLinesOptions,
): Line[] {
  const groups = groupBy(files, reasonKey);
  return groups.map((group): Line => {
    const count = countOf(group, files);
    const some = `${shownNumber(count)} of ${shownNumber(total)} could not be filed: `;
    const could = total === 1 ? 'Could not be filed: ' : some;
    return [could, ...namedFiles(group, count), ' – ', shownReason(group[0], retry)];
  });
}

// Files of one code that are told of in several lines cannot be counted by their code.
function countOf(group: Group<SomeRefused>, files: readonly SomeRefused[]): number {
  const { problem, alike } = group[0];
  const sameCode = files.filter((file) => file.problem === problem).length;
  return alike !== undefined && sameCode === group.length ? alike : group.length;
}

function shownReason({ problem, problemNote }: RefusedFile, retry: boolean): string {
  const known = problem === null ? UNKNOWN : reasonFor(problem, problemNote);
  const helps = problem === null || canRetry(problem);
  const next = helps && !retry ? 'Once that is mended, share again.' : known.next;
  return next === null ? `${known.why}.` : `${known.why}. ${next}`;
}

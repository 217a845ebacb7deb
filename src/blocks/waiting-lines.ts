import { shownNumber } from './counted.ts';
import { type Group, groupBy } from './group-by.ts';
import { namedFiles } from './named-files.ts';
import type { Line } from './prose.ts';
import { asSentence, reasonFor, reasonKey } from './reason-for.ts';
import type { ShareFile } from './share-file.ts';

/** One line for the files that wait for their turn, and one for each problem that holds others up. */
export function waitingLines(files: readonly ShareFile[], now: number): Line[] {
  const groups = groupBy(files, reasonKey);
  return groups.map((group) => waitingLine(group, now));
}

function waitingLine(group: Group<ShareFile>, now: number): Line {
  const waiting: Line = ['Waiting: ', ...namedFiles(group)];
  const { problem, problemNote } = group[0];
  if (problem === null) return [...waiting, shownPlace(group)];
  const next = earliest(group, (file) => file.nextTryAt);
  if (problem === 'SERVICE_RATE_LIMITED' && next !== null && next > now)
    return [...waiting, '. The file service asks to wait until about ', { clock: next }, '.'];
  const why = asSentence(reasonFor(problem, problemNote).why);
  return [...waiting, `. ${why} I keep trying`, ...nextTry(next, now)];
}

function nextTry(next: number | null, now: number): Line {
  if (next === null) return ['.'];
  return next <= now ? ['; the next try is due now.'] : ['; next try ', { time: next }, '.'];
}

function shownPlace(group: Group<ShareFile>): string {
  const place = earliest(group, (file) => file.place);
  if (place === null) return '';
  return place <= 1 ? ' (next in the line)' : ` (place ${shownNumber(place)} in the line)`;
}

function earliest(
  group: Group<ShareFile>,
  pick: (file: ShareFile) => number | null,
): number | null {
  const values = group.map(pick).filter((value) => value !== null);
  return values.length === 0 ? null : Math.min(...values);
}

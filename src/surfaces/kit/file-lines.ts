import type { ErrorCode } from '../../base/index.ts';
import { FILED_MARK, type SendingProgress } from '../../core/index.ts';
import { type Line, line, plainText } from './prose.ts';
import { type NextStep, whyAndNext, whyOf } from './reasons.ts';
import { counted, shownNumber } from './text.ts';

export type Group<T> = readonly [T, ...T[]];

/** Groups items by key; groups and items keep the order in which they first appear. */
export function groupBy<T extends object>(
  items: readonly T[],
  keyOf: (item: T) => string,
): Group<T>[] {
  const groups = [...Map.groupBy(items, keyOf).values()];
  return groups.flatMap(([first, ...rest]) => (first ? [[first, ...rest] as const] : []));
}

/** Returns the least of the numbers; null when there is none. */
export function least(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((one) => one !== null);
  return known.length === 0 ? null : Math.min(...known);
}

const NAMED = 5;

/** A file's name, linked to `url` if given. */
export interface NamedFile {
  name: string;
  url?: string | null;
}

/** Names the first `most` files and counts the rest; `count`: all files, when not all are given. */
export function namedFiles(files: readonly NamedFile[], count = files.length, most = NAMED): Line {
  // "and 1 more" is longer than most names.
  const shown = files.slice(0, count === most + 1 ? count : most);
  const more = count - shown.length;
  const names = shown.flatMap(({ name: file, url = null }, index) =>
    index === 0 ? [{ file, url }] : [', ', { file, url }],
  );
  return more === 0 ? names : [...names, ` and ${shownNumber(more)} more`];
}

/** What a screen reader says for a button about these files; `count`: all, when not all are given. */
export function spokenFor(
  label: string,
  files: readonly NamedFile[],
  count = files.length,
): string {
  const about = files.length === 0 ? [counted(count, 'file')] : namedFiles(files, count, 1);
  return `${label}: ${plainText(about)}`;
}

/** A file that couldn’t be filed, and why. */
interface RefusedFile {
  name: string;
  /** Null when nobody knows. */
  problem: ErrorCode | null;
  /** What Slack or the service said about it, short. */
  problemNote: string | null;
}

/** Equal for files that are shown with the same reason. */
export function reasonKey({ problem, problemNote }: RefusedFile): string {
  return `${problem} ${whyOf(problem, problemNote)}`;
}

/** A refused file that may stand for others that are not given. */
export type SomeRefused = RefusedFile & {
  /** How many were refused with the same code, this one included. */
  alike?: number;
};

interface RefusedAmong extends NextStep {
  /** Files in all. */
  total: number;
}

/** The most reasons shown, a line each. */
const MAX_REASONS = 5;

/** Returns the first few lines, and one that counts the others. */
export function firstReasons(lines: readonly Line[]): Line[] {
  const more = lines.length - MAX_REASONS;
  if (more <= 0) return [...lines];
  return [...lines.slice(0, MAX_REASONS), [`And ${counted(more, 'other reason')}.`]];
}

/** Returns a line for each reason for which files were refused. */
export function refusedLines(files: readonly SomeRefused[], given: RefusedAmong): Line[] {
  return groupBy(files, reasonKey).map((group) => {
    const count = countOf(group, files);
    const { total } = given;
    const some = `${shownNumber(count)} of ${shownNumber(total)} couldn’t be filed`;
    const could = total === 1 ? 'Couldn’t be filed' : some;
    return line`${could}: ${namedFiles(group, count)} – ${whyAndNext(group[0], { ...given, count })}`;
  });
}

// `alike` counts all files of a code, so it is no group's size when their notes split the code.
function countOf(group: Group<SomeRefused>, files: readonly SomeRefused[]): number {
  const { problem, alike } = group[0];
  const sameCode = files.filter((file) => file.problem === problem).length;
  return alike !== undefined && sameCode === group.length ? alike : group.length;
}

/**
 * The state of a shared file as people see it: `waiting` for its turn or the next try, `sending`,
 * `checking` whether it arrived, or settled as `filed`, `refused`, `parked` (its channel had no
 * folder), `skipped` (somebody held it back), `withdrawn` (deleted in Slack before it was filed) or
 * `deleted` (from the folder, through Pigeonhole or found gone).
 */
export type FilePhase =
  | 'waiting'
  | 'sending'
  | 'checking'
  | 'filed'
  | 'refused'
  | 'parked'
  | 'skipped'
  | 'withdrawn'
  | 'deleted';

/** A file of a share, as its line in the thread describes it. */
export interface ShareFile extends RefusedFile {
  /** Where to open it once it is filed; null when unknown. */
  url: string | null;
  /** Bytes; null when Slack did not say. */
  sizeBytes: number | null;
  phase: FilePhase;
  /** When a waiting or checking file is tried next, epoch milliseconds. */
  nextTryAt: number | null;
  /** Null unless this process is sending the file. */
  progress: SendingProgress | null;
  /** Place of a waiting file in the queue, from 1. */
  place: number | null;
  /** Slack ID of the person who deleted the file; null when it was found gone. */
  deletedBy: string | null;
  /** Whether a deleted file may be put back from Slack. Default: false. */
  mayComeBack?: boolean;
  /** False for a filed file whose record in the folder is unknown. */
  hasRecord: boolean;
}

/**
 * Returns the state of a share as a whole. A file that needs a person outranks files in progress,
 * because that person can act at once. Withdrawn files count only if there are no others.
 */
export function sharePhase(
  files: readonly { phase: FilePhase }[],
): 'in-hand' | 'done' | 'needs-you' | 'withdrawn' {
  if (files.length > 0 && files.every(({ phase }) => phase === 'withdrawn')) return 'withdrawn';
  if (files.some(({ phase }) => NEED_YOU.some((one) => one === phase))) return 'needs-you';
  return files.some(isInHand) ? 'in-hand' : 'done';
}

const NEED_YOU = ['refused', 'parked', 'skipped'] as const;

const IN_HAND = ['waiting', 'sending', 'checking'] as const;

/** Whether a file is still in progress. */
export function isInHand({ phase }: { phase: FilePhase }): boolean {
  return IN_HAND.some((one) => one === phase);
}

/**
 * The one reaction that a share in this phase carries: names of Slack's emoji, without colons; null
 * for none.
 */
export function reactionFor(phase: ReturnType<typeof sharePhase>) {
  if (phase === 'withdrawn') return null;
  if (phase === 'in-hand') return 'hourglass_flowing_sand';
  return phase === 'done' ? FILED_MARK : 'warning';
}

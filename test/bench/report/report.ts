import { shown } from './figures.ts';

/** The parameters of a bench. */
export interface BenchContext {
  /** Shared files in the bulk benches. */
  files: number;
  /** Shared files where several set-ups are compared. */
  comparedFiles: number;
  /** A factor for all other sizes; 1 for real figures, less to try out a bench. */
  scale: number;
  /** The folder for data; removed at the end. */
  directory: string;
  /** Prints what the bench does next. */
  progress(line: string): void;
}

export interface Bench {
  name: string;
  title: string;
  run(context: BenchContext): Promise<Report>;
}

/** The result of a bench. */
export interface Report {
  tables: Table[];
  goals: Goal[];
  /** How it was measured, and what was left out. */
  notes: string[];
  /** The values of each run, for `--verbose`. */
  raw: string[];
}

/** A table of figures, ready for rendering. */
export interface Table {
  title: string;
  columns: string[];
  rows: string[][];
}

/** A target figure and the measured one. */
export interface Goal {
  what: string;
  goal: string;
  found: string;
  met: boolean;
}

/** Returns the goal that a figure is at most `most`. */
export function goalWithin(what: string, found: number, [most, unit]: [number, string]): Goal {
  return {
    what,
    goal: `within ${most} ${unit}`,
    found: `${shown(found)} ${unit}`,
    met: found <= most,
  };
}

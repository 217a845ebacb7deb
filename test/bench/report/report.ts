import type { Table } from './table.ts';

/** A target figure and the measured one. */
export interface Goal {
  what: string;
  goal: string;
  found: string;
  met: boolean;
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
  /** Prints the progress. */
  say(line: string): void;
}

export interface Bench {
  name: string;
  title: string;
  run(context: BenchContext): Promise<Report>;
}

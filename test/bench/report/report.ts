import type { Table } from './table.ts';

/** A figure to be reached, and what was found. */
export interface Goal {
  what: string;
  goal: string;
  found: string;
  met: boolean;
}

/** What a bench found. */
export interface Report {
  tables: Table[];
  goals: Goal[];
  /** How it was measured, and what was not. */
  notes: string[];
  /** The values of each run, for `--verbose`. */
  raw: string[];
}

/** What a bench is run with. */
export interface BenchContext {
  /** Shared files in the bulk benches. */
  files: number;
  /** Shared files where several set-ups are compared. */
  comparedFiles: number;
  /** What all other sizes are multiplied by; 1 for figures, less to try a bench. */
  scale: number;
  /** For data; removed at the end. */
  directory: string;
  /** Says what is going on. */
  say(line: string): void;
}

export interface Bench {
  name: string;
  title: string;
  run(context: BenchContext): Promise<Report>;
}

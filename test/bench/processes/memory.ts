import { readFileSync, writeFileSync } from 'node:fs';

/** A process's resident memory as Linux counts it (proc(5)), in bytes. */
export interface Memory {
  now: number;
  /** The highest value since the process began, or since `forgetPeak`. */
  peak: number;
}

/** Returns null if there is no such process, or no `/proc`. */
export function readMemory(pid: number): Memory | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
    const memory = { now: field('VmRSS'), peak: field('VmHWM') };
    return Number.isNaN(memory.now + memory.peak) ? null : memory;
  } catch {
    return null;
  }
}

/** Resets the peak to what is resident now. Returns false if the system does not allow it. */
export function forgetPeak(pid: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
}

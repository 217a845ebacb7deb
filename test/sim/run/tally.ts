import { cutWords } from './cut-plan.ts';
import type { Done } from './worker.ts';

/** Sums up the results of many worlds. */
export interface Tally {
  add(done: Done): void;
  failures: Done[];
  /** Returns the summary as lines for people. */
  report(realMs: number): string[];
}

export function createTally(): Tally {
  const failures: Done[] = [];
  const struck = new Map<string, number>();
  let worlds = 0;
  let lastedMs = 0;
  let cpuMs = 0;
  const counts = new Map<string, number>();
  const addAll = (to: Map<string, number>, from: Record<string, number>) => {
    for (const [name, count] of Object.entries(from)) to.set(name, (to.get(name) ?? 0) + count);
  };
  return {
    failures,
    add: (done) => {
      worlds += 1;
      lastedMs += done.lastedMs;
      cpuMs += done.cpuMs;
      addAll(struck, done.struck);
      addAll(counts, done.counts);
      if (done.violation) failures.push(done);
    },
    report: (realMs) => {
      const hours = lastedMs / 3_600_000;
      const seconds = cpuMs / 1_000;
      return [
        `${worlds} ${worlds === 1 ? 'world' : 'worlds'}, ${hours.toFixed(1)} simulated hours, ${seconds.toFixed(1)} s of processor time, ${(realMs / 1_000).toFixed(1)} s`,
        `${Math.round((hours / seconds) * 3_600)} simulated hours a core-hour; ${Math.round((worlds / seconds) * 60)} worlds a core-minute, ${Math.round((worlds / realMs) * 60_000)} a minute as it ran`,
        `In them: ${shownCounts(counts)} (left to people to look at: ${shareOf(counts, 'unclear', 'shares')}, and ${shareOf(counts, 'unclear renamed', 'shares renamed')} where the service renames what it files)`,
        `Faults: ${shownCounts(struck) || 'none'}`,
        failures.length === 0 ? 'Every property held.' : `${failures.length} failed.`,
      ];
    },
  };
}

function shareOf(counts: Map<string, number>, part: string, whole: string): string {
  const percent = (100 * (counts.get(part) ?? 0)) / Math.max(1, counts.get(whole) ?? 0);
  return `${percent.toFixed(2)}%`;
}

function shownCounts(counts: Map<string, number>): string {
  const sorted = [...counts].sort(([a], [b]) => a.localeCompare(b));
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}

/** Returns the description of a failed world. */
export function shownFailure({ seed, violation, cut }: Done): string {
  return [
    `✗ seed ${seed}: ${violation?.property}`,
    `  ${violation?.what}`,
    `  npm run sim -- --seed ${seed}${cutWords(cut)} --trace`,
  ].join('\n');
}

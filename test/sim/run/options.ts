import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Cut, FAULT_GROUPS, type FaultGroup } from './cut-plan.ts';

export interface SimOptions {
  /** The first and last seed, both included; `to` is infinite if only time ends the run. */
  from: number;
  to: number;
  /** Ends the run after this much real time, in milliseconds; null: only the seeds end it. */
  withinMs: number | null;
  cut: Cut;
  /** Prints what happened. */
  trace: boolean;
  /** Where to record the world for the playground's replay; null: nowhere. */
  out: string | null;
  /** Runs each seed twice and compares the traces. */
  check: boolean;
  /** Whether to shrink a failure to the steps and faults that it needs. */
  shrink: boolean;
  jobs: number;
  /** Ends the run after this many failures. */
  most: number;
  /** Seeds to leave out. */
  skip: readonly number[];
}

export const USAGE = `npm run sim -- --seed N [--trace] [--check] [--out FILE]   one world
npm run sim -- --seeds A..B                                many worlds
npm run sim -- --minutes M [--from A]                      worlds from fresh seeds, for so long

  --check          run each world twice; the traces must be the same
  --trace          print what happens, one line an event
  --out FILE       record the world in a file; to see it step by step in the browser:
                   npm run playground -- --replay FILE
  --keep 1,4,7     of the plan only these steps
  --without slack  no faults of this kind: ${FAULT_GROUPS.join(', ')}
  --most N         end after so many failures; default: 20
  --skip 1,2       leave these seeds out
  --no-shrink      do not cut a failing world down
  --jobs N         processes; default: one for each core`;

/** Parses the command line; throws an Error whose message is meant for people. */
export function readOptions(args: string[]): SimOptions {
  const values = parse(args);
  if (values.help) throw new Error(USAGE);
  const { trace, check, out = null } = values;
  const seeds = seedsOf(values);
  if (out !== null && seeds.from !== seeds.to) throw new Error('--out is for one world: --seed N.');
  return {
    ...seeds,
    withinMs: values.minutes === undefined ? null : numberOf(values.minutes) * 60_000,
    cut: { keep: keptOf(values.keep), without: groupsOf(values.without) },
    trace,
    out,
    check,
    shrink: !values['no-shrink'],
    most: numberOf(values.most),
    skip: keptOf(values.skip) ?? [],
    jobs: values.jobs === undefined ? availableParallelism() : numberOf(values.jobs),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}

const OPTIONS = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  minutes: { type: 'string' },
  from: { type: 'string' },
  keep: { type: 'string' },
  without: { type: 'string' },
  out: { type: 'string' },
  jobs: { type: 'string' },
  most: { type: 'string', default: '20' },
  skip: { type: 'string', default: 'none' },
  trace: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
  'no-shrink': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function seedsOf(given: {
  seed?: string | undefined;
  seeds?: string | undefined;
  minutes?: string | undefined;
  from?: string | undefined;
}): { from: number; to: number } {
  if (given.seed !== undefined) return { from: numberOf(given.seed), to: numberOf(given.seed) };
  const range = /^(\d+)\.\.(\d+)$/.exec(given.seeds ?? '');
  if (range) return { from: Number(range[1]), to: Number(range[2]) };
  if (given.minutes === undefined) throw new Error(USAGE);
  const from = given.from === undefined ? freshSeed() : numberOf(given.from);
  return { from, to: Number.POSITIVE_INFINITY };
}

// A different seed each time, far from the small numbers that people type.
function freshSeed(): number {
  return 1_000_000 + (Number(process.hrtime.bigint() % 1_000_000n) * 1_000 || 1);
}

function keptOf(text: string | undefined): number[] | null {
  if (text === undefined) return null;
  return text === 'none' ? [] : text.split(',').map(numberOf);
}

function groupsOf(text: string | undefined): FaultGroup[] {
  const names = text?.split(',') ?? [];
  return names.map((name) => {
    const group = FAULT_GROUPS.find((one) => one === name);
    if (!group) throw new Error(`"${name}" is no kind of fault: ${FAULT_GROUPS.join(', ')}`);
    return group;
  });
}

function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new Error(`"${text}" is no number.\n\n${USAGE}`);
  return value;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a hunt came to. */
export interface Hunt {
  /** How many worlds it took, the one that found it included; null: none did. */
  worlds: number | null;
  seed: number | null;
  property: string;
}

export interface HuntOptions {
  folder: string;
  from: number;
  to: number;
  jobs: number;
  /** Seeds that fail without any planted bug. */
  except: ReadonlySet<number>;
}

const FAILURE = /^✗ seed (\d+): (.*)$/gm;

/** Runs worlds of a copy until one fails. */
export async function hunt({ folder, from, to, jobs, except }: HuntOptions): Promise<Hunt> {
  const output = await simulate(folder, [
    ...['--seeds', `${from}..${to}`, '--jobs', String(jobs), '--no-shrink'],
    ...['--most', '1', '--skip', [...except].join(',') || 'none'],
  ]);
  const [, seed, property = ''] = [...output.matchAll(FAILURE)][0] ?? [];
  if (seed === undefined) return { worlds: null, seed: null, property: '' };
  return { worlds: Number(seed) - from + 1, seed: Number(seed), property };
}

/** The seeds that fail in the source as it is. */
export async function failingSeeds(options: Omit<HuntOptions, 'except'>): Promise<Set<number>> {
  const { folder, from, to, jobs } = options;
  const range = ['--seeds', `${from}..${to}`, '--jobs', String(jobs), '--no-shrink'];
  const output = await simulate(folder, [...range, '--most', '1000000']);
  return new Set([...output.matchAll(FAILURE)].map(([, seed]) => Number(seed)));
}

async function simulate(folder: string, args: string[]): Promise<string> {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, ['test/sim/main.ts', ...args], {
    cwd: folder,
    stdio: [...stdio],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  const output = Buffer.concat(chunks).toString('utf8');
  if (code !== 0 && code !== 1) throw new Error(`The simulator ended with ${code}:\n${output}`);
  return output;
}

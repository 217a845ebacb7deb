import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit, PlantedBug } from './mutations.ts';

/** The result of a hunt. */
export interface Hunt {
  /** How many worlds it took, including the one that found the bug; null: no world found it. */
  worlds: number | null;
  property: string;
  /** Seeds that also fail without the bug, so they found something else. */
  unsound: number[];
}

interface HuntOptions {
  /** The source with the bug, and the source without it. */
  planted: string;
  sound: string;
  from: number;
  to: number;
  jobs: number;
}

const REPORT = /^\d+ worlds?, /m;
const FAILURE = /^✗ seed (\d+): (.*)$/gm;

/** Runs worlds with a bug until one fails that holds without it. */
export async function hunt(options: HuntOptions): Promise<Hunt> {
  const { planted, sound, from, to, jobs } = options;
  const unsound: number[] = [];
  for (let next = from; next <= to; ) {
    const found = await firstFailure(planted, { from: next, to, jobs });
    if (!found) break;
    const { seed, property } = found;
    const alone = { from: seed, to: seed, jobs: 1 };
    if (!(await firstFailure(sound, alone))) return { worlds: seed - from + 1, property, unsound };
    unsound.push(seed);
    next = seed + 1;
  }
  return { worlds: null, property: '', unsound };
}

async function firstFailure(
  folder: string,
  { from, to, jobs }: Record<'from' | 'to' | 'jobs', number>,
) {
  const output = await simulate(folder, [
    ...['--seeds', `${from}..${to}`, '--jobs', String(jobs), '--no-shrink', '--most', '1'],
  ]);
  const found = [...output.matchAll(FAILURE)].map(([, seed, property = '']) => ({
    seed: Number(seed),
    property,
  }));
  return found.sort((a, b) => a.seed - b.seed)[0] ?? null;
}

async function simulate(folder: string, args: string[]): Promise<string> {
  const child = spawn(process.execPath, ['test/sim/main.ts', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  const output = Buffer.concat(chunks).toString('utf8');
  // A run that fails to start also exits with 1, as a failing world does, but prints no report.
  if ((code !== 0 && code !== 1) || !REPORT.test(output))
    throw new Error(`The simulator ended with ${code}:\n${output}`);
  return output;
}

const PROJECT = new URL('../../..', import.meta.url).pathname;

/** Two copies of the source: one stays unchanged, bugs are planted into the other. */
interface Copies {
  sound: string;
  planted: string;
  /** Runs `work` while the bug is in the planted copy. */
  whilePlanted<T>(bug: PlantedBug, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

export function copySource(folder: string): Copies {
  const sound = join(folder, 'sound');
  const planted = join(folder, 'planted');
  for (const copy of [sound, planted]) copyTo(copy);
  return {
    sound,
    planted,
    whilePlanted: async (bug, work) => {
      const texts = plantedTexts(bug, sound);
      for (const [file, text] of texts) writeFileSync(join(planted, file), text);
      try {
        return await work();
      } finally {
        for (const file of texts.keys()) cpSync(join(sound, file), join(planted, file));
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function copyTo(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const part of ['src', 'test/sim', 'test/support', 'package.json', 'manifest.yml'])
    cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
}

/** Returns the files that a bug changes, with the bug; throws if it no longer fits the source. */
export function plantedTexts(
  { name, also = [], ...first }: PlantedBug,
  folder = PROJECT,
): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, find, replace } of [first, ...also] satisfies Edit[]) {
    const text = texts.get(file) ?? readFileSync(join(folder, file), 'utf8');
    if (text.split(find).length !== 2)
      throw new Error(
        `"${name}" does not fit ${file} any more: what it replaces must stand there once`,
      );
    texts.set(
      file,
      text.replace(find, () => replace),
    );
  }
  return texts;
}

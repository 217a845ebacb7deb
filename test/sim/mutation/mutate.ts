import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit, Mutation } from './mutations.ts';

const PROJECT = new URL('../../..', import.meta.url).pathname;

/** Two copies of the source: one stays unchanged, mutations are made in the other. */
type Copies = ReturnType<typeof copySource>;

export function copySource(folder: string) {
  const original = join(folder, 'original');
  const mutated = join(folder, 'mutated');
  for (const copy of [original, mutated]) copyTo(copy);
  return {
    original,
    mutated,
    whileMutated: async <T>(mutation: Mutation, work: () => Promise<T>): Promise<T> => {
      const texts = mutatedTexts(mutation, original);
      for (const [file, text] of texts) writeFileSync(join(mutated, file), text);
      try {
        return await work();
      } finally {
        for (const file of texts.keys()) cpSync(join(original, file), join(mutated, file));
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

/** Returns the files that a mutation changes, mutated; throws if it no longer fits the source. */
export function mutatedTexts(
  { name, also = [], ...first }: Mutation,
  folder = PROJECT,
): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, find, replace } of [first, ...also] satisfies Edit[]) {
    const text = texts.get(file) ?? readFileSync(join(folder, file), 'utf8');
    if (text.split(find).length !== 2)
      throw new Error(`"${name}" does not fit ${file} any more: it must be there exactly once`);
    const mutated = text.replace(find, () => replace);
    texts.set(file, mutated);
  }
  return texts;
}

type Seeds = Record<'from' | 'to' | 'jobs', number>;

/** `first`: the seed of a world that is tried before the others. */
type Tried = Seeds & { first: number | undefined };

/** Whether and how a mutation was found. */
export interface Detection {
  /** The seed of the world that found it; null: none did. */
  seed: number | null;
  property: string;
  /** Seeds that also fail without the mutation, so they found something else. */
  alsoFailing: number[];
}

/** Runs worlds with a mutation until one fails that holds without it. */
export async function detect(
  { mutated, original }: Copies,
  { first, from, to, jobs }: Tried,
): Promise<Detection> {
  const alsoFailing: number[] = [];
  if (first !== undefined) {
    const world = { from: first, to: first, jobs: 1 };
    const both = [mutated, original].map((folder) => firstFailure(folder, world));
    const [found, alone] = await Promise.all(both);
    if (found && !alone) return { ...found, alsoFailing };
    if (alone) alsoFailing.push(first);
  }
  for (let next = from; next <= to; ) {
    const found = await firstFailure(mutated, { from: next, to, jobs });
    if (!found) break;
    const { seed, property } = found;
    if (!(await firstFailure(original, { from: seed, to: seed, jobs: 1 })))
      return { seed, property, alsoFailing };
    alsoFailing.push(seed);
    next = seed + 1;
  }
  return { seed: null, property: '', alsoFailing };
}

const REPORT = /^\d+ worlds?, /m;
const FAILURE = /^✗ seed (\d+): (.*)$/gm;

async function firstFailure(folder: string, { from, to, jobs }: Seeds) {
  const output = await simulate(folder, [
    ...['--seeds', `${from}..${to}`, '--jobs', String(jobs), '--no-shrink', '--most', '1'],
  ]);
  const found = [...output.matchAll(FAILURE)].map(([, seed, property = '']) => {
    return { seed: Number(seed), property };
  });
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

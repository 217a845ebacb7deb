import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit, PlantedBug } from './planted-bugs.ts';

const PROJECT = new URL('../../..', import.meta.url).pathname;

/** Two copies of the source: one stays unchanged, bugs are planted into the other. */
export interface Copies {
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

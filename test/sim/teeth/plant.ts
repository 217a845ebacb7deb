import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlantedBug } from './planted-bugs.ts';

const PROJECT = new URL('../../..', import.meta.url).pathname;

/** A copy of the source, into which bugs can be planted. */
export interface Copy {
  folder: string;
  /** Does something while a bug is in there. */
  whilePlanted<T>(bug: PlantedBug, work: () => Promise<T>): Promise<T>;
  remove(): void;
}

export function copySource(folder: string): Copy {
  mkdirSync(folder, { recursive: true });
  for (const part of ['src', 'test/sim', 'package.json', 'manifest.yml'])
    cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    whilePlanted: async (bug, work) => {
      const path = join(folder, bug.file);
      const sound = readFileSync(path, 'utf8');
      writeFileSync(path, planted(bug, sound));
      try {
        return await work();
      } finally {
        writeFileSync(path, sound);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The text of a bug's file as it is now. */
export function soundText({ file }: PlantedBug): string {
  return readFileSync(join(PROJECT, file), 'utf8');
}

/** A file's text with the bug in it; throws when the bug does not fit it any more. */
export function planted({ name, file, find, replace }: PlantedBug, text: string): string {
  if (text.split(find).length !== 2)
    throw new Error(
      `"${name}" does not fit ${file} any more: what it replaces must stand there once`,
    );
  return text.replace(find, () => replace);
}

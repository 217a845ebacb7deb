import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlantedBug } from './planted-bugs.ts';

const PROJECT = new URL('../../..', import.meta.url).pathname;

/** A copy of the source, into which bugs can be planted. */
export interface Copy {
  folder: string;
  plant(bug: PlantedBug): void;
  /** Takes the planted bug out again. */
  mend(bug: PlantedBug): void;
  remove(): void;
}

export function copySource(folder: string): Copy {
  mkdirSync(folder, { recursive: true });
  for (const part of ['src', 'test/sim', 'package.json', 'manifest.yml'])
    cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    plant: (bug) => writeFileSync(join(folder, bug.file), planted(bug)),
    mend: ({ file }) => cpSync(join(PROJECT, file), join(folder, file)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The file's text with the bug in it; throws when the bug does not fit the source any more. */
export function planted({ name, file, find, replace }: PlantedBug): string {
  const text = readFileSync(join(PROJECT, file), 'utf8');
  if (text.split(find).length !== 2)
    throw new Error(
      `"${name}" does not fit ${file} any more: what it replaces must stand there once`,
    );
  return text.replace(find, () => replace);
}

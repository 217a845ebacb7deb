import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../base/index.ts';

/** The file that marks a folder as the playground's own. */
const MARKER = '.pigeonhole-playground';

const WORDS =
  'Pigeonhole’s playground made this folder, and removes what is in it when it starts.\n';

/**
 * Marks a folder as the playground's own, so that the playground may remove files in it. The folder
 * must be new, empty or already marked. Throws, and changes nothing, if it holds other files.
 */
export function claimFolder(folder: string): void {
  makeFolder(folder);
  const found = readdirSync(folder);
  if (found.includes(MARKER)) return;
  if (found.length > 0)
    throw new Error(
      `${folder} holds files that the playground did not put there. Nothing was removed: name a new or an empty folder with --data, or empty this one yourself.`,
    );
  writeFileSync(join(folder, MARKER), WORDS);
}

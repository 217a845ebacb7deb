import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../base/index.ts';

/** The file by which the playground knows a folder for its own. */
const MARKER = '.pigeonhole-playground';

const WORDS =
  'Pigeonhole’s playground made this folder, and removes what is in it when it starts.\n';

/**
 * Makes a folder the playground's own, in which it may remove things: one that is new, empty, or its
 * own already. Throws where others have put something there, and leaves that as it is.
 */
export function claimFolder(folder: string): void {
  makeFolder(folder);
  const found = readdirSync(folder);
  if (found.includes(MARKER)) return;
  if (found.length > 0)
    throw new Error(
      `${folder} holds files that the playground did not put there. Nothing was removed: name a new or an empty folder with --data, or empty this one yourself`,
    );
  writeFileSync(join(folder, MARKER), WORDS);
}

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents, accessible only to their owner (0700). Throws the
 * system's error if one cannot be created. Creates them one by one, because Node's recursive mkdir
 * never returns where the system forbids it, for example below /proc.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it at the same time.
    if (!existsSync(folder)) throw error;
  }
}

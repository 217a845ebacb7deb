import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AtEnd } from './start-server.ts';

/**
 * Makes a temporary folder that is removed with the test; with `afterAll`, after all tests of the
 * file.
 */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'pigeonhole-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

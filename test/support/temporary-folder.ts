import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AtEnd } from './start-server.ts';

/** A folder of the test's own, which goes with it; with `afterAll`, one of all tests of the file. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'pigeonhole-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

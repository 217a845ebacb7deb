import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../../', import.meta.url);

/**
 * Returns the Node flags of the product's own `npm start`, so that the bench measures what runs in
 * production.
 */
export function startFlags(): string[] {
  const text = readFileSync(new URL('package.json', ROOT), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: { start: string } };
  const flags = scripts.start.split(' ').filter((word) => word.startsWith('--'));
  // Paths are relative to the product's folder, wherever the measured process has its data.
  return flags.map((flag) => flag.replace('=./', `=${fileURLToPath(ROOT)}`));
}

import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { UsageError } from '../../src/playground/errors.ts';
import { requireFiles } from '../../src/playground/share-files.ts';

const THIS = import.meta.filename;

it('requireFiles accepts files', async () => {
  await expect(requireFiles([THIS, THIS])).resolves.toBeUndefined();
});

it.each([
  ['/none/here.pdf', 'There is no file /none/here.pdf.'],
  [tmpdir(), `${tmpdir()} is not a file.`],
])('requireFiles names the first path that is no file: %s', async (path, reason) => {
  const refused = requireFiles([THIS, path]);
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(reason);
});

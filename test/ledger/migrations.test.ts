import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it.each([
  ['LEDGER_TOO_NEW', '101-of-a-newer-version'],
  ['LEDGER_TOO_NEW', '999-of-a-newer-version'],
  ['LEDGER_TOO_OLD', '024-record-name'],
])('a ledger of another version does not open, and stays as it is: %s, %s', async (code, name) => {
  const dataDir = temporaryFolder();
  await (await openLedger(sqliteDialect(dataDir), 0)).close();
  const path = join(dataDir, 'pigeonhole.sqlite');
  const other = new DatabaseSync(path);
  if (code === 'LEDGER_TOO_OLD') other.exec('delete from kysely_migration; drop table requests');
  other.prepare('insert into kysely_migration values (?, ?)').run(name, '2026-01-01');
  other.close();
  await expect(openLedger(sqliteDialect(dataDir), 0)).rejects.toMatchObject({ code });
  const after = new DatabaseSync(path);
  const names = after.prepare('select name from kysely_migration').all();
  after.close();
  expect(names).toContainEqual({ name });
});

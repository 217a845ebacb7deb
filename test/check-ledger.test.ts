import { rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '../src/base/index.ts';
import { checkLedger } from '../src/check-ledger.ts';
import { openLedger, sqliteDialect } from '../src/ledger/index.ts';
import { FOLDER, PROJECT } from './support/app-settings.ts';
import { recording } from './support/builders.ts';
import { openEmptyLedger, putEmptyLedger } from './support/open-empty-ledger.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const DATABASE_URL = 'postgres://user:secret@host/name';

/** Starts on a ledger elsewhere, beside what is in `dataDir`. */
async function startBeside(dataDir: string, { isNew = true, newLedger = false } = {}) {
  const ledger = {
    describeLedger: async () => ({ isNew, links: 0, waitingFiles: 0, ledgerVersion: '1' }),
  };
  const config = { databaseUrl: DATABASE_URL, dataDir, losesFiles: true };
  await checkLedger({ ledger, config, newLedger, logger: silentLogger });
}

async function usedLedger(dataDir: string) {
  const ledger = await openEmptyLedger(0, dataDir);
  await ledger.recordShare(recording());
  const folder = { projectId: PROJECT, folderId: FOLDER, projectTitle: 'P', folderName: 'F' };
  await ledger.setLink({ team: 'T1', channel: 'C1' }, { ...folder, linkedBy: 'U1', linkedAt: 0 });
  return ledger;
}

it('a new ledger beside a used one in DATA_DIR is refused with both names and the ways on', async () => {
  const dataDir = temporaryFolder();
  await (await usedLedger(dataDir)).close();
  const refused = await startBeside(dataDir).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'LEDGER_NEW' });
  const { message } = refused as Error;
  expect(message).toMatch(/DATABASE_URL is new.*DATA_DIR.*links: 1, waiting files: 1/);
  expect(message).toMatch(/take DATABASE_URL out.*npm start -- --new-ledger$/);
  expect(message).toContain(dataDir);
  expect(message).not.toContain('secret');
  // It is left as it was.
  const again = await openLedger(sqliteDialect(dataDir), 0);
  onTestFinished(() => again.close());
  expect(await again.countActive()).toBe(1);
});

it('it is refused while another process has the used one open', async () => {
  const dataDir = temporaryFolder();
  const ledger = await usedLedger(dataDir);
  onTestFinished(() => ledger.close());
  await expect(startBeside(dataDir)).rejects.toThrow(/it cannot be read now/);
});

it('it is refused beside what cannot be read', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(
    join(dataDir, 'pigeonhole.sqlite'),
    'no database, and long enough to be told from one',
  );
  await expect(startBeside(dataDir)).rejects.toMatchObject({ code: 'LEDGER_NEW' });
});

it.each([
  ['nothing', () => undefined],
  ['an unused ledger', putEmptyLedger],
  ['an empty file', (dataDir: string) => writeFileSync(`${dataDir}/pigeonhole.sqlite`, '')],
  ['a folder that is missing', (dataDir: string) => rmdirSync(dataDir)],
])('a new ledger starts beside %s', async (_what, put) => {
  const dataDir = temporaryFolder();
  await put(dataDir);
  await startBeside(dataDir);
});

it('it starts beside a used one if it is meant, and so does a known one', async () => {
  const dataDir = temporaryFolder();
  await (await usedLedger(dataDir)).close();
  await startBeside(dataDir, { newLedger: true });
  await startBeside(dataDir, { isNew: false });
});

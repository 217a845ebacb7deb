import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { recording, sharedFile } from '../support/builders.ts';
import { holdMessage } from '../support/claim-next.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let dataDir: string;
let ledger: Ledger;
// The ledger's own connection, as SQLite limits the size per connection.
let connection: Kysely<unknown>;

beforeEach(async () => {
  dataDir = temporaryFolder();
  const dialect = sqliteDialect(dataDir);
  ledger = await openLedger(dialect, 0);
  await ledger.beginRun(0);
  connection = new Kysely({ dialect: dialect.kysely });
});
afterEach(() => ledger.close());

let shared = 0;
const record = () => {
  shared += 1;
  const files = [sharedFile({ name: 'x'.repeat(2_000) })];
  return ledger.recordShare(recording({ ts: `${shared}`, files }, { now: 1 }));
};

const allowPages = async (more: number) => {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(connection);
  const most = (rows[0]?.page_count ?? 0) + more;
  await sql`pragma max_page_count = ${sql.raw(String(most))}`.execute(connection);
};

it('a ledger on a full disk rejects with LEDGER_UNAVAILABLE and works again once there is room', async () => {
  await record();
  await allowPages(3);
  const fill = async () => {
    for (let n = 0; n < 100; n += 1) await record();
  };
  await expect(fill()).rejects.toMatchObject({
    code: 'LEDGER_UNAVAILABLE',
    message: expect.stringContaining('the disk of DATA_DIR is full; make room'),
  });
  await expect(ledger.nextFiling({ largest: null })).resolves.toMatchObject({ dueAt: 1 });
  await allowPages(1_000);
  await expect(record()).resolves.toMatchObject({ transfers: 1 });
});

it('the readiness check rejects on a full disk until there is room', async () => {
  await allowPages(3);
  await expect(ledger.check()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  await allowPages(1_000);
  await expect(ledger.check()).resolves.toBeUndefined();
});

it('a claim whose write fails is not taken for a lost one', async () => {
  await record();
  const lease = { now: 2_000, until: 60_000, token: 't1' };
  const { kind, about } = await holdMessage(ledger, lease);
  const begin = () => ledger.beginPost({ kind, about }, lease.token);
  await sql`pragma query_only = on`.execute(connection);
  await expect(begin()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  await sql`pragma query_only = off`.execute(connection);
  await expect(begin()).resolves.toBe(true);
});

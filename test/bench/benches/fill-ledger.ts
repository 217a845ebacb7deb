import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openLedger, sqliteDialect } from '../../../src/ledger/index.ts';
import { FOLDER, PROJECT } from '../../support/app-settings.ts';
import { sharedFile } from '../../support/builders.ts';

export interface Filling {
  /** Transfers that were filed long ago, one for each share. */
  settled: number;
  /** Transfers that are due now, one for each share. */
  due: number;
  now: number;
}

export const TEAM = 'T000000001';
const CHANNELS = 200;
const CHANNELS_WITH_WORK = 20;
const PEOPLE = 500;

/**
 * Fills a new ledger in `dataDir` directly with rows as the ledger's own statements would leave
 * them.
 */
export async function fillLedger(dataDir: string, filling: Filling): Promise<void> {
  await (await openLedger(sqliteDialect(dataDir), filling.now)).close();
  const database = new DatabaseSync(join(dataDir, 'pigeonhole.sqlite'));
  try {
    database.exec('PRAGMA synchronous = off; BEGIN');
    insertShares(database, filling);
    insertTransfers(database, filling);
    insertJobs(database, filling);
    database.exec('COMMIT; PRAGMA wal_checkpoint(truncate)');
  } finally {
    database.close();
  }
}

const NUMBERS =
  'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?)';

function insertShares(database: DatabaseSync, { settled, due, now }: Filling): void {
  const insert = `${NUMBERS}
    insert into shares (id, team, channel, ts, user_id, origin, recorded_at)
    select n, '${TEAM}', 'C' || (n % ${CHANNELS}), (1600000000 + n) || '.000100',
      'U' || (n % ${PEOPLE}), 'event', ? from numbers`;
  database.prepare(insert).run(settled + due, now - 86_400_000);
  const messages = `insert into messages (kind, about, reaction, ts, fingerprint)
    select 'share', id, 'white_check_mark', (1600000001 + id) || '.000200', hex(randomblob(11)) from shares`;
  database.exec(messages);
}

function insertTransfers(database: DatabaseSync, { settled, due, now }: Filling): void {
  const file = JSON.stringify(sharedFile());
  const insert = `${NUMBERS}
    insert into transfers (share_id, message, own, queue, position, slack_file_id, slack_file, name, user_id, state,
      project_id, folder_id, attachment_id, byte_size, record_id, recorded_at)
    select n, '${TEAM}/' || n, 1, '${TEAM}/C' || (n % iif(n > ?2, ${CHANNELS_WITH_WORK}, ${CHANNELS})), 0, 'F' || n, ?3,
      'report ' || n || '.pdf', 'U' || (n % ${PEOPLE}), iif(n > ?2, 'recorded', 'filed'),
      ${PROJECT}, ${FOLDER}, iif(n > ?2, null, n), iif(n > ?2, null, 10), iif(n > ?2, null, n),
      ?4 - 86400000 from numbers`;
  database.prepare(insert.replace('?)', '?1)')).run(settled + due, settled, file, now);
}

function insertJobs(database: DatabaseSync, { settled, now }: Filling): void {
  const insert = `insert into jobs (kind, key, scope, queue, due_at)
    select 'upload', cast(id as text), project_id || '/' || folder_id, queue, ? - 60000 - id % 1000
    from transfers where id > ?`;
  database.prepare(insert).run(now, settled);
}

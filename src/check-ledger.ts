import type { Logger } from './base/index.ts';
import type { Config } from './config.ts';
import { findUsedSqlite, type Ledger, LedgerError } from './ledger/index.ts';

interface CheckLedgerOptions {
  ledger: Pick<Ledger, 'describeLedger'>;
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'losesFiles'>;
  /** Whether the operator said that the ledger is meant to be new. */
  newLedger: boolean;
  logger: Logger;
}

/**
 * Logs whether the ledger is new or known, and by what. Must be called before a run begins. Rejects
 * with LEDGER_NEW when a new one would hide a used one, or would be lost with the host's disk.
 */
export async function checkLedger(options: CheckLedgerOptions): Promise<void> {
  const { ledger, config, newLedger, logger } = options;
  const { isNew, ...knownBy } = await ledger.describeLedger();
  const objection = isNew && !newLedger ? objectionTo(config) : null;
  if (objection !== null) throw new LedgerError('LEDGER_NEW', objection);
  logger.info(knownBy, isNew ? 'The ledger is new' : 'The ledger is known');
}

const MEANT = 'start once with: npm start -- --new-ledger';

function objectionTo({ databaseUrl, dataDir, losesFiles }: CheckLedgerOptions['config']) {
  if (databaseUrl === null)
    return losesFiles
      ? `This host (DYNO is set) keeps no files across restarts, and the ledger in DATA_DIR (${dataDir}) is new: its links, and the files in hand, would be lost at each restart. Set DATABASE_URL to a PostgreSQL database. Or, if the disk of DATA_DIR does last, ${MEANT}`
      : null;
  const used = findUsedSqlite(dataDir);
  if (used === null) return null;
  const holds =
    used === 'unreadable'
      ? 'it cannot be read now'
      : `links: ${used.links}, waiting files: ${used.waitingFiles}`;
  return `The ledger in DATABASE_URL is new, and the one in DATA_DIR (${dataDir}) is a used one (${holds}). To go on with that one, take DATABASE_URL out of the settings. Or, to begin anew without its links and files, ${MEANT}`;
}

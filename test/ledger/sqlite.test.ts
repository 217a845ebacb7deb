import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteDialect } from '../../src/ledger/index.ts';
import { describeLedger } from './ledger.contract.ts';

describeLedger('SQLite', async () => sqliteDialect(mkdtempSync(join(tmpdir(), 'pigeonhole-'))));

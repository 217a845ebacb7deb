import { createHash } from 'node:crypto';
import { CamelCasePlugin, DummyDriver, Kysely, type Migration } from 'kysely';
import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { type Dialect, postgresDialect, sqliteDialect } from '../../src/ledger/index.ts';
import { migrationsOf } from '../../src/ledger/open-ledger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The `digest` of the statements of each migration. */
const RELEASED = {
  '001-first': '9fc4c8f90920a1b4790157c4c7e4e0c144e572420d206bc40edd292a90811476',
  '002-created': '7aaa024c185d7dbb3631852307d5a5b7a72b7eb3450a1739b06b94ab6e480156',
  '003-key-notice': 'ab3c08d5c0b2e7621d5d797d84e5228e66bdc7e58aaa1b1be155f234155f577b',
  '004-answered': '7dbe65db9bfe5e5536995949ae6ae00db4df027b146a848a06a679352a8952dd',
  '005-record-unknown': 'cca585eac3c51ebaeb984adf00182547dd1526d1c1d1a731b99199ee949e4c77',
  '006-batches': 'ca0739a9198ee36d76424e004e29c5ac5c9c85fdffc9432a7745674a07828106',
  '007-leases': '14cf324a3fb2d92526446271a91a5c1f8f7af483eea2d100ed2d715dae26d2ed',
  '009-record-url': '6e49b96abab87f3966aac1c25009eac9efb858b5ad57f0681c11601a52db5077',
  '010-missing-scopes': '9445ba8c0bbd1ab9ff50a1929b4b7df63f3b6c814e77dee6247bb401207d6cfa',
  '010-troubled': '441dc8aac28fccd842fb6b6e03de6d465f7ea39ee177e98d47588d37a8cef070',
  '011-deletions': '040c650c0348e9906d38b7ade50be08553ad54799ddb007f5615695f3baf4836',
  '012-paused-links': '99ec40a3eda87065ef2d4be23a7501b0660a029a18888be48297286e6515ee50',
  '013-saved': '8efe53355df3e3772f31938c185ef3210af1db59e2438aeafdd5696f01f230fd',
  '014-watches': 'b0ba361a9a4b7920b148cebaf3d0471135e5e0a6fe008ae9ec5bf417e38f9bec',
  '015-project-title': '1afc39583b77b524e18a64444bae7077f164db9dfc02b14bbb747e566b231a76',
  '016-record-creator': '74adc6472c3620f4334fa6fc689cf71fdc78af4dc0b0eb2abad47f73ebde3928',
  '017-creators': '151259c33ba147eb4ca505518f8c6bedecadacb1b585f2f38228f53afe158de4',
  '017-joined': 'c75dd4bc42cb9bbcc003ac32a1cb63cfd2263203d10f432b245e315cf37a441f',
  '018-parked': '48c10fd54b7ee41d1201819d8242060f5d4dc70e175debaf84c4434bf593cfde',
  '019-readings-due': '9970ee7a5941e91434358f2ef7932bba8db3f41cd21a526b0bb8aac4a413788c',
  '020-uploaded-due': 'cd262006f2cbaf8651ea7b76dcb6baed17e468c47dae10820ef5bc20545fa147',
  '021-duplicates': '2c9260d2538fa0d1ae394b38e75461eff9cefc210992efa0979050eaeb22d562',
  '022-due': '42b15f628a454b0a37e07f51ffeab6a73d8e2f21ca5445558a0a5a3999d3d186',
  '023-requests': 'd001daf2319153c82f611d7b23786c16384a38bbf5e8eb7d459836b7bddbe993',
  '024-held': '7978556aff7fbf6ecc781b51b77f76dc438153769870fb8a87efa3b311be385f',
  '024-record-name': 'cf55d0fd3b631746485fa1716142053ead4fed54b9ba82caf0bbe04da042c799',
  '025-mirror': '256bb3eec4a4ae426e75e340a6c07981d01d0072b6f753a29f6e4a9099a271ed',
};

const CHANGED =
  'A released migration must not change: the databases that have had it would lack the change. ' +
  'Add a new migration, and its value to RELEASED.';

it('the statements of a released migration never change, in either database', async () => {
  const sqlite = sqliteDialect(temporaryFolder());
  const postgres = postgresDialect({} as Pool);
  const inPostgres = migrationsOf(postgres);
  const found: Record<string, string> = {};
  for (const [name, migration] of Object.entries(migrationsOf(sqlite))) {
    const other = inPostgres[name];
    if (!other) throw new Error(`${name} is of one database alone`);
    found[name] = digest([
      await statementsOf(migration, sqlite),
      await statementsOf(other, postgres),
    ]);
  }
  expect(found, CHANGED).toEqual(RELEASED);
});

/** Hashes the statements regardless of their layout in the source. */
function digest(statements: string[][]): string {
  const plain = statements.map((texts) => texts.map((text) => text.replace(/\s+/g, ' ').trim()));
  return createHash('sha256').update(JSON.stringify(plain)).digest('hex');
}

/** Returns the statements of a migration without running them. */
async function statementsOf(migration: Migration, { kysely }: Dialect): Promise<string[]> {
  const texts: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => kysely.createAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (asked) => kysely.createIntrospector(asked),
      createQueryCompiler: () => kysely.createQueryCompiler(),
    },
    plugins: [new CamelCasePlugin()],
    log: ({ query }) => void texts.push(query.sql),
  });
  await migration.up(db);
  return texts;
}

import { randomInt } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import { expect, it, onTestFinished } from 'vitest';
import { openLedger, postgresDialect } from '../../src/ledger/index.ts';
import { deliverFiles } from '../support/deliver-files.ts';
import { pglitePool } from '../support/pglite-pool.ts';
import { share } from '../support/shares.ts';
import { startStack } from '../support/start-stack.ts';
import { lineOf } from '../support/thread-of.ts';

const FILES = 3_000;

it('a message of 3,000 files is recorded before it is answered, and told of', async () => {
  const stack = await startStack();
  onTestFinished(() => stack.stop());
  const { ts } = await stack.slack.say({ channel: 'general', user: 'ben', text: 'All of it' });
  const files = Array.from({ length: FILES }, (_, n) => ({ id: `F0BIG${n}`, name: `${n}.txt` }));
  expect((await deliverFiles(stack, { ts, files })).status).toBe(200);
  const figures = await (await fetch(`http://127.0.0.1:${stack.port}/metrics`)).text();
  expect(figures).toMatch(/^pigeonhole_transfers_waiting 3000$/m);
  await lineOf(stack.slack, { channel: 'general', ts }, /Waiting: 0\.txt, .* more/);
});

/** A share whose timestamp no index of PostgreSQL takes. */
function poison() {
  const digits = Array.from({ length: 20_000 }, () => randomInt(10)).join('');
  return share({ ts: `1700000002.${digits}` });
}

it('a share that cannot be recorded fails alone, and keeps no other of its channel back', async () => {
  const engine = await PGlite.create();
  onTestFinished(() => engine.close());
  const ledger = await openLedger(postgresDialect(pglitePool(engine)), 1);
  const destination = { projectId: 1, folderId: 2 };
  const toRecord = { origin: 'event' as const, destination, reportId: null, now: 1 };
  await expect(ledger.recordShare({ ...toRecord, share: poison() })).rejects.toMatchObject({
    code: 'LEDGER_UNRECORDABLE',
  });
  const bad = poison();
  const shares = [share({ ts: '1700000001.000000' }), bad, share({ ts: '1700000003.000000' })];
  const channel = { team: 'T1', channel: 'C1' };
  const recorded = await ledger.recordMissed({ ...channel, shares, destination, now: 1 });
  expect(recorded).toEqual({ files: 2, unrecordable: [bad] });
  const report = await ledger.claimReport({ now: 9, until: 10, token: 't' });
  expect(await ledger.countReport(report?.id ?? 0)).toEqual({ recorded: 2 });
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { openLedger, postgresDialect, postgresPool } from '../../src/ledger/index.ts';
import { startPostgres } from './start-postgres.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** How long a connection may stay silent, in milliseconds. */
const SILENT_MS = 120_000;

it('the ledger gives up a silent connection, and goes on through another', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.remove());
  const proxy = await startTcpProxy(new URL(await postgres.createDatabase()));
  const ledger = await openLedger(postgresDialect(postgresPool(proxy.url, () => undefined)), 0);
  onTestFinished(() => ledger.close());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const lost = proxy.drop();
  const asked = ledger.countInHand('T1');
  await lost;
  const given = expect(asked).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  await vi.advanceTimersByTimeAsync(SILENT_MS);
  await given;
  expect((await ledger.countInHand('T1')).size).toBe(0);
});

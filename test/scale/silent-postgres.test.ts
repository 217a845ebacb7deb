import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openLedger, postgresDialect, postgresPool } from '../../src/ledger/index.ts';
import { startPostgres } from '../support/start-postgres.ts';

/** How long a connection may stay silent, in milliseconds. */
const SILENT_MS = 120_000;

it('the ledger gives up a silent connection, and goes on through another', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.remove());
  const line = await lineTo(new URL(await postgres.createDatabase()));
  const ledger = await openLedger(postgresDialect(postgresPool(line.url, () => undefined)), 0);
  onTestFinished(() => ledger.close());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const lost = line.swallow();
  const asked = ledger.countInHand('T1');
  await lost;
  const given = expect(asked).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  await vi.advanceTimersByTimeAsync(SILENT_MS);
  await given;
  expect((await ledger.countInHand('T1')).size).toBe(0);
});

/** Starts a proxy to a server that can drop data silently. */
async function lineTo(server: URL) {
  const silent = new Set<Socket>();
  const open = new Set<Socket>();
  let onLoss: () => void = () => undefined;
  const proxy = createServer((near) => {
    const far = connect(Number(server.port), server.hostname);
    open.add(near);
    near.on('data', (bytes) => (silent.has(near) ? onLoss() : far.write(bytes)));
    far.on('data', (bytes) => near.write(bytes));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  const url = new URL(server);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Drops all further data of the open connections; resolves once something was dropped. */
    swallow: () => {
      for (const one of open) silent.add(one);
      return new Promise<void>((resolve) => {
        onLoss = resolve;
      });
    },
  };
}

import { afterEach, describe, expect, it } from 'vitest';
import type { AppOptions } from '../../src/app-options.ts';
import { LedgerError } from '../../src/ledger/index.ts';
import { aroundLedger } from '../support/around-ledger.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { type Findings, NOTHING, watchShares } from '../support/watch-shares.ts';

const ONE = { channel: 'general', user: 'ben' };
const FILES = [{ name: 'a.bin', bytes: Buffer.from('a') }];
const LEASE_MS = 1_000;
/** Only ends a test that hangs. */
const PATIENCE_MS = 40_000;

let stack: Stack;
afterEach(() => stack.stop());

/** A ledger that can be broken: each call then fails, as with a full disk. */
function breakable() {
  const state = { broken: false };
  const before = () => {
    if (state.broken) throw new LedgerError('LEDGER_UNAVAILABLE', 'the disk is full');
  };
  const around: AppOptions['aroundLedger'] = (ledger) => aroundLedger(ledger, { before });
  return { state, around };
}

async function shareWhileBroken(
  acknowledge: AppOptions['acknowledge'],
  socketMode = false,
): Promise<Findings> {
  const { state, around } = breakable();
  const appOptions: Partial<AppOptions> = { aroundLedger: around, acknowledge };
  stack = await startStack({ appOptions, socketMode, slack: { responseTimeoutMs: 500 } });
  await stack.slack.until(() => !socketMode || stack.slack.socket.connections() > 0);
  const watch = watchShares(stack.slack, stack.service);
  state.broken = true;
  const { deliveries } = await watch.share({ ...ONE, files: FILES });
  state.broken = false;
  const refused = deliveries.findLast(({ status }) => status !== 200);
  if (refused) await stack.slack.redeliver(refused.eventId);
  await watch.settled(AbortSignal.timeout(refused ? PATIENCE_MS : 500)).catch(() => undefined);
  return watch.findings();
}

describe('acknowledging an event only after the commit', () => {
  it('has a share that could not be recorded delivered again', async () => {
    expect(await shareWhileBroken('after')).toEqual(NOTHING);
  });

  it('is needed: without it the share is lost', async () => {
    expect((await shareWhileBroken('before')).lost).toHaveLength(1);
  });

  it('has such a share delivered again in Socket Mode too', async () => {
    expect(await shareWhileBroken('after', true)).toEqual(NOTHING);
  });

  it('is needed in Socket Mode too: without it the share is lost', async () => {
    expect((await shareWhileBroken('before', true)).lost).toHaveLength(1);
  });
});

describe('a ledger outage', () => {
  it('shows in readiness, and filing resumes after it without a restart or a loss', async () => {
    const { state, around } = breakable();
    const worker = { concurrency: 8, leaseMs: LEASE_MS };
    stack = await startStack({ appOptions: { aroundLedger: around, worker } });
    const { slack, service, port } = stack;
    const watch = watchShares(slack, service);
    const created = Promise.withResolvers<void>();
    service.faults.intercept(({ operation, when }) => {
      if (operation !== 'create' || when !== 'after') return undefined;
      state.broken = true;
      created.resolve();
      return undefined;
    });
    await watch.share({ ...ONE, files: FILES });
    await created.promise;
    service.faults.clear();
    const another = [{ name: 'b.bin', bytes: Buffer.from('b') }];
    const meanwhile = await watch.share({ ...ONE, files: another });
    expect(meanwhile.deliveries.map(({ status }) => status)).toEqual([500, 500, 500, 500]);
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain('database');
    state.broken = false;
    await slack.redeliver(meanwhile.deliveries[0]?.eventId ?? '');
    await watch.settled(AbortSignal.timeout(PATIENCE_MS));
    expect(await watch.findings()).toEqual(NOTHING);
  });

  // As on a full disk: the loops, which have nothing due, only read.
  it.each([false, true])(
    'in which only writes fail is followed by a catch-up, as Slack has given up (Socket Mode: %s)',
    async (socketMode) => {
      let isFull = false;
      const around: AppOptions['aroundLedger'] = (ledger) =>
        aroundLedger(ledger, {
          before: ({ method }) => {
            if (isFull && ['recordShare', 'check'].includes(method))
              throw new LedgerError('LEDGER_UNAVAILABLE', 'the disk is full');
          },
        });
      const slackOptions = { responseTimeoutMs: 500 };
      stack = await startStack({
        ...{ appOptions: { aroundLedger: around }, socketMode, slack: slackOptions },
      });
      await stack.slack.until(() => !socketMode || stack.slack.socket.connections() > 0);
      const watch = watchShares(stack.slack, stack.service);
      await watch.share({ ...ONE, files: FILES });
      await watch.settled(AbortSignal.timeout(PATIENCE_MS));
      isFull = true;
      const another = [{ name: 'b.bin', bytes: Buffer.from('b') }];
      const lost = await watch.share({ ...ONE, files: another });
      expect(lost.deliveries.filter(({ failure }) => !failure)).toEqual([]);
      isFull = false;
      await watch.filed(AbortSignal.timeout(PATIENCE_MS));
      expect(await watch.findings(new Set([lost.ts]))).toEqual(NOTHING);
    },
  );
});

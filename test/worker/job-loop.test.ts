import { expect, it, onTestFinished } from 'vitest';
import { systemRandom } from '../../src/base/index.ts';
import { LedgerError } from '../../src/ledger/index.ts';
import { JobLoop } from '../../src/worker/job-loop.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';

it('logs an outage of the ledger when it begins and when it is over, however long it lasts', async () => {
  const { logger, lines } = createListLogger();
  const clock = createFakeClock();
  let isOut = true;
  const call = async <T>(result: T): Promise<T> => {
    if (isOut) throw new LedgerError('LEDGER_UNAVAILABLE', 'away');
    return result;
  };
  const ledger = {
    renewLeases: () => call(new Set<string>()),
    sweepLeases: () => call(0),
    bringForward: () => call(undefined),
  };
  const context = { ledger, clock, random: systemRandom, logger, leaseMs: 30_000 };
  const kind = {
    ...{ table: 'transfers' as const, concurrency: 1 },
    next: () => call(null),
    claim: () => call(null),
  };
  const loop = new JobLoop(context, [kind]);
  loop.start();
  onTestFinished(() => loop.stop(0));
  const texts = () => lines.map(({ level, text }) => `${level}: ${text}`);
  await clock.advance(10 * 60_000);
  expect(texts()).toEqual([
    'warn: No job could be claimed: it is tried every second',
    'warn: Leases could not be renewed: work whose lease runs out is ended',
  ]);
  expect(lines[0]?.fields).toMatchObject({ error: { code: 'LEDGER_UNAVAILABLE' } });
  isOut = false;
  await clock.advance(60_000);
  expect(texts().slice(2)).toEqual([
    'info: Jobs can be claimed again',
    'info: Leases can be renewed again',
  ]);
});

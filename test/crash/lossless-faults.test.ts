import { expect, it } from 'vitest';
import { NOTHING } from '../support/watch-shares.ts';
import { runUnderFaults } from './fault-run.ts';

it.each(['once', 'often'] as const)(
  'the app files and reports each share once while one call in four fails and an attachment may be used %s',
  async (attachmentUse) => {
    const signal = AbortSignal.timeout(100_000);
    const options = { shares: 30, seed: 7, with429Unsaid: false, attachmentUse, signal };
    const run = await runUnderFaults(options);
    expect(run.findings).toEqual(NOTHING);
    expect(run.deliveries.refused).toBe(0);
    expect(run.faultCounts.size).toBeGreaterThan(8);
  },
  120_000,
);

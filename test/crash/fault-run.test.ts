import { expect, it } from 'vitest';
import { runUnderFaults } from '../support/fault-run.ts';
import { NOTHING } from '../support/watch-shares.ts';

const SHARES = 200;
// Printed, so that CRASH_SEED=… can repeat a run's choices.
const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);

it(`${SHARES} shares lose nothing and double nothing while one call in four fails`, async () => {
  const signal = AbortSignal.timeout(280_000);
  const run = await runUnderFaults({ shares: SHARES, seed, with429Unsaid: true, signal });
  const { findings, files, deliveries, struck } = run;
  const faults = [...struck.values()].reduce((sum, count) => sum + count, 0);
  console.info(
    `fault run, seed ${seed}: ${SHARES} shares of ${files} files, ${faults} faults of ` +
      `${struck.size} kinds, ${deliveries.made} deliveries: ${findings.lost.length} lost, ` +
      `${findings.twice.length} twice, ${findings.chatty.length} threads told twice`,
  );
  expect(findings).toEqual(NOTHING);
  expect(deliveries.refused).toBe(0);
  expect([...struck.keys()]).toHaveLength(18);
}, 300_000);

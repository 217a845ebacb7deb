import { expect, it } from 'vitest';
import { SEED } from '../support/seed.ts';
import { NOTHING } from '../support/watch-shares.ts';
import { runUnderFaults } from './fault-run.ts';

const SHARES = 200;
// The interface leaves it open whether a second create is refused or makes a second record.
const attachmentUse = SEED % 2 === 0 ? 'once' : 'often';

it(`the app files each of ${SHARES} shares exactly once while one call in four fails`, async () => {
  const signal = AbortSignal.timeout(400_000);
  const options = {
    shares: SHARES,
    seed: SEED,
    with429Unsaid: true,
    attachmentUse,
    signal,
  } as const;
  const run = await runUnderFaults(options);
  const { findings, files, deliveries, faultCounts, waiting } = run;
  const faults = [...faultCounts.values()].reduce((sum, count) => sum + count, 0);
  console.info(
    `fault run, seed ${SEED}, attachments good ${attachmentUse}: ${SHARES} shares of ${files} files, ${faults} faults of ` +
      `${faultCounts.size} kinds, ${deliveries.made} deliveries: ${findings.lost.length} lost, ` +
      `${findings.twice.length} twice, ${findings.chatty.length} threads told twice`,
  );
  expect(waiting).toEqual([]);
  expect(findings).toEqual(NOTHING);
  expect(deliveries.refused).toBe(0);
  expect([...faultCounts.keys()]).toHaveLength(18);
}, 430_000);

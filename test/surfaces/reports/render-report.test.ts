import { expect, it } from 'vitest';
import { slackTs } from '../../../src/slack/index.ts';
import { renderReport } from '../../../src/surfaces/reports/render-report.ts';
import { contextOf } from '../../engine/context-of.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;

it('a report is looked for from before its start, also where our clock is far ahead', async () => {
  const clock = createFakeClock(NOW);
  const ahead = { ...clock, now: () => clock.now() + 20 * MINUTE };
  const ledger = await openEmptyLedger(NOW);
  const channel = { team: 'T1', channel: 'C1' };
  await ledger.beginBackfill(channel, { startedBy: 'U1', now: ahead.now() });
  const lease = { now: ahead.now() + MINUTE, until: ahead.now() + 2 * MINUTE, token: 'line' };
  const message = (await ledger.claimMessage(lease)) ?? expect.unreachable('none is due');
  const kept = await renderReport(message, contextOf({ ledger, clock: ahead }));
  expect(Number(kept?.oldest)).toBeLessThan(Number(slackTs(NOW)));
  await ledger.close();
});

import { type Ledger, openLedger, sqliteDialect } from '../../../src/ledger/index.ts';
import { FOLDER, PROJECT } from '../../support/app-settings.ts';
import { share } from '../../support/shares.ts';
import { TEAM } from './fill-ledger.ts';

/** The ledger's calls that are measured. */
export const LEDGER_CALLS = ['claim', 'record', 'dedupe', 'next due', 'start'] as const;
export type LedgerCall = (typeof LEDGER_CALLS)[number];

export interface LedgerTimes {
  /** How many settled transfers the ledger held. */
  settled: number;
  /** Milliseconds of each call. */
  times: Record<LedgerCall, number[]>;
}

export interface LedgerPlan {
  settled: number;
  now: number;
  /** How often each call is made. */
  calls: number;
  starts: number;
}

const LEASE_MS = 30_000;

/** Measures the calls of a filled ledger one by one. */
export async function timeLedger(dataDir: string, plan: LedgerPlan): Promise<LedgerTimes> {
  const { calls, now, settled } = plan;
  const start = await timeStarts(dataDir, plan);
  const ledger = await openLedger(sqliteDialect(dataDir), now);
  try {
    const times = {
      start,
      claim: await timeEach(calls, claiming(ledger, now)),
      record: await timeEach(calls, recording(ledger, now)),
      dedupe: await timeEach(calls, recording(ledger, now)),
      'next due': await timeEach(calls, () => ledger.nextFiling({ largest: null })),
    };
    return { settled, times };
  } finally {
    await ledger.close();
  }
}

async function timeEach(
  calls: number,
  call: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < calls; index += 1) {
    const begun = performance.now();
    await call(index);
    times.push(performance.now() - begun);
  }
  return times;
}

async function timeStarts(dataDir: string, { starts, now }: LedgerPlan): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < starts; count += 1) {
    const begun = performance.now();
    const ledger = await openLedger(sqliteDialect(dataDir), now);
    times.push(performance.now() - begun);
    await ledger.close();
  }
  return times;
}

// Takes the queues in turn, as the worker does.
function claiming(ledger: Ledger, now: number) {
  let afterQueue = '';
  return async (index: number) => {
    const lease = { now, until: now + LEASE_MS, token: `bench-${index}` };
    const claimed = await ledger.claimFiling({ ...lease, afterQueue, largest: null });
    if (!claimed) throw new Error('Nothing was due');
    afterQueue = claimed.queue;
  };
}

function recording(ledger: Ledger, now: number) {
  return (index: number) =>
    ledger.recordShare({
      share: share({ team: TEAM, channel: `C${index % 20}`, ts: `1700000000.${100_000 + index}` }),
      origin: 'event',
      destination: { projectId: PROJECT, folderId: FOLDER },
      reportId: null,
      now,
    });
}

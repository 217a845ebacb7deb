import { describe } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import { describeAttention } from './attention.contract.ts';
import { describeBackfills } from './backfills.contract.ts';
import { describeCatchUps } from './catch-ups.contract.ts';
import { describeChannels } from './channels.contract.ts';
import { describeClaimTransfers } from './claim-transfers.contract.ts';
import { describeDeletions } from './deletions.contract.ts';
import { describeHolds } from './holds.contract.ts';
import { describeJobs } from './jobs.contract.ts';
import { ledgerUnderTest } from './ledger-under-test.ts';
import { describeMessages } from './messages.contract.ts';
import { describeMirror } from './mirror.contract.ts';
import { describeRecordShare } from './record-share.contract.ts';
import { describeRecords } from './records.contract.ts';
import { describeReports } from './reports.contract.ts';
import { describeRequests } from './requests.contract.ts';
import { describeRuns } from './runs.contract.ts';
import { describeSaved } from './saved.contract.ts';
import { describeSender } from './sender.contract.ts';
import { describeShares } from './shares.contract.ts';
import { describeSteps } from './steps.contract.ts';
import { describeWaitingFiles } from './waiting-files.contract.ts';
import { describeWatches } from './watches.contract.ts';

const CONTRACTS = [
  describeAttention,
  describeBackfills,
  describeChannels,
  describeClaimTransfers,
  describeDeletions,
  describeJobs,
  describeMirror,
  describeMessages,
  describeHolds,
  describeCatchUps,
  describeRecordShare,
  describeRecords,
  describeReports,
  describeRequests,
  describeRuns,
  describeSaved,
  describeSender,
  describeShares,
  describeSteps,
  describeWaitingFiles,
  describeWatches,
];

/** The ledger's contract for every dialect, table by table; `open` resolves to an empty ledger. */
export function describeLedger(name: string, open: () => Promise<Ledger>): void {
  describe(`the ledger on ${name}`, () => {
    const underTest = ledgerUnderTest(open);
    for (const describeTable of CONTRACTS) describeTable(underTest);
  });
}

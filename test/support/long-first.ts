import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take four seconds or more, longest first: one that began last would be waited for alone. */
const LONG = [
  'attacks/rights',
  'sim/sim',
  'flow/bad-slack-files',
  'flow/paused-links',
  'flow/no-secrets',
  'flow/link-modal',
  'attacks/clocks',
  'flow/save-files',
  'playground/start',
  'ledger/postgres',
  'flow/large-folders',
  'flow/backfill',
  'flow/lossless-backfill',
  'flow/delete',
  'flow/attention',
  'flow/announcements',
  'flow/deleted-in-slack',
  'service/large-folders',
  'flow/create-answers',
  'attacks/large-default-folder',
  'playground/page-server/page-server',
  'flow/lossless-ledger',
  'flow/lost-creates',
  'flow/late-creates',
  'worker/answered-creates',
  'flow/outage',
  'flow/restart-window',
  'attacks/supply-chain',
  'attacks/hostile-answers',
  'attacks/port',
  'flow/bad-answers',
  'flow/first-sign',
  'flow/list-files',
  'flow/names',
];

/** Starts the long files first; vitest itself knows them only after a first run on a machine. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank < 0 ? LONG.length : rank;
}

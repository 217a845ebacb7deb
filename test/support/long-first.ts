import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take five seconds or more: one that began last would be waited for alone. */
const LONG = [
  'attacks/who-may-what',
  'sim/sim',
  'flow/bad-slack-files',
  'flow/backfill',
  'flow/no-secrets',
  'playground/start',
  'flow/lossless-backfill',
  'attacks/supply-chain',
  'flow/create-answers',
  'flow/large-folders',
  'flow/delete',
  'flow/deleted-in-slack',
  'flow/attention',
  'attacks/who-sees-what',
  'flow/first-sign',
  'service/large-folders',
  'worker/answered-creates',
  'attacks/hostile-answers',
  'flow/late-creates',
  'attacks/clocks',
  'attacks/large-default-folder',
  'worker/lines',
  'playground/page-server/page-server',
  'flow/bad-answers',
  'flow/lost-creates',
  'ledger/postgres',
  'flow/lossless-ledger',
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

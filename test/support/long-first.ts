import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take five seconds or more: one that began last would be waited for alone. */
const LONG = [
  'sim/sim',
  'flow/create-answers',
  'attacks/clocks',
  'flow/lost-creates',
  'flow/backfill',
  'flow/first-sign',
  'flow/bad-slack-files',
  'flow/bad-answers',
  'playground/start',
  'attacks/who-may-what',
  'ledger/postgres',
  'attacks/who-sees-what',
  'worker/answered-creates',
  'flow/lossless-backfill',
  'service/large-folders',
  'flow/large-folders',
  'flow/progress',
  'flow/no-secrets',
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

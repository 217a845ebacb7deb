import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take three seconds or more, longest first, so that none of them is left running
 * alone at the end.
 */
const LONG = [
  'crash/random-kills',
  'crash/fault-run',
  'crash/kill-matrix',
  'crash/kill-under-silence',
  'crash/big-share',
  'scale/instances',
  'scale/ledger-postgres',
  'scale/without-redis',
  'scale/throttle-redis',
  'scale/redis-failover',
  'browser/playground',
  'browser/service-pane',
  'browser/message-menu',
  'sim/sim',
  'service/large-folders',
  'surfaces/every-view',
  'attacks/rights',
  'main',
  'playground/start',
  'attacks/at-rest',
  'flow/no-secrets',
  'flow/large-folders',
  'flow/paused-links',
  'flow/delete',
  'flow/lossless-backfill',
  'attacks/supply-chain',
  'flow/save-files',
  'flow/backfill',
  'flow/deleted-in-slack',
  'attacks/clocks',
  'attacks/large-default-folder',
  'flow/attention',
  'attacks/retry-after',
  'flow/announcements',
  'attacks/settings',
  'flow/lossless-ledger',
  'flow/bad-slack-files',
  'playground/app-runner',
  'flow/names',
  'attacks/spam',
  'flow/outage',
  'playground/page-server/page-server',
  'attacks/port',
];

/**
 * Starts the long files first; vitest itself knows their durations only after a first run on a
 * machine.
 */
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

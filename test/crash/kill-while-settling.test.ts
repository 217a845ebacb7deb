import { describe, it } from 'vitest';
import { around, at, named, useKillRun } from './kill-run.ts';

// Longer than a start takes, so that the restarted app must still leave the create alone.
const SETTLE_MS = 6_000;

const run = useKillRun('kills while a create settles', { appOptions: { settleMs: SETTLE_MS } });

describe('an app killed while it leaves a create without a response alone', () => {
  it.each(named(around('release')))(
    'files everything once after a kill %s',
    async (_name, point) => {
      await run.dieAt([at('creating'), point]);
    },
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StepName } from '../support/around-ledger.ts';
import type { Fate } from '../worker/model-service.ts';
import type { PostFate } from '../worker/model-slack.ts';
import { type Instance, NOTHING_FOUND, type Rig, startRig } from '../worker/start-rig.ts';

type Event =
  | { what: 'share'; files: { name: string; size: number }[] }
  | { what: 'redelivery' | 'retry'; of: number }
  | { what: 'time'; ms: number }
  | { what: 'crash' | 'second process' | 'thaw' }
  | { what: 'freeze'; at: StepName };

// Few names and sizes, so that files are often alike.
const file = fc.record({ name: fc.constantFrom('a.pdf', 'b.pdf'), size: fc.constantFrom(10, 20) });
const share = fc.record({
  what: fc.constant('share' as const),
  files: fc.array(file, { minLength: 1, maxLength: 3 }),
});
const moment = fc.constantFrom<StepName>(
  'claimed',
  'uploaded',
  'creating',
  'create-answered',
  'reply-begun',
  'reply-posted',
);
const event: fc.Arbitrary<Event> = fc.oneof(
  share,
  fc.record({ what: fc.constantFrom('redelivery' as const, 'retry' as const), of: fc.nat(5) }),
  fc.record({ what: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 45_000 }) }),
  fc.record({
    what: fc.constantFrom('crash' as const, 'second process' as const, 'thaw' as const),
  }),
  fc.record({ what: fc.constant('freeze' as const), at: moment }),
);

const outcome = fc.constantFrom<Fate>(
  'fine',
  'lost',
  'unsent',
  'late',
  'failed-after',
  'failed',
  'limited',
);
const outcomes = fc.record({
  service: fc.array(outcome, { minLength: 5, maxLength: 40 }),
  slack: fc.array(fc.constantFrom<PostFate>('fine', 'lost', 'unsent', 'limited'), {
    minLength: 2,
    maxLength: 10,
  }),
});
const scenario = fc
  .tuple(share, fc.array(event, { minLength: 5, maxLength: 25 }))
  .map(([first, rest]) => [first, ...rest]);

const A_DAY_MS = 24 * 60 * 60_000;

/** Runs the events in turn, between one or two processes. */
async function run(rig: Rig, events: Event[]): Promise<void> {
  let instances: Instance[] = [rig.start()];
  for (const one of events) {
    if (one.what === 'share') await rig.share(one.files);
    else if (one.what === 'redelivery') await rig.redeliver(one.of);
    else if (one.what === 'retry') await rig.retry(one.of);
    else if (one.what === 'time') await rig.clock.advance(one.ms);
    else if (one.what === 'freeze') instances[0]?.freezeAt(one.at);
    else if (one.what === 'thaw') for (const instance of instances) instance.thaw();
    else if (one.what === 'second process') instances.push(rig.start());
    else {
      instances.shift()?.crash();
      instances = [...instances, rig.start()];
    }
  }
  for (const instance of instances) {
    instance.freezeAt(null);
    instance.thaw();
  }
}

describe('a ledger under random interleavings of events', () => {
  it('loses nothing, files nothing twice, and leaves nothing stuck', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, outcomes, async (events, { service, slack }) => {
        const rig = await startRig();
        rig.service.fates.push(...service);
        rig.slack.fates.push(...slack);
        try {
          await run(rig, events);
          rig.service.fates.length = 0;
          rig.slack.fates.length = 0;
          expect(await rig.settles(A_DAY_MS)).toBe(true);
          expect(rig.findings()).toEqual(NOTHING_FOUND);
        } finally {
          await rig.stop();
        }
      }),
      { numRuns: 40 },
    );
  }, 240_000);
});

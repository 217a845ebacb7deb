import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { react } from '../../src/engine/react.ts';
import type { MessageRow } from '../../src/ledger/index.ts';
import { SlackCallError } from '../../src/slack/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { contextOf } from './context-of.ts';

const NOW = 1_800_000_000_000;

const ON = { channel: 'C1', ts: '1' };
const ROW: MessageRow = {
  ...{ kind: 'share', about: 1, channel: null, ts: null, begun: 0, fingerprint: null },
  ...{ reaction: null, reactionBegun: null },
};
const FILED = 'white_check_mark';

/** A message in Slack, its row, and a process that dies after a given number of steps. */
function startShare() {
  const carried = new Set<string>();
  const row = { ...ROW };
  let left = Number.POSITIVE_INFINITY;

  // Dies before the call, or after its effect.
  const call = async (effect: () => void) => {
    left -= 1;
    if (left === 0) throw new Error('killed before');
    effect();
    left -= 1;
    if (left === 0) throw new Error('killed after');
  };
  const context = contextOf({
    clock: createFakeClock(NOW),
    workspace: {
      react: async (_message, { name, instead }) => {
        await call(() => carried.add(name));
        if (instead && instead !== name) await call(() => carried.delete(instead));
      },
      unreact: (_message, name) => call(() => carried.delete(name)),
    },
    ledger: {
      beginReaction: (_id, name) => call(() => Object.assign(row, { reactionBegun: name })),
    },
  });
  const tell = async (name: string | null, dieAfter: number) => {
    left = dieAfter;
    const { done } = await react({ ...row }, { on: ON, name }, context);
    await call(() => Object.assign(row, done));
  };
  return { carried, tell };
}

describe('the reaction on a share', () => {
  it('is single and correct, or none where nothing is filed, however often the process died meanwhile', async () => {
    const name = fc.constantFrom('hourglass_flowing_sand', 'warning', FILED, null);
    const killed = fc.record({ name, dieAfter: fc.integer({ min: 1, max: 10 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(killed, { maxLength: 6 }), name, async (kills, last) => {
        const { carried, tell } = startShare();
        for (const kill of kills) await tell(kill.name, kill.dieAfter).catch(() => undefined);
        await tell(last, Number.POSITIVE_INFINITY);
        const untroubled = startShare();
        await untroubled.tell(last, Number.POSITIVE_INFINITY);
        expect([...carried]).toEqual([...untroubled.carried]);
        expect(carried.size).toBe(last === null ? 0 : 1);
      }),
    );
  });

  const failing = (error: SlackCallError) =>
    contextOf({
      clock: createFakeClock(NOW),
      workspace: { react: () => Promise.reject(error), unreact: async () => undefined },
      ledger: { beginReaction: async () => undefined },
    });

  it('does not keep the line from being written when Slack refuses it', async () => {
    const refused = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'too_many_reactions' });
    const { done } = await react(ROW, { on: ON, name: FILED }, failing(refused));
    expect(done).toEqual({ reaction: FILED });
  });

  it('is postponed when Slack limits it, without delaying the line', async () => {
    const limited = new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 20_000 });
    const reacted = await react(ROW, { on: ON, name: FILED }, failing(limited));
    expect(reacted).toEqual({ done: {}, isGone: false, reactAt: NOW + 20_000 });
  });

  it('is not sent before the longest of the pauses that Slack asks of several at once', async () => {
    const waits = [20_000, 1_000];
    const clock = createFakeClock(NOW);
    const reacted: string[] = [];
    const context = contextOf({
      clock,
      workspace: {
        react: async ({ ts }) => {
          const retryAfterMs = waits.shift();
          if (retryAfterMs)
            throw new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs });
          reacted.push(ts);
        },
      },
      ledger: { beginReaction: async () => undefined },
    });
    const once = () => react(ROW, { on: ON, name: FILED }, context);
    const postponed = await Promise.all([once(), once()]);
    expect(postponed.map(({ reactAt }) => reactAt)).toEqual([NOW + 20_000, NOW + 20_000]);
    await clock.advance(1_000);
    await once();
    expect(reacted).toEqual([]);
  });
});

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ShareFile, View } from '../../src/blocks/index.ts';
import type { Ledger, ShareRow } from '../../src/ledger/index.ts';
import { SlackCallError } from '../../src/slack/index.ts';
import type { LinkBy, Role } from '../../src/transfers/index.ts';
import { notifyOfPause } from '../../src/worker/notify-pause.ts';
import { react } from '../../src/worker/notify-share.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { shareFile } from '../support/share-file.ts';
import { folderLink, recording } from '../support/shares.ts';
import { contextOf } from './context-of.ts';

const NOW = 1_800_000_000_000;

const AT = { id: 1, channel: 'C1', ts: '1' };
const ROW = { ...AT, reaction: null, reactionBegun: null } as Partial<ShareRow> as ShareRow;

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
  const tell = async (phase: ShareFile['phase'], dieAfter: number) => {
    left = dieAfter;
    const { done } = await react({ ...row }, [file(phase)], context);
    await call(() => Object.assign(row, done));
  };
  return { carried, tell };
}

const file = (phase: ShareFile['phase']) => shareFile('report.pdf', { sizeBytes: 1, phase });

describe('the reaction on a share', () => {
  it('is single and correct, or none where nothing is filed, however often the process died meanwhile', async () => {
    const phase = fc.constantFrom<ShareFile['phase']>('waiting', 'refused', 'filed', 'withdrawn');
    const killed = fc.record({ phase, dieAfter: fc.integer({ min: 1, max: 10 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(killed, { maxLength: 6 }), phase, async (kills, last) => {
        const { carried, tell } = startShare();
        for (const kill of kills) await tell(kill.phase, kill.dieAfter).catch(() => undefined);
        await tell(last, Number.POSITIVE_INFINITY);
        const untroubled = startShare();
        await untroubled.tell(last, Number.POSITIVE_INFINITY);
        expect([...carried]).toEqual([...untroubled.carried]);
        expect(carried.size).toBe(last === 'withdrawn' ? 0 : 1);
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
    const { done } = await react(ROW, [file('filed')], failing(refused));
    expect(done).toEqual({ reaction: 'white_check_mark', reactionBegun: null });
  });

  it('is postponed when Slack limits it, without delaying the line', async () => {
    const limited = new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 20_000 });
    const reacted = await react(ROW, [file('filed')], failing(limited));
    expect(reacted).toEqual({ done: {}, isGone: false, reactAt: NOW + 20_000 });
  });

  it('is sent when the pause that Slack asked for ends a day ahead, as the clock was set back', async () => {
    const refused = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'too_many_reactions' });
    const context = { ...failing(refused), reactionPause: { until: NOW + 24 * 60 * 60_000 } };
    const { done } = await react(ROW, [file('filed')], context);
    expect(done).toEqual({ reaction: 'white_check_mark', reactionBegun: null });
  });
});

describe('the notice of a paused link', () => {
  const clock = createFakeClock();
  const ref = { team: 'T1', channel: 'C1' };
  const link = folderLink({ projectTitle: 'Accounts', folderName: 'Invoices' });
  const refused = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'user_not_found' });
  const limited = new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 1_000 });
  const unanswered = new SlackCallError('SLACK_UNREACHABLE', 'no answer');

  let ledger: Ledger;
  let told: string[];
  let role: Role;
  let failures: Partial<Record<'actor' | 'announce' | 'notify', SlackCallError>>;

  beforeEach(async () => {
    [told, role, failures] = [[], 'admin', {}];
    ledger = await openEmptyLedger(clock.now());
    await ledger.setLink(ref, link);
    await ledger.recordShare(recording({ channel: 'C1' }));
    await pause();
  });
  afterEach(() => ledger.close());

  async function pause(): Promise<void> {
    const lease = { now: clock.now(), until: clock.now() + 1_000, token: 't' };
    const claimed = await ledger.claimFiling({ ...lease, afterQueue: '', largest: null });
    const claim = { id: claimed?.transfers[0]?.id ?? 0, token: 't' };
    const reason = 'DESTINATION_GONE' as const;
    const pausing = { reason, problem: { code: reason, note: null }, now: clock.now(), scale: 1 };
    expect(await ledger.pauseLink({ ...pausing, claim })).toBe('paused');
  }

  function context(linkBy: LinkBy = 'admins') {
    const say =
      (call: 'announce' | 'notify') =>
      async (to: string, { text }: View) => {
        const failure = failures[call];
        if (failure) throw failure;
        told.push(`${to}: ${text}`);
      };
    const actor = async (userId: string) => {
      if (failures.actor) throw failures.actor;
      return { userId, role };
    };
    const notify = async (to: string, view: View) => {
      await say('notify')(to, view);
      return { channel: to, ts: '1' };
    };
    const workspace = { actor, announce: say('announce'), notify };
    return contextOf({ ledger, workspace, clock, linkBy, logger: createListLogger().logger });
  }

  const TO_LINKER = expect.stringMatching(/^U1: Files shared in <#C1> are waiting: its folder, /);
  const TO_CHANNEL = expect.stringMatching(
    /^C1: Files shared here are waiting: this channel’s folder, /,
  );

  it('goes to the member who linked the channel, once for all concurrent callers', async () => {
    await Promise.all([notifyOfPause(ref, context()), notifyOfPause(ref, context())]);
    // A later call must not look the member up again.
    failures.actor = unanswered;
    await notifyOfPause(ref, context());
    expect(told).toEqual([TO_LINKER]);
  });

  it('goes to the channel when it is not known who linked it', async () => {
    await ledger.setLink(ref, { ...link, linkedBy: '' });
    await pause();
    await notifyOfPause(ref, context());
    expect(told).toEqual([TO_CHANNEL]);
  });

  it('is not sent while the link works, and is sent again for a new pause', async () => {
    await notifyOfPause(ref, context());
    await ledger.setLink(ref, link);
    await notifyOfPause(ref, context());
    expect(told).toHaveLength(1);
    await pause();
    await notifyOfPause(ref, context());
    expect(told).toEqual([TO_LINKER, TO_LINKER]);
  });

  it.each<Role>(['member', 'deactivated', 'guest'])(
    'goes to the channel when the linker is no longer an admin, but: %s',
    async (now) => {
      role = now;
      await notifyOfPause(ref, context());
      expect(told).toEqual([TO_CHANNEL]);
    },
  );

  it('goes to a member who linked the channel, where members may link', async () => {
    role = 'member';
    await notifyOfPause(ref, context('members'));
    expect(told).toEqual([TO_LINKER]);
  });

  it.each(['actor', 'notify'] as const)(
    'goes to the channel when Slack refuses to reach the linker (%s)',
    async (call) => {
      failures[call] = refused;
      await notifyOfPause(ref, context());
      expect(told).toEqual([TO_CHANNEL]);
    },
  );

  it.each(['actor', 'notify'] as const)(
    'is sent later when Slack asks to wait (%s)',
    async (call) => {
      failures[call] = limited;
      await expect(notifyOfPause(ref, context())).rejects.toBe(limited);
      expect(told).toEqual([]);
      failures = {};
      await notifyOfPause(ref, context());
      expect(told).toEqual([TO_LINKER]);
    },
  );

  it('is sent later when Slack does not say whether the linker may link', async () => {
    failures.actor = unanswered;
    await expect(notifyOfPause(ref, context())).rejects.toBe(unanswered);
    expect(await ledger.findLink(ref)).toMatchObject({ pauseNotified: false });
    failures = {};
    await notifyOfPause(ref, context());
    expect(told).toEqual([TO_LINKER]);
  });

  it('goes to the channel when somebody else has just linked it', async () => {
    const paused = { pausedFor: 'DESTINATION_GONE', pauseNotified: false } as const;
    const findLink = async () => ({ ...link, ...paused, linkedBy: 'U2' });
    await notifyOfPause(ref, { ...context(), ledger: { ...ledger, findLink } });
    expect(told).toEqual([TO_CHANNEL]);
  });

  it('is not repeated when it may have been sent', async () => {
    failures.notify = unanswered;
    await notifyOfPause(ref, context());
    failures = {};
    await notifyOfPause(ref, context());
    expect(told).toEqual([]);
  });

  it('is given up when it can reach nobody', async () => {
    failures = { notify: refused, announce: refused };
    await notifyOfPause(ref, context());
    expect(await ledger.findLink(ref)).toMatchObject({ pauseNotified: true });
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LinkBy, Role } from '../../../src/core/index.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import { SlackCallError } from '../../../src/slack/index.ts';
import type { View } from '../../../src/surfaces/kit/layout.ts';
import { notifyOfFolder } from '../../../src/surfaces/notices/notify-hold.ts';
import { contextOf } from '../../engine/context-of.ts';
import { DESTINATION, folderLink, recording } from '../../support/builders.ts';
import { holdFolder } from '../../support/claim-next.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createListLogger } from '../../support/list-logger.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';

describe('the notice of a folder that files wait for', () => {
  const clock = createFakeClock();
  const ref = { team: 'T1', channel: 'C1' };
  const link = folderLink({ projectTitle: 'Accounts', folderName: 'Invoices' });
  const refused = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'user_not_found' });
  const limited = new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 1_000 });
  const unanswered = new SlackCallError('SLACK_UNREACHABLE', 'no answer');

  let ledger: Ledger;
  let told: string[];
  let role: Role;
  /** Whether the channel is closed to who linked it. */
  let isClosed: boolean;
  let failures: Partial<Record<'actor' | 'announce' | 'notify', SlackCallError>>;

  beforeEach(async () => {
    [told, role, isClosed, failures] = [[], 'admin', false, {}];
    ledger = await openEmptyLedger(clock.now());
    await ledger.setLink(ref, link);
    await ledger.recordShare(recording({ channel: 'C1' }));
    await open();
  });
  afterEach(() => ledger.close());

  const open = () => holdFolder(ledger, clock.now());

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
    const isClosedTo = async () => isClosed;
    const workspace = { actor, announce: say('announce'), notify, isClosedTo };
    return contextOf({ ledger, workspace, clock, linkBy, logger: createListLogger().logger });
  }

  const TO_LINKER = expect.stringMatching(
    /^U1: Files shared in <#C1>, which you linked, are waiting: /,
  );
  const TO_CHANNEL = expect.stringMatching(/^C1: Files shared here are waiting: their folder, /);

  it('goes to the member who linked the channel, once for all concurrent callers', async () => {
    await Promise.all([
      notifyOfFolder(ref, DESTINATION, context()),
      notifyOfFolder(ref, DESTINATION, context()),
    ]);
    // A later call must not look the member up again.
    failures.actor = unanswered;
    await notifyOfFolder(ref, DESTINATION, context());
    expect(told).toEqual([TO_LINKER]);
  });

  it('goes to the channel when it is not known who linked it', async () => {
    await ledger.setLink(ref, { ...link, linkedBy: '' });
    await notifyOfFolder(ref, DESTINATION, context());
    expect(told).toEqual([TO_CHANNEL]);
  });

  it('is not sent once the hold has ended, and is sent again for a new one', async () => {
    await notifyOfFolder(ref, DESTINATION, context());
    await ledger.endHold('1/2', clock.now());
    await notifyOfFolder(ref, DESTINATION, context());
    expect(told).toHaveLength(1);
    await ledger.recordShare(recording({ ts: '2' }));
    await ledger.leaveTroubled(ref, { parkedToo: true, now: clock.now() });
    await open();
    await notifyOfFolder(ref, DESTINATION, context());
    expect(told).toEqual([TO_LINKER, TO_LINKER]);
  });

  it.each<Role>(['member', 'deactivated', 'guest'])(
    'goes to the channel when the linker is no longer an admin, but: %s',
    async (now) => {
      role = now;
      await notifyOfFolder(ref, DESTINATION, context());
      expect(told).toEqual([TO_CHANNEL]);
    },
  );

  it('goes to the channel if its linker, who may mend nothing there now, has left it', async () => {
    [role, isClosed] = ['member', true];
    await notifyOfFolder(ref, DESTINATION, context('members'));
    expect(told).toEqual([TO_CHANNEL]);
  });

  it('goes to a member who linked the channel, where members may link', async () => {
    role = 'member';
    await notifyOfFolder(ref, DESTINATION, context('members'));
    expect(told).toEqual([TO_LINKER]);
  });

  it.each(['actor', 'notify'] as const)(
    'goes to the channel when Slack refuses to reach the linker (%s)',
    async (call) => {
      failures[call] = refused;
      await notifyOfFolder(ref, DESTINATION, context());
      expect(told).toEqual([TO_CHANNEL]);
    },
  );

  it.each(['actor', 'notify'] as const)(
    'is sent later when Slack asks to wait (%s)',
    async (call) => {
      failures[call] = limited;
      await expect(notifyOfFolder(ref, DESTINATION, context())).rejects.toBe(limited);
      expect(told).toEqual([]);
      failures = {};
      await notifyOfFolder(ref, DESTINATION, context());
      expect(told).toEqual([TO_LINKER]);
    },
  );

  it('is sent later when Slack does not say whether the linker may link', async () => {
    failures.actor = unanswered;
    await expect(notifyOfFolder(ref, DESTINATION, context())).rejects.toBe(unanswered);
    expect(await ledger.findLink(ref)).toMatchObject({ holdNotified: false });
    failures = {};
    await notifyOfFolder(ref, DESTINATION, context());
    expect(told).toEqual([TO_LINKER]);
  });

  it('is not repeated when it may have been sent', async () => {
    failures.notify = unanswered;
    await notifyOfFolder(ref, DESTINATION, context());
    failures = {};
    await notifyOfFolder(ref, DESTINATION, context());
    expect(told).toEqual([]);
  });

  it('is given up when it can reach nobody', async () => {
    failures = { notify: refused, announce: refused };
    await notifyOfFolder(ref, DESTINATION, context());
    expect(await ledger.findLink(ref)).toMatchObject({ holdNotified: true });
  });
});

import type { Workspace } from '../../src/slack/index.ts';

/** People's direct messages, in a Slack that accepts them unless it is down. */
export interface FakeInbox {
  /** Each notification with the person it went to, in order. */
  notified: string[];
  slackIsDown: boolean;
  /** Whose accounts are deactivated. */
  deactivated: string[];
  actor: Workspace['actor'];
  notify: Workspace['notify'];
}

export function createFakeInbox(): FakeInbox {
  const inbox: FakeInbox = {
    notified: [],
    slackIsDown: false,
    deactivated: [],
    actor: async (userId) => {
      if (inbox.slackIsDown) throw new Error('Slack is down');
      return { userId, role: inbox.deactivated.includes(userId) ? 'deactivated' : 'member' };
    },
    notify: async (userId, { text }) => {
      if (inbox.slackIsDown) throw new Error('Slack is down');
      inbox.notified.push(`${userId}: ${text}`);
      return { channel: `D${userId}`, ts: `${inbox.notified.length}` };
    },
  };
  return inbox;
}

import type { Workspace } from '../../src/slack/index.ts';

/** People's direct messages, in a Slack that accepts them unless it is down. */
export interface Inbox {
  /** Each notification with the person it went to, in order. */
  notified: string[];
  slackIsDown: boolean;
  notify: Workspace['notify'];
}

export function createInbox(): Inbox {
  const inbox: Inbox = {
    notified: [],
    slackIsDown: false,
    notify: async (userId, { text }) => {
      if (inbox.slackIsDown) throw new Error('Slack is down');
      inbox.notified.push(`${userId}: ${text}`);
      return { channel: `D${userId}`, ts: `${inbox.notified.length}` };
    },
  };
  return inbox;
}

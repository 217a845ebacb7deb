import type { Faults } from '../embedded-slack/index.ts';
import { HttpError } from './local-server.ts';
import type { Option } from './service-controls.ts';

interface SlackFaultOption extends Option {
  begin(slack: Faults): void;
}

const FAULTS: readonly SlackFaultOption[] = [
  { id: 'works', label: 'work', expect: null, begin: () => undefined },
  {
    id: 'busy',
    label: 'rate-limit messages',
    expect:
      'Every message of Pigeonhole’s gets a 429. Files are filed all the same; its lines come later.',
    begin: (slack) => {
      for (const method of ['chat.postMessage', 'chat.update'])
        slack.rateLimit(method, 5, Infinity);
    },
  },
  {
    id: 'mute',
    label: 'refuse messages',
    expect: 'Pigeonhole may post nothing in channels. It still files, and sets its reaction.',
    begin: (slack) => slack.fail('chat.postMessage', 'restricted_action', Infinity),
  },
  {
    id: 'sign-in',
    label: 'ask downloads to sign in',
    expect:
      'The first two downloads of each file lead to the sign-in page, as happens to new files.',
    begin: (slack) => slack.breakDownloads({ answer: 'sign-in', times: 2 }),
  },
  {
    id: 'scope',
    label: 'withdraw files:read',
    expect: 'Pigeonhole may read no files. They wait, and the operator is told once.',
    begin: (slack) => slack.refuseToken('missing_scope'),
  },
  {
    id: 'revoked',
    label: 'revoke the token',
    expect: 'Slack refuses all that Pigeonhole asks. Files wait until it’s accepted again.',
    begin: (slack) => slack.refuseToken('token_revoked'),
  },
  {
    id: 'down',
    label: 'be down',
    expect: 'Each call of Slack’s Web API gets a 503. Events and commands still arrive.',
    begin: (slack) => slack.fail('*', 503, Infinity),
  },
];

/** The faults, and none, for the page to choose from. */
export const SLACK_FAULT_OPTIONS: readonly Option[] = FAULTS.map(({ id, label, expect }) => ({
  id,
  label,
  expect,
}));

export type SlackFaults = ReturnType<typeof createSlackFaults>;

/** Sets one fault of the embedded Slack at a time, for as long as the visitor wants. */
export function createSlackFaults(slack: Faults) {
  let current = 'works';
  return {
    current: () => current,
    /** Throws status 400 if there is no such option. */
    set: (id: string): void => {
      const found = FAULTS.find((option) => option.id === id);
      if (!found) throw new HttpError(400, 'There is no such state of Slack.');
      slack.clearFaults();
      found.begin(slack);
      current = id;
    },
  };
}

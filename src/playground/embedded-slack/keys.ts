import type { Random } from '../../base/index.ts';

/** What the app is configured with, to speak with this Slack and to know it. */
export interface Keys {
  botToken: string;
  /** For Socket Mode. */
  appToken: string;
  signingSecret: string;
}

/** Keys that nobody can guess, in the place of those that are not given. */
export function createKeys(given: Partial<Keys>, random: Random): Keys {
  return {
    botToken: `xoxb-embedded-${random.id()}`,
    appToken: `xapp-1-embedded-${random.id()}`,
    signingSecret: random.id(),
    ...given,
  };
}

import type { Random } from '../../base/index.ts';

/** The secrets that the app and this Slack share. */
export interface Keys {
  botToken: string;
  /** For Socket Mode. */
  appToken: string;
  signingSecret: string;
}

/** Returns the given keys, and random ones in place of those not given. */
export function createKeys(given: Partial<Keys>, random: Random): Keys {
  return {
    botToken: `xoxb-embedded-${random.id()}`,
    appToken: `xapp-1-embedded-${random.id()}`,
    signingSecret: random.id(),
    ...given,
  };
}

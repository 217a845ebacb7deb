import { type Clock, systemClock } from '../../src/base/index.ts';

/**
 * The machine's clock, a minute ahead of the embedded Slack's: what was shared just before a channel
 * was linked lies clearly before that.
 */
export const laterClock: Clock = { ...systemClock, now: () => systemClock.now() + 60_000 };

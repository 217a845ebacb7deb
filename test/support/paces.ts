import type { Pace, Paces } from '../../src/slack/paced-reads.ts';

/** Returns paces that are all the same one; by default none waits. */
export function pacesOf(pace: Pace = async () => undefined): Paces {
  return { history: pace, replies: pace, channels: pace };
}

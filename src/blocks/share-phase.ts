import type { FilePhase } from './share-file.ts';

export type SharePhase = 'in-hand' | 'done' | 'needs-you';

/** The reactions on a share's message: names of Slack's emoji, without colons. */
export const REACTIONS = {
  inHand: 'hourglass_flowing_sand',
  done: 'white_check_mark',
  needsYou: 'warning',
} as const;

export type Reaction = (typeof REACTIONS)[keyof typeof REACTIONS];

/**
 * Where a share as a whole stands. A file that needs somebody counts before files in hand: it can
 * be seen to at once.
 */
export function sharePhase(files: readonly { phase: FilePhase }[]): SharePhase {
  const phases = new Set(files.map((file) => file.phase));
  if (phases.has('refused') || phases.has('parked')) return 'needs-you';
  return phases.has('waiting') || phases.has('sending') ? 'in-hand' : 'done';
}

/** The one reaction that a share in this phase carries. */
export function reactionFor(phase: SharePhase): Reaction {
  if (phase === 'in-hand') return REACTIONS.inHand;
  return phase === 'done' ? REACTIONS.done : REACTIONS.needsYou;
}

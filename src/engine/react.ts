import type { DoneInSlack, MessageRow } from '../ledger/index.ts';
import { isRefused, type KeptMessage } from '../slack/index.ts';
import type { EngineContext } from './engine-context.ts';
import { pauseIfAsked } from './job.ts';

interface Reacted {
  done: DoneInSlack;
  /** Whether the message that is to bear the reaction is gone. */
  isGone: boolean;
  /** When to try again after Slack's rate limit; null when nothing is left to do. */
  reactAt: number | null;
}

const NOTHING_DONE: Reacted = { done: {}, isGone: false, reactAt: null };

/**
 * Sets our one reaction on the message that one of ours is about, or removes it. Records it before the
 * request, so that a reaction left by a crash is removed later.
 */
export async function react(
  { kind, about, reaction, reactionBegun }: MessageRow,
  { on, name }: NonNullable<KeptMessage['reaction']>,
  { workspace, ledger, clock, logger, reactionPause: pause }: EngineContext,
): Promise<Reacted> {
  if (name !== null && name === reaction && reactionBegun === null) return NOTHING_DONE;
  if (pause.until > clock.now()) return { ...NOTHING_DONE, reactAt: pause.until };
  const done = { reaction: name };
  try {
    if (reactionBegun && reactionBegun !== name) await workspace.unreact(on, reactionBegun);
    // Removing a reaction shows whether the message is gone, even if it has none.
    const begun = name ?? reaction ?? 'hourglass_flowing_sand';
    await ledger.beginReaction({ kind, about }, begun);
    if (name === null) await workspace.unreact(on, begun);
    else await workspace.react(on, { name, instead: reaction });
    return { ...NOTHING_DONE, done };
  } catch (error) {
    const reactAt = pauseIfAsked(pause, error, clock);
    if (reactAt !== null) return { ...NOTHING_DONE, reactAt };
    // A refused reaction, as where a message has too many, must not hold back the line.
    if (!isRefused(error)) throw error;
    logger.debug({ ...on, reason: error.reason }, 'A reaction was refused');
    return { done, reactAt: null, isGone: error.reason === 'message_not_found' };
  }
}

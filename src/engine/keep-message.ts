import { createHash } from 'node:crypto';
import { isFinal } from '../base/index.ts';
import { nextTryDelay } from '../core/index.ts';
import type { ClaimedMessage, DoneInSlack, MessageRow } from '../ledger/index.ts';
import {
  type KeptMessage,
  type MessageBody,
  mayBeRepeated,
  unlessRefused,
} from '../slack/index.ts';
import type { EngineContext } from './engine-context.ts';
import { assertHeld, type Handler, type HeldLease, pauseIfAsked, whileSending } from './job.ts';
import { react } from './react.ts';

/**
 * Renders a message from the ledger as it is now; resolves with null if it is to stay as it is. The
 * surface that owns the message does that.
 */
type Render = (message: MessageRow) => Promise<KeptMessage | null>;

/**
 * How many messages are brought up to date at once: a call of Slack takes a few tenths of a second, and
 * each of many shares is to get its reaction within two.
 */
const AT_ONCE = 4;
/** After so many failures in a row the message is given up; the files are filed all the same. */
const MAX_FAILURES = 40;

/**
 * Keeps our messages in Slack as their surfaces render them, within Slack's limits: a 429 response
 * pauses all of them. A process that stands by leaves them to the one that sends, which alone knows
 * how far uploads are and why files wait.
 */
export function keepingMessages(
  renderers: Readonly<Record<MessageRow['kind'], Render>>,
  context: EngineContext,
): Handler {
  const { ledger, clock, messagePause: pause, standsBy } = context;
  const jobs: Handler = {
    kinds: ['message'],
    concurrency: AT_ONCE,
    next: async () => {
      const dueAt = await ledger.nextDue('message');
      return dueAt && Math.max(dueAt, pause.until);
    },
    claim: async (beginLease) => {
      const row = await ledger.claimMessage(beginLease());
      if (!row) return null;
      const render = renderers[row.kind];
      const { channel } = row;
      return (held) =>
        keepMessage({ row, held, channel, done: {}, reactAt: null }, render, context);
    },
  };
  return whileSending({ clock, maySend: () => !standsBy() }, jobs);
}

/** A message that is held by a lease. */
interface HeldMessage {
  row: ClaimedMessage;
  held: HeldLease;
  /** Where it is, or is to be; null before it is rendered. */
  channel: string | null;
  /** What was done so far: written when the claim ends, even if a later step fails. */
  done: DoneInSlack;
  /** When it is due again for its reaction, apart from its text; null for never. */
  reactAt: number | null;
}

/** Brings a message up to date, and ends the claim with what was done and whether that failed. */
async function keepMessage(
  message: HeldMessage,
  render: Render,
  context: EngineContext,
): Promise<void> {
  const { ledger, clock } = context;
  const { row, held, done } = message;
  let failed = false;
  const againAt = await bringUpToDate(message, render, context).catch((error: unknown) => {
    failed = true;
    return held.signal.aborted ? clock.now() : nextTry(message, error, context);
  });
  const { kind, about } = row;
  const end = { token: held.token, done, againAt, failed, now: clock.now() };
  await ledger.endMessage({ kind, about }, end);
}

/** Returns when to try again; once the text is abandoned, for the reaction only; null for never. */
function nextTry(
  { row: { kind, about, attempts }, channel, reactAt }: HeldMessage,
  error: unknown,
  { clock, logger, random, backoffScale, messagePause: pause }: EngineContext,
): number | null {
  const until = pauseIfAsked(pause, error, clock);
  if (until !== null) return until;
  const permanent = isFinal(error);
  const ids = { channel, [kind]: about };
  logger.warn({ ...ids, error, permanent }, 'A message could not be brought up to date');
  const wait = (nextTryDelay(attempts, random.fraction()) / 2) * backoffScale;
  const againAt = clock.now() + Math.round(wait);
  if (!permanent && attempts <= MAX_FAILURES) return againAt;
  return reactAt && Math.max(reactAt, againAt);
}

/** Resolves with when the message is due again without a change; null for never. */
async function bringUpToDate(
  message: HeldMessage,
  render: Render,
  context: EngineContext,
): Promise<number | null> {
  const { row } = message;
  const kept = await render(row);
  if (!kept) return null;
  message.channel ??= kept.place.channel;
  if (kept.reaction) {
    const { done, isGone, reactAt } = await react(row, kept.reaction, context);
    // Of a message deleted before it had a line nothing is said; a post that was begun may have succeeded.
    if (isGone && row.ts === null && row.begun === 0) return null;
    Object.assign(message.done, done);
    message.reactAt = reactAt;
  }
  if (kept.say) await keepText(message, { ...kept, say: kept.say }, context);
  const { reactAt } = message;
  return kept.dueAt && reactAt ? Math.min(kept.dueAt, reactAt) : (kept.dueAt ?? reactAt);
}

type Said = KeptMessage & { say: NonNullable<KeptMessage['say']> };

async function keepText(message: HeldMessage, kept: Said, context: EngineContext): Promise<void> {
  const body = await kept.say();
  try {
    await postOrEdit(message, { ...kept, body }, context);
  } catch (error) {
    const { reader } = kept;
    if (!reader || message.row.ts !== null || !isFinal(error)) throw error;
    await sayPrivately(message, { reader, body: await kept.say(reader) }, context);
  }
}

// Notifies the reader where the app can't post. A crash may notify them twice.
async function sayPrivately(
  { held, done }: HeldMessage,
  { reader, body }: { reader: string; body: MessageBody },
  { workspace, clock }: EngineContext,
): Promise<void> {
  assertHeld(held, clock);
  Object.assign(done, await workspace.notify(reader, body), { fingerprint: fingerprintOf(body) });
}

type Text = Pick<KeptMessage, 'place' | 'oldest'> & { body: MessageBody };

/**
 * Makes our message say `body`: edits it, or posts it once. Records an intent before the first
 * post, so that after a crash the message is looked for, not posted again.
 */
async function postOrEdit(message: HeldMessage, text: Text, context: EngineContext): Promise<void> {
  const { row, done } = message;
  const fingerprint = fingerprintOf(text.body);
  // An earlier claim that was not ended may have edited it.
  if (fingerprint === row.fingerprint && row.attempts <= 1) return;
  const ts = row.ts ?? (await findLost(message, text, context));
  if (ts) await edit(message, { ...text, ts }, context);
  else await post(message, text, context);
  done.fingerprint = fingerprint;
}

function fingerprintOf(body: MessageBody): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
}

/** Returns the invisible metadata by which a message is found again. */
function markOf({ kind, about: id }: MessageRow) {
  return { kind, id };
}

async function findLost(
  { row, done }: HeldMessage,
  { place, oldest }: Text,
  { workspace }: EngineContext,
): Promise<string | null> {
  if (row.begun === 0) return null;
  const ts = await workspace.find(place, { mark: markOf(row), oldest });
  if (ts) done.ts = ts;
  return ts;
}

async function edit(
  { row, held }: HeldMessage,
  { place, ts, body }: Text & { ts: string },
  { workspace, clock }: EngineContext,
): Promise<void> {
  assertHeld(held, clock);
  const at = { channel: row.channel ?? place.channel, ts };
  // A message of ours that a member deleted is not wanted, so it is not posted again.
  await unlessRefused(workspace.update(at, body), 'message_not_found');
}

async function post(
  { row, held, done }: HeldMessage,
  { place, body }: Text,
  { ledger, workspace, clock }: EngineContext,
): Promise<void> {
  const { kind, about, begun } = row;
  if (!(await ledger.beginPost({ kind, about }, held.token))) return;
  assertHeld(held, clock);
  try {
    done.ts = await workspace.post(place, { body, mark: markOf(row) });
  } catch (error) {
    // Of this post, there is nothing to look for; an earlier one may still appear.
    if (mayBeRepeated(error)) done.begun = begun;
    throw error;
  }
}

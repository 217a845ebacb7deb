import { createHash } from 'node:crypto';
import type { Clock } from '../base/index.ts';
import { LedgerError, type ReportRow, type ShareRow } from '../ledger/index.ts';
import type { Mark, MessageBody, Place } from '../slack/index.ts';
import { SlackCallError } from '../slack/index.ts';
import type { HeldTelling, TellContext } from './tell-context.ts';

export interface KeptMessage {
  row: ShareRow | ReportRow;
  claim: HeldTelling;
  place: Place;
  mark: Mark;
  /** Where to look for the message when the answer to its post was lost. */
  oldest: string;
}

/**
 * Brings a message of ours to what `body` says: edits it, or posts it, once. Before the first post
 * an intent is recorded, so that after a crash the message is looked for, not posted again. Answers
 * the fingerprint of what it says now.
 */
export async function keepMessage(
  message: KeptMessage,
  body: MessageBody,
  context: TellContext,
): Promise<string> {
  const fingerprint = fingerprintOf(body);
  if (fingerprint === message.row.told) return fingerprint;
  const ts = message.row.replyTs ?? (await findLost(message, context));
  if (ts) await update(message, { ts, body }, context);
  else await post(message, body, context);
  return fingerprint;
}

export function fingerprintOf(body: MessageBody): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
}

async function findLost(message: KeptMessage, context: TellContext): Promise<string | null> {
  if (message.row.replyBegun === 0) return null;
  const { place, mark, oldest } = message;
  const ts = await context.workspace.find(place, { mark, oldest });
  if (ts) await context.ledger.recordReply(message.claim, ts);
  return ts;
}

async function update(
  { place }: KeptMessage,
  { ts, body }: { ts: string; body: MessageBody },
  { workspace }: TellContext,
): Promise<void> {
  try {
    await workspace.update({ channel: place.channel, ts }, body);
  } catch (error) {
    // Somebody deleted our message: it is not wanted, and not posted again.
    if (!(error instanceof SlackCallError) || error.reason !== 'message_not_found') throw error;
  }
}

async function post(message: KeptMessage, body: MessageBody, context: TellContext): Promise<void> {
  const { ledger, checkpoint } = context;
  const { claim } = message;
  if (!(await ledger.beginReply(claim))) return;
  await checkpoint('reply-begun', claim.id);
  assertHeld(claim, context.clock);
  const ts = await send(message, body, context);
  await checkpoint('reply-posted', claim.id);
  await ledger.recordReply(claim, ts);
  await checkpoint('reply-recorded', claim.id);
}

// A process that was stopped for a while: another may have looked for the message, and posted it.
function assertHeld({ id, until }: HeldTelling, clock: Clock): void {
  if (clock.now() < until) return;
  throw new LedgerError('LEASE_LOST', `the claim on message ${id} ran out`);
}

async function send(
  { claim, place, mark }: KeptMessage,
  body: MessageBody,
  { ledger, workspace }: TellContext,
): Promise<string> {
  try {
    return await workspace.post(place, { body, mark });
  } catch (error) {
    // Surely not posted: there is nothing to look for.
    if (error instanceof SlackCallError && error.code === 'SLACK_RATE_LIMITED')
      await ledger.cancelReply(claim);
    throw error;
  }
}

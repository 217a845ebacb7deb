import { createHash } from 'node:crypto';
import type {
  DoneInSlack,
  Ledger,
  NotificationClaim,
  ReportRow,
  ShareRow,
} from '../ledger/index.ts';
import type { NameCache } from '../service/index.ts';
import {
  askedToWaitMs,
  type Mark,
  type MessageBody,
  type Place,
  unlessRefused,
} from '../slack/index.ts';
import {
  type ChannelRef,
  type Destination,
  type FolderRef,
  sameDestination,
} from '../transfers/index.ts';
import { assertHeld, type HeldRow } from './job.ts';
import type { NotifyContext } from './worker-context.ts';

/** A share or report whose message is held by a lease. */
export interface HeldNotification<Row> extends HeldRow<Row> {
  claim: NotificationClaim;
  /** What was done so far: written when the claim ends, even if a later step fails. */
  done: DoneInSlack;
  /** When the row is due again for its reaction, apart from the line; null for never. */
  reactAt: number | null;
}

export interface Said {
  /** Of the message's content now. Default: unchanged. */
  fingerprint?: string;
  /** When the row is due again without a change; null for never. */
  againAt: number | null;
}

interface KeptMessage extends HeldNotification<ShareRow | ReportRow> {
  place: Place;
  mark: Mark;
  /** The timestamp to search from when the response to the message's post was lost. */
  oldest: string;
}

/**
 * Makes our message say `body`: edits it, or posts it once. Records an intent before the first
 * post, so that after a crash the message is looked for, not posted again. Resolves with the
 * fingerprint of `body`.
 */
export async function keepMessage(
  message: KeptMessage,
  body: MessageBody,
  context: NotifyContext,
): Promise<string> {
  const fingerprint = fingerprintOf(body);
  const { row } = message;
  // An earlier claim that was not ended may have edited it.
  if (fingerprint === row.fingerprint && row.attempts <= 1) return fingerprint;
  const ts = row.replyTs ?? (await findLost(message, context));
  if (ts) await update(message, { ts, body }, context);
  else await post(message, body, context);
  return fingerprint;
}

export function fingerprintOf(body: MessageBody): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
}

async function findLost(message: KeptMessage, context: NotifyContext): Promise<string | null> {
  if (message.row.replyBegun === 0) return null;
  const { place, mark, oldest } = message;
  const ts = await context.workspace.find(place, { mark, oldest });
  if (ts) message.done.replyTs = ts;
  return ts;
}

async function update(
  { place, held }: KeptMessage,
  { ts, body }: { ts: string; body: MessageBody },
  { workspace, clock }: NotifyContext,
): Promise<void> {
  assertHeld(held, clock);
  // A message of ours that a member deleted is not wanted, so it is not posted again.
  await unlessRefused(workspace.update({ channel: place.channel, ts }, body), 'message_not_found');
}

async function post(
  message: KeptMessage,
  body: MessageBody,
  { ledger, workspace, clock }: NotifyContext,
): Promise<void> {
  const { claim, held, place, mark, done } = message;
  if (!(await ledger.beginReply(claim))) return;
  assertHeld(held, clock);
  try {
    done.replyTs = await workspace.post(place, { body, mark });
  } catch (error) {
    // A rate-limited post certainly did not happen: there is nothing to look for.
    if (askedToWaitMs(error) !== null) await ledger.cancelReply(claim);
    throw error;
  }
}

/** Names a folder that a channel's files went to: as the channel's link does, else the account. */
export async function nameFolder(
  folder: Destination,
  channel: ChannelRef,
  { ledger, names }: { ledger: Pick<Ledger, 'findLink'>; names: Pick<NameCache, 'nameFolder'> },
): Promise<FolderRef> {
  const link = await ledger.findLink(channel);
  const isLinked = link !== null && sameDestination(link, folder);
  return names.nameFolder(isLinked ? link : folder, { lane: 'bulk' });
}

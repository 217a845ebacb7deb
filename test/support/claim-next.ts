import { expect } from 'vitest';
import type { Claim, DoneInSlack, Lease, Ledger, Transfer } from '../../src/ledger/index.ts';
import type { DueKind } from '../../src/ledger/lease.ts';
import type { ChannelRef } from '../../src/transfers/index.ts';

/** What a claim needs; the lease lasts 30 s by default. */
interface Asked {
  now: number;
  until?: number;
  token: string;
}

/** Ends the looks for files from history, as if none had been filed before. */
export async function endLooks(ledger: Ledger, now: number): Promise<void> {
  const lease = { now, until: now + 30_000, token: 'look' };
  for (const { id, earlier } of await ledger.claimLook(lease)) {
    const claim = { id, token: lease.token };
    if (earlier !== null) await ledger.sendAfterLook(claim, now);
    else await ledger.release('transfers', { claim, dueAt: now });
  }
}

/** Claims the next transfer to upload, or the next attachments to create; null if none is due. */
export async function claimNext(
  ledger: Ledger,
  { now, until = now + 30_000, token }: Asked,
): Promise<Transfer | null> {
  const request = { now, until, token, afterQueue: '', largest: null };
  const claim = async () => (await ledger.claimFiling(request))?.transfers[0] ?? null;
  const first = await claim();
  if (first) return first;
  await endLooks(ledger, now);
  return claim();
}

/** Does the same and returns the claim; throws if none is due. */
export async function holdNext(ledger: Ledger, asked: Asked): Promise<Claim> {
  const { id } = (await claimNext(ledger, asked)) ?? expect.unreachable('nothing is due');
  return { id, token: asked.token };
}

/** Claims the next due row of a kind; throws if none is due. The row is its own claim. */
export async function holdRow<Kind extends DueKind>(ledger: Ledger, kind: Kind, lease: Lease) {
  const row = (await ledger.claimRow(kind, lease)) ?? expect.unreachable('nothing is due');
  return { ...row, token: lease.token };
}

/** Does what the worker does for the next due share: claims it, and ends the claim with `done`. */
export async function notifyNext(ledger: Ledger, done: DoneInSlack, now: number): Promise<void> {
  const lease = { now, until: now + 30_000, token: 'line' };
  const { id, version, token } = await holdRow(ledger, 'shares', lease);
  const end = { version, done, againAt: null, failed: false, now };
  await ledger.finishNotification({ table: 'shares', id, token }, end);
}

/** Pauses the link of the next due transfer, as if its folder were gone; by default at once. */
export async function pauseNext(ledger: Ledger, now: number, pausedAt = now): Promise<void> {
  const claim = await holdNext(ledger, { now, token: 'pause' });
  const reason = 'DESTINATION_GONE' as const;
  const pausing = { reason, problem: { code: reason, note: null }, now: pausedAt, scale: 1 };
  expect(await ledger.pauseLink({ ...pausing, claim })).toBe('paused');
}

/**
 * Takes the next due transfer up to its announced create; `attachmentId` defaults to its own id.
 */
export async function createNext(
  ledger: Ledger,
  { attachmentId, ...asked }: Asked & { attachmentId?: number },
): Promise<Claim> {
  const claim = await holdNext(ledger, asked);
  // Early enough to come before the transfers that are to be uploaded.
  const upload = { byteSize: 10, serviceTime: asked.now, now: asked.now - 10_000 };
  await ledger.markUploaded(claim, { attachmentId: attachmentId ?? claim.id, ...upload });
  await claimNext(ledger, asked);
  return claim;
}

/** Requests a catch-up of a channel and claims it with a long lease. */
export async function heldCatchUp(ledger: Ledger, { team, channel }: ChannelRef): Promise<Claim> {
  const asked = {
    ...{ team, channels: [channel], all: true, isInterrupted: false },
    ...{ begunTs: '1.000000', now: 1 },
  };
  await ledger.beginRun(1);
  await ledger.requestCatchUp(asked);
  await ledger.requestCatchUp(asked);
  const lease = { now: 1, until: 10 ** 9, token: 'reading' };
  return holdRow(ledger, 'catch-up', lease);
}

import { expect } from 'vitest';
import { type ChannelRef, folderNumber, nextInFolder } from '../../src/core/index.ts';
import type {
  Claim,
  DoneInSlack,
  DueKind,
  Lease,
  Ledger,
  Transfer,
} from '../../src/ledger/index.ts';
import { DESTINATION } from './builders.ts';

/** What a claim needs; the lease lasts 30 s by default. */
interface Asked {
  now: number;
  until?: number;
  token: string;
}

type Request = Parameters<Ledger['claimFiling']>[0];

/**
 * Claims the next work as the worker does: the transfer to upload, the attachments to create, with
 * their intent, or the open creates to look for; none if nothing is due. Ends the looks for files from
 * history, as if none had been filed before.
 */
export async function claimFiles(ledger: Ledger, request: Request): Promise<Transfer[]> {
  const claimed = await ledger.claimFiling(request);
  if (!claimed) return [];
  if (claimed.kind === 'upload') return [claimed.transfer];
  const { now, token } = request;
  heldIn(ledger).set(folderNumber(claimed.destination), token);
  const plan = nextInFolder(await ledger.unfiledIn(claimed.destination), { now });
  if (plan.look.length > 0) return plan.look;
  if (plan.seek.length > 0) {
    for (const { id } of plan.seek) await ledger.sendAfterLook({ id, token }, now);
    await endFolder(ledger, now, claimed.destination);
    return claimFiles(ledger, request);
  }
  const ids = plan.create.map(({ id }) => id);
  return ids.length === 0 ? [] : ledger.announceCreates({ token, ids, serviceTime: null, now });
}

/** The tokens that folders were last claimed with here. */
const heldFolders = new WeakMap<Ledger, Map<string, string>>();

function heldIn(ledger: Ledger): Map<string, string> {
  const held = heldFolders.get(ledger) ?? new Map<string, string>();
  heldFolders.set(ledger, held);
  return held;
}

/** Ends the claim of a folder as the worker does, once its creates are settled. */
export async function endFolder(ledger: Ledger, now: number, folder = DESTINATION): Promise<void> {
  const token = heldIn(ledger).get(folderNumber(folder)) ?? expect.unreachable('it is not claimed');
  const { dueAt } = nextInFolder(await ledger.unfiledIn(folder), { now });
  await ledger.endJob({ token }, { dueAt });
}

/** Claims the next transfer to upload, or the next attachments to create; null if none is due. */
export async function claimNext(
  ledger: Ledger,
  { now, until = now + 30_000, token }: Asked,
): Promise<Transfer | null> {
  const request = { now, until, token, afterQueue: '', largest: null };
  return (await claimFiles(ledger, request))[0] ?? null;
}

/** Does the same and returns the claim; throws if none is due. */
export async function holdNext(ledger: Ledger, asked: Asked): Promise<Claim> {
  const { id } = (await claimNext(ledger, asked)) ?? expect.unreachable('nothing is due');
  return { id, token: asked.token };
}

/** Claims the next due row of a kind; throws if none is due. The row is the claim, too. */
export async function holdRow<Kind extends DueKind>(ledger: Ledger, kind: Kind, lease: Lease) {
  const row = (await ledger.claimRow(kind, lease)) ?? expect.unreachable('nothing is due');
  return { ...row, token: lease.token };
}

/** Claims the next due message; throws if none is due. */
export async function holdMessage(ledger: Ledger, lease: Lease) {
  return (await ledger.claimMessage(lease)) ?? expect.unreachable('no message is due');
}

/** Claims messages, each under a token of its own, until one is a report's; undefined if none is. */
export async function claimReport(ledger: Ledger, lease: Lease) {
  for (let nth = 1; ; nth += 1) {
    const token = `${lease.token}${nth}`;
    const message = await ledger.claimMessage({ ...lease, token });
    if (!message) return undefined;
    const report = message.kind === 'report' && (await ledger.findReport(message.about));
    if (report) return { ...report, token };
  }
}

/** Does what the notifier does for the next due message: begins it, and ends its claim with `done`. */
export async function notifyNext(ledger: Ledger, done: DoneInSlack, now: number): Promise<void> {
  const lease = { now, until: now + 30_000, token: 'line' };
  const { kind, about } = await holdMessage(ledger, lease);
  await ledger.beginPost({ kind, about }, lease.token);
  const end = { done: { begun: 0, ...done }, againAt: null, failed: false, now };
  await ledger.endMessage({ kind, about }, { token: lease.token, ...end });
}

/** Has the next due transfer open its folder's hold, as if that were gone; by default at once. */
export async function holdFolder(ledger: Ledger, now: number, since = now): Promise<void> {
  const claim = await holdNext(ledger, { now, token: 'hold' });
  const reason = 'DESTINATION_GONE' as const;
  const refused = { reason, problem: { code: reason, note: null }, now: since, scale: 1 };
  const scope = folderNumber(DESTINATION);
  expect(await ledger.openHold({ ...refused, scope, claim })).toEqual({ isNew: true });
}

/**
 * Takes the next due transfer up to its announced create; `attachmentId` defaults to its own id. If its
 * folder was claimed before and is not ended, the create belongs to that claim.
 */
export async function createNext(
  ledger: Ledger,
  { attachmentId, ...asked }: Asked & { attachmentId?: number },
): Promise<Claim> {
  const { id, destination } =
    (await claimNext(ledger, asked)) ?? expect.unreachable('nothing is due');
  const { projectId, folderId } = destination ?? expect.unreachable('it has no folder');
  // Early enough to come before the transfers that are to be uploaded.
  const upload = { projectId, byteSize: 10, serviceTime: asked.now, now: asked.now - 10_000 };
  const { now, token } = asked;
  await ledger.markUploaded({ id, token }, { attachmentId: attachmentId ?? id, ...upload });
  if ((await claimNext(ledger, asked))?.id === id) return { id, token };
  const earlier = heldIn(ledger).get(folderNumber({ projectId, folderId })) ?? '';
  await ledger.announceCreates({ token: earlier, ids: [id], serviceTime: null, now });
  return { id, token: earlier };
}

/** Requests a catch-up of a channel and claims it with a long lease. */
export async function heldCatchUp(ledger: Ledger, { team, channel }: ChannelRef) {
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

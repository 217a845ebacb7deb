import type { Claim, Ledger, Transfer } from '../../src/ledger/index.ts';

/** What a claim needs; the lease lasts 30 s where it is not said. */
interface Asked {
  now: number;
  until?: number;
  token: string;
}

/** Claims the transfer that is to be uploaded next, or attachments to create; null when none is due. */
export async function claimNext(
  ledger: Ledger,
  { now, until = now + 30_000, token }: Asked,
): Promise<Transfer | null> {
  const request = { now, until, token, afterQueue: '', largest: null };
  return (await ledger.claimFiling(request))?.transfers[0] ?? null;
}

/** Takes the transfer that is due next up to its announced create; `attachmentId` by default its own id. */
export async function createNext(
  ledger: Ledger,
  { attachmentId, ...asked }: Asked & { attachmentId?: number },
): Promise<Claim> {
  const transfer = await claimNext(ledger, asked);
  const claim = { id: transfer?.id ?? 0, token: asked.token };
  // So long ago that it goes before what is to be uploaded.
  const upload = { byteSize: 10, serviceTime: asked.now, now: asked.now - 10_000 };
  await ledger.markUploaded(claim, { attachmentId: attachmentId ?? claim.id, ...upload });
  await claimNext(ledger, asked);
  return claim;
}

import type { CopiesClaim, FiledCopies, ServiceTroubleInput, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { type FiledTransfer, isFiled, type ShareRow } from '../ledger/index.ts';
import {
  eachFileOnce,
  isSharersCopy,
  oneFolder,
  sameDestination,
  verdictOn,
} from '../transfers/index.ts';
import { type Asked, type Handler, troubleOf } from './answer.ts';
import { remove } from './delete-file.ts';
import type { ListenerContext } from './listener-context.ts';
import { patientCall } from './personal-quota.ts';
import { nameFolder } from './show-files.ts';

/** The filed copies that one question to a sharer named, after a deletion in Slack. */
interface AskedAbout {
  /** Names a share of the message. */
  claim: CopiesClaim;
  filed: FiledTransfer[];
  owner: string | null;
}

// A button's value can be forged. It is valid only for a share of this channel or, in another, for
// the person's own share, and covers only the copies that the sharer was asked about.
function choice(choose: Handler<AskedAbout, View>): Handler<CopiesClaim, View> {
  return async (asked, claim, context) => {
    const share = await context.ledger.findShareById(claim.shareId);
    const { channel = asked.channel } = claim;
    const isElsewhere = channel !== asked.channel;
    if (share?.team !== asked.team || share.channel !== channel) return views.buttonOutOfDate();
    if (isElsewhere && share.userId !== asked.userId) return views.buttonOutOfDate();
    const filed = await askedWith(share, context);
    return choose({ ...asked, channel }, { claim, filed, owner: share.userId }, context);
  };
}

// Returns the filed copies that the question named: the sharer's copies, in all shares of the
// message, that were asked about at the same time as this share's.
async function askedWith(share: ShareRow, { ledger }: ListenerContext): Promise<FiledTransfer[]> {
  const shares = (await ledger.sharesOf(share)).filter((one) => isSharersCopy(one, share.userId));
  const all = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
  const of = all.flat().filter(({ userId }) => userId === share.userId);
  const own = of.filter(({ shareId }) => shareId === share.id);
  const moments = new Set(own.map(({ askedAt }) => askedAt));
  const asked = of.filter(({ askedAt }) => askedAt !== null && moments.has(askedAt));
  return asked.filter(isFiled);
}

/**
 * Deletes the filed copies of what was deleted in Slack. Checks rights at the press. If an error
 * stops it midway, the answer names the deleted copies and asks about the rest. Rejects if the
 * error comes before the first delete.
 */
export const deleteCopies = choice(async (asked, { claim, filed, owner }, context) => {
  const verdict = verdictOn(asked, 'delete-file', owner);
  if (verdict !== 'allowed')
    return views.deleteRefused({ reason: verdict, name: filed[0]?.name ?? null });
  const { deleted, left, trouble } = await removeAll(filed, asked, context);
  const copies = await copiesOf(deleted, asked, context);
  return trouble
    ? views.copiesStopped({ ...copies, ...claim, left: eachFileOnce(left), trouble })
    : views.copiesDeleted(copies);
});

interface Removed {
  deleted: FiledTransfer[];
  /** The copy at which it stopped, and those after it. */
  left: FiledTransfer[];
  trouble: ServiceTroubleInput | null;
}

async function removeAll(
  filed: readonly FiledTransfer[],
  asked: Asked,
  context: ListenerContext,
): Promise<Removed> {
  const deleted: FiledTransfer[] = [];
  for (const [nth, one] of filed.entries()) {
    const { destination, recordId: fileId } = one;
    const left = filed.slice(nth);
    try {
      const outcome = await patientCall(asked, (call) =>
        remove({ ...asked, call }, { ...destination, fileId }, context),
      );
      if (outcome === 'forbidden') return { deleted, left, trouble: forbidden(context) };
      if (outcome === 'deleted') deleted.push(one);
    } catch (error) {
      if (deleted.length === 0) throw error;
      return { deleted, left, trouble: troubleOf(error, 'delete', context) };
    }
  }
  return { deleted, left: [], trouble: null };
}

function forbidden({ operator }: ListenerContext): ServiceTroubleInput {
  const unsaid = { note: null, retryAfterMs: null, reference: null };
  return { ...unsaid, code: 'SERVICE_FORBIDDEN', doing: 'delete', operator };
}

/** Keeps the filed copies. */
export const keepCopies = choice(async (asked, { filed }, context) =>
  views.copiesKept(await copiesOf(filed, asked, context)),
);

async function copiesOf(
  files: readonly FiledTransfer[],
  asked: Asked,
  context: ListenerContext,
): Promise<FiledCopies> {
  const folder = oneFolder(files.map(({ destination }) => destination));
  const named = eachFileOnce(files);
  if (!folder) return { files: named, folder };
  const link = await context.ledger.findLink(asked);
  const isLinked = link !== null && sameDestination(link, folder);
  return { files: named, folder: await nameFolder(isLinked ? link : folder, context) };
}

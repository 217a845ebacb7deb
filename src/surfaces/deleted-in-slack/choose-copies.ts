import {
  eachFileOnce,
  isStillFiledAs,
  linkIfTo,
  oneFolder,
  ownerOf,
  verdictOn,
} from '../../core/index.ts';
import { type FiledTransfer, isFiled, type ShareRow, sentAs } from '../../ledger/index.ts';
import { unlessCode } from '../../service/index.ts';
import { deleteRefused } from '../delete/delete-answers.ts';
import { markGone, remove, unknownRecord } from '../delete/delete-file.ts';
import type { CopiesClaim } from '../deleted-in-slack/actions.ts';
import { type Handler, troubleOf } from '../kit/answer.ts';
import type { View } from '../kit/layout.ts';
import { buttonOutOfDate } from '../kit/refusals.ts';
import type { ServiceTroubleInput } from '../kit/service-trouble.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { copiesDeleted, copiesKept, copiesStopped, type FiledCopies } from './copies-view.ts';

/** The filed copies that one question to a sharer named, after a deletion in Slack. */
interface AskedAbout {
  /** Names a share of the message. */
  claim: CopiesClaim;
  filed: FiledTransfer[];
  owner: string | null;
}

// Handles a button of the question to a sharer. Its value can be forged: it is valid only for a share
// of this channel or, in another, for the person's own share, and covers only the copies that the
// sharer was asked about.
function onChoice(choose: Handler<AskedAbout, View>): Handler<CopiesClaim, View> {
  return async (asked, claim, context) => {
    const share = await context.ledger.findShareById(claim.shareId);
    const { channel = asked.channel } = claim;
    const isElsewhere = channel !== asked.channel;
    if (share?.team !== asked.team || share.channel !== channel) return buttonOutOfDate();
    if (isElsewhere && share.userId !== asked.userId) return buttonOutOfDate();
    const filed = await copiesAskedAbout(share, claim.askedAt, context);
    return choose({ ...asked, channel }, { claim, filed, owner: share.userId }, context);
  };
}

// Returns the filed copies that the question named: the sharer's copies, in all shares of the
// message, that were asked about at that time.
async function copiesAskedAbout(
  share: ShareRow,
  at: number,
  { ledger }: SurfaceContext,
): Promise<FiledTransfer[]> {
  const shares = (await ledger.sharesOf(share)).filter((one) => ownerOf(one) === share.userId);
  const all = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
  const copies = all.flat().filter(isFiled);
  return copies.filter(({ userId, askedAt }) => userId === share.userId && askedAt === at);
}

/**
 * Deletes the filed copies of what was deleted in Slack. Checks rights at the press. If an error
 * stops it midway, the answer names the deleted copies and asks about the rest. Rejects if the
 * error comes before the first delete.
 */
export const deleteCopies = onChoice(async (asked, { claim, filed, owner }, context) => {
  const verdict = verdictOn(asked, 'delete-file', owner);
  if (verdict !== 'allowed')
    return deleteRefused({ reason: verdict, name: filed[0]?.name ?? null });
  const { deleted, changed, left, trouble } = await removeAll(asked, filed, context);
  const done = await copiesOf(asked, deleted, context);
  const copies = { ...done, changed: eachFileOnce(changed) };
  return trouble
    ? copiesStopped({ ...copies, claim, left: eachFileOnce(left), trouble })
    : copiesDeleted(copies);
});

const IN_ITS_TURN = { lane: 'bulk', queue: 'deletions' } as const;

interface Removed {
  deleted: FiledTransfer[];
  /** Those whose record is not what was filed any more. */
  changed: FiledTransfer[];
  /** The copy at which it stopped, and those after it. */
  left: FiledTransfer[];
  trouble: ServiceTroubleInput | null;
}

const removeAll: Handler<readonly FiledTransfer[], Removed> = async (asked, filed, context) => {
  const deleted: FiledTransfer[] = [];
  const changed: FiledTransfer[] = [];
  // A folder whose list comes in one answer is read once for all.
  const notBefore = context.clock.now();
  for (const [nth, one] of filed.entries()) {
    const left = filed.slice(nth);
    try {
      // What is begun goes on in its turn, even if no slot comes free in time for a person.
      const call = deleted.length > 0 ? IN_ITS_TURN : asked.call;
      const outcome = await removeCopy({ ...asked, call }, { filed: one, notBefore }, context);
      if (outcome === 'forbidden') return { deleted, changed, left, trouble: forbidden(context) };
      if (outcome === 'deleted') deleted.push(one);
      if (outcome === 'changed') changed.push(one);
    } catch (error) {
      if (deleted.length === 0) throw error;
      return { deleted, changed, left, trouble: troubleOf(error, 'delete', context) };
    }
  }
  return { deleted, changed, left: [], trouble: null };
};

interface CopyToRemove {
  filed: FiledTransfer;
  /** Our clock at the press: the folder was read since. */
  notBefore: number;
}

const removeCopy: Handler<CopyToRemove, Awaited<ReturnType<typeof remove>> | 'changed'> = async (
  asked,
  { filed, notBefore },
  context,
) => {
  const { id, destination: folder, recordId } = filed;
  const since = { ...asked.call, notBefore, maxAgeMs: Number.POSITIVE_INFINITY };
  const finding = context.folders.find(folder, recordId, since);
  const found = await unlessCode(finding, ['SERVICE_FORBIDDEN']);
  if (!found) return 'forbidden';
  const { record, certain } = found;
  if (record && !isStillFiledAs(sentAs(filed), record)) return 'changed';
  if (record) return remove(asked, { folder, record }, context);
  if (!certain) throw unknownRecord(folder, recordId);
  await markGone(asked, id, context);
  return 'gone';
};

function forbidden({ operator, linkBy }: SurfaceContext): ServiceTroubleInput {
  const unsaid = { note: null, retryAfterMs: null, reference: null };
  return { ...unsaid, code: 'SERVICE_FORBIDDEN', doing: 'delete', operator, linkBy };
}

export const keepCopies = onChoice(async (asked, { filed }, context) =>
  copiesKept(await copiesOf(asked, filed, context)),
);

const copiesOf: Handler<FiledTransfer[], FiledCopies> = async (asked, files, context) => {
  const folder = oneFolder(files.map(({ destination }) => destination));
  const named = eachFileOnce(files);
  if (!folder) return { files: named, folder };
  const link = await context.ledger.findLink(asked);
  return { files: named, folder: await context.names.nameFolder(linkIfTo(folder, link) ?? folder) };
};

import type { ErrorCode } from '../../base/index.ts';
import { emailIdOf, mayPutBack, type SharedFile, sameDestination } from '../../core/index.ts';
import type { Transfer } from '../../ledger/index.ts';
import { assessFile, SlackFileError } from '../../slack/index.ts';
import type { Handler } from '../kit/answer.ts';
import type { View } from '../kit/layout.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import type { PutBackClaim } from './actions.ts';
import { type NotPutBack, notPutBack, puttingBack } from './delete-answers.ts';
import { verdictOnCopy } from './delete-file.ts';

/**
 * Handles Put back: files deleted copies again, from Slack, for a day. Who may delete a copy may put it
 * back; it stays that person's who shared or saved it. A second press changes nothing.
 */
export const putBack: Handler<PutBackClaim> = async (asked, claim, context) => {
  const { team, channel, userId } = asked;
  const { ledger, clock, logger, wake } = context;
  const share = await ledger.findShareById(claim.shareId);
  if (!share || share.team !== team) return null;
  const line = await ledger.findMessage({ kind: 'share', about: share.id });
  const isHere = channel === share.channel || channel === line.channel;
  const place = await context.findDestination(asked);
  // Channels that are linked to one folder see the same files.
  const isInPlace = ({ destination: folder }: Transfer) =>
    place !== null && !place.isDefault && folder !== null && sameDestination(place, folder);
  const asks = ({ id }: Transfer) => claim.transferId === null || claim.transferId === id;
  // As its line shows them.
  const all = (await ledger.transfersOfShare(share.id, { savedToo: true })).filter(asks);
  const seen = isHere ? all : all.filter(isInPlace);
  // What was found gone, somebody removed in the service on purpose: no button offers it.
  const deleted = seen.filter(({ state, deletedBy }) => state === 'deleted' && deletedBy !== null);
  const shares = new Map((await ledger.sharesOf(share)).map((one) => [one.id, one]));
  const verdictOf = ({ shareId }: Transfer) => verdictOnCopy(asked, shares.get(shareId));
  const allowed = deleted.filter((one) => verdictOf(one) === 'allowed');
  const files = allowed.length > 0 ? allowed : deleted;
  const names = files.map(({ name }) => name);
  const refused = (reason: NotPutBack): View => notPutBack({ reason, names });
  const [first] = files;
  if (!first) return refused(seen.length === 0 ? 'elsewhere' : 'back');
  const verdict = verdictOf(first);
  if (verdict !== 'allowed') return refused(verdict);
  const now = clock.now();
  const recent = files.filter(({ deletedAt }) => mayPutBack(deletedAt, now));
  if (recent.length === 0) return refused('too-late');
  const there = await inSlack(recent, context);
  if (there.length === 0) return refused('not-in-slack');
  const ids = there.map(({ id }) => id);
  if ((await ledger.putBack(ids, now)) === 0) return refused('back');
  logger.info(
    { team, channel, share: share.id, transfers: ids, user: userId },
    'Files were put back',
  );
  wake();
  return puttingBack(there.map(({ name }) => name));
};

/** Returns the files that Slack still has, or may have: one that it does not tell of is asked for again. */
async function inSlack(
  files: readonly Transfer[],
  { workspace }: SurfaceContext,
): Promise<Transfer[]> {
  const known = await Promise.all(
    files.map(({ file }) =>
      workspace.fileInfo({ ...file, id: emailIdOf(file.id) }).catch((error: unknown) => {
        if (error instanceof SlackFileError) return error;
        throw error;
      }),
    ),
  );
  return files.filter((_, nth) => isThere(known[nth]));
}

/** Slack's own failures, which say nothing of a file. */
const UNANSWERED = new Set<ErrorCode>(['SLACK_FILE_UNAVAILABLE', 'SLACK_FILE_UNAUTHORIZED']);

function isThere(known: SharedFile | SlackFileError | undefined): boolean {
  if (!known) return false;
  if (known instanceof SlackFileError) return UNANSWERED.has(known.code);
  return known.mode === 'email' || !(assessFile(known) instanceof Error);
}

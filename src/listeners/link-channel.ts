import {
  alreadyLinked,
  backfillOffer,
  confirmParked,
  linked,
  linkRefused,
  linkUsage,
  notAnnounced,
  notInChannel,
  type View,
} from '../blocks/index.ts';
import { ServiceError } from '../service/index.ts';
import { SlackCallError, type SlackCallErrorCode } from '../slack/index.ts';
import { type Destination, sameDestination, verdictOn } from '../transfers/index.ts';
import type { Asked } from './asked.ts';
import { historyFrom } from './history-from.ts';
import { listAge } from './list-age.ts';
import type { ListenerContext } from './listener-context.ts';
import { mayBeProject, resolveFolder } from './resolve-folder.ts';
import { INTERACTIVE } from './show-files.ts';

/** Links a channel to the folder that somebody typed, when they may and the folder is there. */
export async function linkChannel(
  asked: Asked & { target: string },
  context: ListenerContext,
): Promise<View | null> {
  const { target } = asked;
  if (!target) return linkUsage();
  const verdict = verdictOn(asked, 'link-channel');
  if (verdict !== 'allowed') return linkRefused({ reason: verdict, typed: target });
  const resolved = await resolve(target, context);
  if ('refusal' in resolved) return linkRefused({ reason: resolved.refusal, typed: target });
  const { destination, name, isKnown } = resolved;
  return linkTo(asked, { ...destination, name, isKnown }, context);
}

/** Links a channel to a folder that somebody chose by a button. */
export async function linkToFolder(
  asked: Asked,
  destination: Destination,
  context: ListenerContext,
): Promise<View | null> {
  const typed = `${destination.projectId}/${destination.folderId}`;
  return linkChannel({ ...asked, target: typed }, context);
}

// What the copy does not know yet may be there: it is asked for anew before anybody is refused.
async function resolve(target: string, context: ListenerContext) {
  const { wanted: maxAgeMs } = listAge(context);
  const known = await resolveFolder(target, {
    listProjects: async (call) => (await context.directory.projects({ ...call, maxAgeMs })).list,
    listFolders: async (projectId, call) =>
      (await context.directory.folders(projectId, { ...call, maxAgeMs })).list,
  });
  return 'refusal' in known ? resolveFolder(target, context.service) : known;
}

async function linkTo(
  asked: Asked,
  folder: Destination & { name: string | null; isKnown: boolean },
  context: ListenerContext,
): Promise<View | null> {
  const before = await context.ledger.findLink(asked);
  if (before && sameDestination(before, folder))
    return (await offerEarlier(asked, folder, context)) ?? alreadyLinked({ folder });
  const refusal = await tryFolder(folder, context);
  if (refusal)
    return linkRefused({ reason: refusal, typed: `${folder.projectId}/${folder.folderId}` });
  const { projectId, folderId, name } = folder;
  const linkedAt = context.clock.now();
  const link = { projectId, folderId, folderName: name, linkedBy: asked.userId, linkedAt };
  // First, so that no link is ever without the mark from which on its history counts.
  await markHistory(asked, linkedAt, context);
  await context.ledger.setLink(asked, link);
  const wasFolder = before && { ...before, name: before.folderName };
  const view = linked({ folder, byUserId: asked.userId, wasFolder });
  const told = await tell(asked.channel, view, context);
  if (told === 'not-in-channel') return notInChannel({ folder });
  const offer = await offerEarlier(asked, folder, context);
  return told === 'told' ? offer : notAnnounced({ view, code: told, question: offer });
}

// What a channel that had a folder already has missed is still to be read.
async function markHistory(
  asked: Asked,
  linkedAt: number,
  { ledger, findDestination }: ListenerContext,
): Promise<void> {
  const from = historyFrom(linkedAt);
  if (!(await findDestination(asked))) return ledger.confirmUpTo(asked, from);
  return ledger.confirmFirst(asked, (await ledger.awaySince()) ?? from);
}

// The folder is looked into: what cannot be read cannot be filed into. That it can be does not prove
// that it is there: some accounts list a folder that is not there as an empty one.
async function tryFolder(folder: Destination & { isKnown: boolean }, { service }: ListenerContext) {
  try {
    await service.glimpseFiles(folder, INTERACTIVE);
    const mayBe = folder.isKnown || (await mayBeProject(folder.projectId, service));
    return mayBe ? null : ('no-such-folder' as const);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'SERVICE_FORBIDDEN') return 'forbidden' as const;
    if (error.code === 'SERVICE_NOT_FOUND') return 'no-such-folder' as const;
    throw error;
  }
}

/**
 * Says something that is done to the whole channel, and answers how that went: Slack's refusal does
 * not undo what was done, so it is no error here.
 */
export async function tell(
  channel: string,
  view: View,
  { workspace, logger }: ListenerContext,
): Promise<'told' | 'not-in-channel' | SlackCallErrorCode> {
  try {
    await workspace.announce(channel, view);
    return 'told';
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    if (/not_in_channel|channel_not_found/.test(error.reason)) return 'not-in-channel';
    logger.warn({ channel, error }, 'A channel could not be told of its link');
    return error.code;
  }
}

async function offerEarlier(
  asked: Asked,
  destination: Destination,
  context: ListenerContext,
): Promise<View | null> {
  const offer = await offerParked(asked, destination, context);
  if (!offer) context.inBackground(offerBackfill(asked, destination, context));
  return offer;
}

async function offerParked(asked: Asked, destination: Destination, { ledger }: ListenerContext) {
  const count = await ledger.countParked(asked);
  return count > 0 ? confirmParked({ count, destination }) : null;
}

/** Counts what the channel held before, and offers to file it, in private. */
export async function offerBackfill(
  { team, channel, userId }: Asked,
  destination: Destination,
  { backfill, workspace }: ListenerContext,
): Promise<void> {
  const { count, more } = await backfill.count({ team, channel });
  if (count === 0) return;
  await workspace.whisper({ channel, user: userId }, backfillOffer({ count, more, destination }));
}

import type { App } from '@slack/bolt';
import {
  ACTIONS,
  deleteForbidden,
  deleteGone,
  deleteRefused,
  type FileClaim,
  fileDeleted,
  readDeleteValue,
  type View,
} from '../blocks/index.ts';
import type { Transfer } from '../ledger/index.ts';
import { ServiceError } from '../service/index.ts';
import { mayDelete, sameDestination } from '../transfers/index.ts';
import type { Asked } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { onPress } from './on-press.ts';
import { INTERACTIVE, showFiles } from './show-files.ts';

const NAME_COPY_MS = 60_000;

/** Delete: rights and existence are checked at the press; a second press changes nothing. */
export function listenForDelete(app: App, context: ListenerContext): void {
  onPress(app, context, {
    action: ACTIONS.deleteFile,
    doing: 'delete',
    replace: true,
    read: readDeleteValue,
    handle: deleteFile,
  });
}

async function deleteFile(asked: Asked, claim: FileClaim, context: ListenerContext): Promise<View> {
  const transfer = await context.ledger.transferOfRecord(claim, claim.fileId);
  const name = transfer?.name ?? (await nameOf(claim, context));
  const notice = await attempt(asked, { claim, transfer, name }, context);
  const { team, channel } = asked;
  return showFiles({ team, channel, page: 1, filter: null, notice }, context);
}

interface Target {
  claim: FileClaim;
  transfer: Transfer | null;
  name: string;
}

async function attempt(asked: Asked, target: Target, context: ListenerContext): Promise<View> {
  const { claim, transfer, name } = target;
  if (!(await isOfChannel(asked, target, context)))
    return deleteRefused({ reason: 'elsewhere', name });
  const actor = await context.workspace.actor(asked.userId, asked.userTeam);
  const verdict = mayDelete(actor, transfer?.userId ?? null);
  if (verdict !== 'allowed') return deleteRefused({ reason: verdict, name });
  const outcome = await remove(claim, context);
  if (outcome === 'forbidden') return deleteForbidden({ name });
  const by = { deletedBy: asked.userId, now: context.clock.now() };
  if (transfer) await context.ledger.markDeleted(transfer.id, by);
  context.wake();
  return outcome === 'deleted' ? fileDeleted({ name }) : deleteGone({ name });
}

// The value of a button can be forged: only a file of this channel's folder is deleted from here.
async function isOfChannel({ team, channel }: Asked, { claim }: Target, context: ListenerContext) {
  const destination = await context.findDestination({ team, channel });
  return destination !== null && sameDestination(destination, claim);
}

async function remove(claim: FileClaim, { service }: ListenerContext) {
  try {
    return await service.deleteFile(claim, claim.fileId, INTERACTIVE);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'SERVICE_FORBIDDEN') return 'forbidden';
    throw error;
  }
}

async function nameOf(claim: FileClaim, { service }: ListenerContext): Promise<string> {
  const options = { ...INTERACTIVE, maxAgeMs: NAME_COPY_MS };
  const { files } = await service.listFiles(claim, options);
  return files.find((file) => file.id === claim.fileId)?.name ?? '';
}

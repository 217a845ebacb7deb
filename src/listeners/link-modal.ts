import type { App } from '@slack/bolt';
import { createSingleFlight } from '../base/index.ts';
import type { FolderRequest, Line, LinkForm, LinkRefusal, Modal, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { type Folder, ServiceError, type ServiceErrorCode } from '../service/index.ts';
import { failureOf } from '../slack/index.ts';
import { verdictOn } from '../transfers/index.ts';
import { type Asked, type PrivateView, readerOf } from './answer.ts';
import { listenForFolderUse, listProjects, openForm } from './folder-form.ts';
import { tryLink } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * Opens the form that links a channel, if the person may link it. The form opens empty; the channel
 * name and project follow. Returns null once it is open, else a refusal or how to link by command.
 */
export async function openLinkModal(asked: Asked, context: ListenerContext): Promise<View | null> {
  const reason = verdictOn(asked, 'link-channel');
  if (reason !== 'allowed') return views.linkRefused({ ...readerOf(asked), reason, typed: '' });
  const { channel, isElsewhere = false } = asked;
  const announces = await context.ledger.isWatched(asked);
  const place = { channel, channelName: null, isElsewhere };
  const form = { ...views.NOTHING_CHOSEN, ...place, announces };
  const toOpen = {
    first: views.LINK_FORM.show(form),
    prepare: () => prepare(asked, form, context),
  };
  const notOpened = views.linkUsage({ elsewhere: isElsewhere ? channel : null });
  return openForm(asked, { ...toOpen, notOpened }, context);
}

async function prepare(asked: Asked, form: LinkForm, context: ListenerContext): Promise<Modal> {
  const [channelName, { projects, isListed }, own] = await Promise.all([
    nameFor(asked, context),
    listProjects(asked, context),
    context.findDestination(asked),
  ]);
  const only = projects.length === 1 ? projects[0] : null;
  const chosen = only ?? projects.find(({ id }) => id === own?.projectId);
  const project = chosen ? views.projectChoice(chosen) : null;
  return views.LINK_FORM.show({ ...form, channelName, project, isListed });
}

// Only people in the channel may see its name. If Slack doesn't say who is in it, nobody may.
async function nameFor(
  { userId, channel }: { userId: string; channel: string },
  { workspace }: ListenerContext,
): Promise<string | null> {
  const [own, name] = await Promise.all([
    workspace.channelsOf(userId).catch((): string[] => []),
    workspace.channelName(channel),
  ]);
  return own.includes(channel) ? name : null;
}

/** Handles the form that links a channel: its submission is checked like `/files link`. */
export function listenForLinkModal(app: App, context: ListenerContext): void {
  // A form that is submitted twice creates one folder.
  const once = createSingleFlight<Folder | null>({ clock: context.clock, keepMs: 0 });
  const use = {
    ...{ kind: views.LINK_FORM, doing: 'link' as const },
    complete: async (form: LinkForm, userId: string) => {
      const { channel } = form;
      const channelName = form.channelName ?? (await nameFor({ userId, channel }, context));
      return { ...form, channelName };
    },
    use: async (asked: Asked, { announces }: LinkForm, wish: FolderRequest) => {
      const ensureFolder = (wanted: WantedFolder) =>
        once(`${wanted.newIn}/${wanted.name}`, () => findOrCreate(asked, wanted, context));
      const done = await link(asked, { wish, announces, ensureFolder }, context);
      return 'why' in done ? done : tell(asked, done.answer, context);
    },
  };
  listenForFolderUse(app, use, context);
}

interface LinkWish {
  wish: FolderRequest;
  announces: boolean;
  ensureFolder(wanted: WantedFolder): Promise<Folder | null>;
}

// Checks rights before it creates a folder, because a created folder is never removed.
async function link(
  asked: Asked,
  { wish, announces, ensureFolder }: LinkWish,
  context: ListenerContext,
): Promise<{ why: Line } | { answer: PrivateView | null }> {
  const reason = verdictOn(asked, 'link-channel');
  const refused = (why: { reason: LinkRefusal; typed: string }) => ({
    why: views.linkRefusal({ ...readerOf(asked), ...why }),
  });
  if (reason !== 'allowed') return refused({ reason, typed: '' });
  const made = 'name' in wish ? await ensureFolder(wish) : null;
  if ('name' in wish && !made) return { why: views.folderNotMade(wish.name) };
  const typed = 'name' in wish ? `${wish.newIn}/${made?.id}` : wish.typed;
  const done = await tryLink(asked, { typed, announces }, context);
  return 'reason' in done ? refused(done) : done;
}

// Posts the answer in the channel. If it isn't read there, because the person opened the form
// elsewhere, or they or the bot are not in it, the modal shows it and names the channel. An answer
// with buttons, which work only in messages, is sent directly.
async function tell(
  asked: Asked,
  answer: PrivateView | null,
  { workspace, inBackground }: ListenerContext,
): Promise<{ said: PrivateView | null }> {
  if (!answer) return { said: null };
  const { channel, userId: user, isElsewhere } = asked;
  const isReadThere =
    !isElsewhere && !(await failureOf(workspace.postEphemeral({ channel, user }, answer())));
  if (isReadThere) return { said: null };
  const said = answer(channel);
  if (!said.blocks.some(({ type }) => type === 'actions')) return { said: () => said };
  inBackground(workspace.notify(user, said));
  return { said: null };
}

/** A top-level folder of a project, by its name. */
type WantedFolder = Extract<FolderRequest, { name: string }>;

const REFUSALS: readonly ServiceErrorCode[] = [
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
  'SERVICE_BAD_REQUEST',
];

/**
 * Resolves with a project's top-level folder of that name, created if there is none; null if the
 * account refuses to create it. After a create without an answer it looks for the folder and never
 * repeats the request. Rejects with ServiceError.
 */
async function findOrCreate(
  asked: Asked,
  wanted: WantedFolder,
  context: ListenerContext,
): Promise<Folder | null> {
  const { newIn: projectId, name } = wanted;
  const there = await find(asked, wanted, context);
  if (there) return there;
  try {
    const made = await context.service.createFolder({ projectId, name }, asked.call);
    // This fresh list replaces the cached one, so searches find the new folder.
    return (await find(asked, wanted, context)) ?? made;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.sent === 'no') throw error;
    if (REFUSALS.includes(error.code)) return null;
    const made = await find(asked, wanted, context);
    if (made) return made;
    throw error;
  }
}

async function find(
  { call }: Asked,
  { newIn, name }: WantedFolder,
  { names }: ListenerContext,
): Promise<Folder | null> {
  const { list } = await names.folders(newIn, { ...call, maxAgeMs: 0 });
  return list && views.topFolder(list.records, name);
}

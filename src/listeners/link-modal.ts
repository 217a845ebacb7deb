import type { App } from '@slack/bolt';
import { createSingleFlight } from '../base/index.ts';
import type { FolderRequest, LinkForm, Modal, View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import { type Folder, ServiceError, type ServiceErrorCode } from '../service/index.ts';
import { failureOf } from '../slack/index.ts';
import { verdictOn } from '../transfers/index.ts';
import { type Asked, type Handler, type PrivateView, readerOf } from './answer.ts';
import { listenForFolderUse, listProjects, openForm, type Said } from './folder-form.ts';
import { tryLink } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import type { Unusable } from './resolve-folder.ts';

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
    notOpened: views.linkUsage(readerOf(asked)),
  };
  return openForm(asked, toOpen, context);
}

async function prepare(asked: Asked, form: LinkForm, context: ListenerContext): Promise<Modal> {
  const [channelName, { projects, isListed }, own] = await Promise.all([
    nameFor(asked, context),
    listProjects(asked, context),
    context.findDestination(asked),
  ]);
  const only = projects.length === 1 ? projects[0] : null;
  const project = only ?? projects.find(({ id }) => id === own?.projectId) ?? null;
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
    perform: async (asked: Asked, { announces }: LinkForm, request: FolderRequest) => {
      const refused = (why: Unusable) => ({
        why: views.linkRefusal({ ...readerOf(asked), ...why }),
      });
      const link = async (typed: string) => {
        const done = await tryLink(asked, { typed, announces }, context);
        return 'reason' in done ? refused(done) : sayOutcome(asked, done.answer, context);
      };
      // Checked before a folder is created, because a created folder is never removed.
      const reason = verdictOn(asked, 'link-channel');
      if (reason !== 'allowed') return refused({ reason, typed: '' });
      if ('typed' in request) return link(request.typed);
      const { newIn, name } = request;
      const folder = await once(`${newIn}/${name}`, () => findOrCreate(asked, request, context));
      return folder ? link(`${newIn}/${folder.id}`) : { why: views.folderNotMade(name) };
    },
  };
  listenForFolderUse(app, use, context);
}

// Posts the answer in the channel. If it isn't read there, because the person opened the form
// elsewhere, or they or the bot are not in it, the modal shows it and names the channel. An answer
// with buttons, which work only in messages, is sent directly.
const sayOutcome: Handler<PrivateView | null, Said> = async (asked, answer, context) => {
  if (!answer) return { said: null };
  const { workspace, inBackground } = context;
  const { channel, userId: user, isElsewhere } = asked;
  const posted = () => failureOf(workspace.postEphemeral({ channel, user }, answer()));
  if (!isElsewhere && !(await posted())) return { said: null };
  const said = answer(channel);
  const hasButtons = said.blocks.some(({ type }) => type === 'actions');
  if (hasButtons) inBackground(workspace.notify(user, said));
  return { said: hasButtons ? null : () => said };
};

/** A top-level folder of a project, by its name. */
type WantedFolder = Extract<FolderRequest, { name: string }>;

const REFUSALS: readonly ServiceErrorCode[] = [
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
  'SERVICE_BAD_REQUEST',
  'SERVICE_BLOCKED',
];

/**
 * Resolves with a project's top-level folder of that name, created if there is none; null if the
 * account refuses to create it. After a create without an answer it looks for the folder and never
 * repeats the request. Rejects with ServiceError.
 */
const findOrCreate: Handler<WantedFolder, Folder | null> = async (asked, wanted, context) => {
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
};

const find: Handler<WantedFolder, Folder | null> = async ({ call }, { newIn, name }, { names }) => {
  const { list } = await names.folders(newIn, { ...call, maxAgeMs: 0 });
  return list && views.topFolder(list.records, name);
};

import type { App } from '@slack/bolt';
import {
  type FolderWish,
  type FormProblem,
  folderNotMade,
  LINK_MODAL,
  type Line,
  type LinkForm,
  type LinkRefusal,
  linkChecking,
  linkDone,
  linkModal,
  linkRefusal,
  linkRefused,
  linkUsage,
  type Modal,
  NOTHING_CHOSEN,
  projectChoice,
  readLinkForm,
  type View,
  wishOf,
} from '../blocks/index.ts';
import { SlackCallError } from '../slack/index.ts';
import { verdictOn } from '../transfers/index.ts';
import { type Asked, isDirect } from './answer.ts';
import { listenForFolderUse, openForm } from './folder-form.ts';
import { listProjects } from './folder-search.ts';
import { tryLink } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { ensureFolder, type FoldersInTheMaking, type WantedFolder } from './new-folder.ts';

/**
 * Opens the form that links a channel, for somebody who may: empty, and then with the channel's name
 * and project. Where it cannot be opened, the answer says how else to link.
 */
export async function openLinkModal(asked: Asked, context: ListenerContext): Promise<View | null> {
  const reason = verdictOn(asked, 'link-channel');
  if (reason !== 'allowed')
    return linkRefused({ ...asked, reason, typed: '', isDirect: isDirect(asked) });
  const announces = await context.ledger.isWatched(asked);
  const form = { ...NOTHING_CHOSEN, channel: asked.channel, channelName: null, announces };
  const first = linkModal({ ...form, problem: null });
  const prepared = () => prepare(asked, form, context);
  return (await openForm(asked, { first, prepare: prepared }, context)) ? null : linkUsage();
}

async function prepare(asked: Asked, form: LinkForm, context: ListenerContext): Promise<Modal> {
  const [channelName, projects, own] = await Promise.all([
    nameFor(asked, context),
    listProjects(asked, context).catch(() => undefined),
    context.findDestination(asked),
  ]);
  const only = projects?.length === 1 ? projects[0] : null;
  const project = only ?? projects?.find(({ id }) => id === own?.projectId) ?? null;
  const choice = project && projectChoice(project);
  // Null alone says that the account lists none: what failed may be there the next time.
  const known = { channelName, project: choice, isListed: projects !== null };
  return linkModal({ ...form, ...known, problem: null });
}

// A channel's name is told to those who are in it. Where Slack doesn't say who is, to nobody.
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

/** The form that links a channel. Once sent it is checked and linked as `/files link` is. */
export function listenForLinkModal(app: App, context: ListenerContext): void {
  const inTheMaking: FoldersInTheMaking = new Map();
  const use = {
    ...{ callbackId: LINK_MODAL, doing: 'link' as const, read: readLinkForm },
    withProject: async (form: LinkForm, userId: string) => {
      const { channel } = form;
      const channelName = form.channelName ?? (await nameFor({ userId, channel }, context));
      return linkModal({ ...form, channelName, problem: null });
    },
    channelOf: ({ channel }: LinkForm) => channel,
    wishOf: (form: LinkForm) => wishOf(form, form.channelName),
    use: async (asked: Asked, { announces }: LinkForm, wish: FolderWish) => {
      const done = await link(asked, { wish, announces }, { ...context, inTheMaking });
      return 'why' in done ? done : tell(asked, done.answer, context);
    },
    ...{ checking: linkChecking, done: linkDone },
    again: (form: LinkForm, problem: FormProblem) => linkModal({ ...form, problem }),
  };
  listenForFolderUse(app, use, context);
}

type SubmitContext = ListenerContext & { inTheMaking: FoldersInTheMaking };

type Linked = { why: Line } | { answer: View | null };

// Rights come first: a folder that is made stays.
async function link(
  asked: Asked,
  { wish, announces }: { wish: FolderWish; announces: boolean },
  context: SubmitContext,
): Promise<Linked> {
  const reason = verdictOn(asked, 'link-channel');
  const refused = (why: { reason: LinkRefusal; typed: string }) => ({
    why: linkRefusal({ ...asked, ...why, isDirect: isDirect(asked) }),
  });
  if (reason !== 'allowed') return refused({ reason, typed: '' });
  const typed = 'typed' in wish ? wish.typed : await newFolder(asked, wish, context);
  if (typed === null) return { why: folderNotMade('name' in wish ? wish.name : '') };
  const done = await tryLink(asked, { typed, announces }, context);
  return 'reason' in done ? refused(done) : done;
}

async function newFolder(asked: Asked, wanted: WantedFolder, context: SubmitContext) {
  const folder = await ensureFolder(asked, wanted, context);
  return folder && `${wanted.newIn}/${folder.id}`;
}

// In the channel, where its buttons work; in the modal where I am not in the channel.
async function tell(
  { channel, userId: user }: Asked,
  view: View | null,
  { workspace }: ListenerContext,
): Promise<{ said: View | null }> {
  try {
    if (view) await workspace.postEphemeral({ channel, user }, view);
    return { said: null };
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    return { said: view };
  }
}

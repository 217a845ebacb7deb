import type { App, BlockAction, ExternalSelectAction } from '@slack/bolt';
import {
  FOLDER_FIELDS,
  LINK_MODAL,
  type LinkForm,
  linkModal,
  linkRefused,
  linkUsage,
  type Modal,
  NOTHING_CHOSEN,
  projectChoice,
  readLinkForm,
  type View,
} from '../blocks/index.ts';
import { verdictOn } from '../transfers/index.ts';
import { type Asked, isDirect } from './answer.ts';
import { listProjects } from './folder-search.ts';
import type { ListenerContext } from './listener-context.ts';
import { changeForm, openForm } from './open-form.ts';

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

/** The field for a folder comes with the project. */
export function listenForLinkModal(app: App, context: ListenerContext): void {
  const at = { action_id: FOLDER_FIELDS.project, callback_id: LINK_MODAL };
  app.action<BlockAction<ExternalSelectAction>>(
    { type: 'block_actions', ...at },
    async ({ ack, body: { view, user } }) => {
      await ack();
      const form = view && readLinkForm(view);
      if (!form) return;
      const { channel } = form;
      const channelName =
        form.channelName ?? (await nameFor({ userId: user.id, channel }, context));
      const shown = linkModal({ ...form, channelName, folder: null, problem: null });
      // Whatever the form shows by now: what a person chooses is newer.
      await changeForm({ id: view.id }, shown, context);
    },
  );
}

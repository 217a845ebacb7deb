import type { App, BlockAction, BlockSuggestion, ExternalSelectAction } from '@slack/bolt';
import { inTime } from '../base/index.ts';
import {
  folderOptions,
  LINK_FIELDS,
  type LinkForm,
  linkModal,
  linkRefused,
  linkUsage,
  noOptions,
  type Option,
  projectChoice,
  projectOptions,
  readLinkForm,
  type View,
} from '../blocks/index.ts';
import { type OpenModal, SlackCallError } from '../slack/index.ts';
import { may, verdictOn } from '../transfers/index.ts';
import { type Asked, identify, isDirect } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { listAge, orCopy } from './share-used.ts';

/** Slack waits 3 s for the options of a search field. */
const OPTIONS_MS = 2_500;

/**
 * Opens the form that links a channel, for somebody who may: empty at once, as the trigger is good for
 * 3 s alone, and then with the channel's name and project. Where it cannot be opened, the answer says
 * how else to link.
 */
export async function openLinkModal(asked: Asked, context: ListenerContext): Promise<View | null> {
  const reason = verdictOn(asked, 'link-channel');
  if (reason !== 'allowed')
    return linkRefused({ ...asked, reason, typed: '', isDirect: isDirect(asked) });
  const { workspace, logger } = context;
  const announces = await context.ledger.isWatched(asked);
  const form = { ...EMPTY, channel: asked.channel, announces };
  try {
    const shown = linkModal({ ...form, problem: null });
    const opened = await workspace.openModal(asked.triggerId ?? '', shown);
    context.inBackground(prepare(opened, { asked, form }, context));
    return null;
  } catch (error) {
    if (!(error instanceof SlackCallError)) throw error;
    logger.warn({ channel: asked.channel, error }, 'A form to link a channel could not be opened');
    return linkUsage();
  }
}

const EMPTY: Omit<LinkForm, 'channel' | 'announces'> = {
  channelName: null,
  project: null,
  folder: null,
  address: '',
  isListed: true,
};

async function prepare(
  opened: OpenModal,
  { asked, form }: { asked: Asked; form: LinkForm },
  context: ListenerContext,
): Promise<void> {
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
  await show(opened, linkModal({ ...form, ...known, problem: null }), context);
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

/** Changes an open form, unless it was closed, or is not as `hash` says any more. */
async function show(
  opened: OpenModal,
  modal: ReturnType<typeof linkModal>,
  { workspace, logger }: ListenerContext,
): Promise<void> {
  await workspace.updateModal(opened, modal).catch((error: unknown) => {
    if (!(error instanceof SlackCallError)) throw error;
    logger.debug({ reason: error.reason }, 'A form to link a channel was left as it is');
  });
}

async function listProjects(asked: Asked, { names, isBusy }: ListenerContext) {
  const { list } = await orCopy(asked, listAge({ isBusy }), names.projects);
  return list === null ? null : list.records.filter(({ archived }) => !archived);
}

/** The search fields of the form, and the field for a folder, which comes with the project. */
export function listenForLinkModal(app: App, context: ListenerContext): void {
  const searching = (field: 'project' | 'folder', find: Find) => {
    const at = { type: 'block_suggestion' as const, action_id: LINK_FIELDS[field] };
    app.options<'block_suggestion'>(at, async ({ ack, body }) => {
      await ack({ options: await orNotYet(suggest(body, find, context), context) });
    });
  };
  searching('project', findProjects);
  searching('folder', findFolders);
  app.action<BlockAction<ExternalSelectAction>>(
    { type: 'block_actions', action_id: LINK_FIELDS.project },
    async ({ ack, body: { view, user } }) => {
      await ack();
      const form = view && readLinkForm(view);
      if (!form) return;
      const { channel } = form;
      const channelName =
        form.channelName ?? (await nameFor({ userId: user.id, channel }, context));
      const shown = linkModal({ ...form, channelName, folder: null, problem: null });
      // Whatever the form shows by now: what a person chooses is newer.
      await show({ id: view.id }, shown, context);
    },
  );
}

type Find = (
  search: { asked: Asked; body: BlockSuggestion },
  context: ListenerContext,
) => Promise<Option[]>;

const findProjects: Find = async ({ asked, body }, context) => {
  const projects = await listProjects(asked, context);
  return projects ? projectOptions(projects, body.value) : noOptions('not-listed');
};

// The field's block says of which project: Slack does not tell what stands in the other fields.
const findFolders: Find = async ({ asked, body }, { names, isBusy }) => {
  const projectId = Number(/^folder_(\d{1,15})$/.exec(body.block_id)?.[1] ?? 0);
  const form = body.view && readLinkForm(body.view);
  if (!projectId || !form) return [];
  const { list } = await orCopy(asked, listAge({ isBusy }), (call) =>
    names.folders(projectId, call),
  );
  if (!list) return noOptions('not-listed');
  const newName = form.channelName;
  return folderOptions({ folders: list.records, typed: body.value, newName });
};

// Only people who may link are shown what there is to link to.
async function suggest(
  body: BlockSuggestion,
  find: Find,
  context: ListenerContext,
): Promise<Option[]> {
  const { team } = context.workspace.identity;
  const channel = (body.view && readLinkForm(body.view)?.channel) ?? '';
  const userTeam = body.user.team_id ?? body.team?.id ?? null;
  const asker = { team, channel, userId: body.user.id, userTeam };
  const asked = await identify(asker, context);
  return may(asked, 'link-channel') ? find({ asked, body }, context) : [];
}

function orNotYet(found: Promise<Option[]>, { clock, logger }: ListenerContext): Promise<Option[]> {
  const late = noOptions('not-yet');
  const read = found.catch((error: unknown) => {
    logger.warn({ error }, 'A search for a folder could not be answered');
    return late;
  });
  return inTime(read, { clock, ms: OPTIONS_MS, late });
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  App,
  BlockAction,
  BlockSuggestion,
  ExternalSelectAction,
  ViewSubmitAction,
} from '@slack/bolt';
import { inTime, oncePer } from '../base/index.ts';
import type {
  Doing,
  FolderField,
  FolderForm,
  FolderRequest,
  FormKind,
  FormPlace,
  FormProblem,
  Line,
  Modal,
  Option,
  View,
} from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import {
  type CopyOptions,
  type Folder,
  listAge,
  orOlderCopy,
  type Project,
} from '../service/index.ts';
import { failureOf, type OpenModal, postPrivately } from '../slack/index.ts';
import { may } from '../transfers/index.ts';
import {
  type Asked,
  askerOf,
  type Handler,
  identify,
  type PrivateView,
  troubleOf,
} from './answer.ts';
import { inTurns } from './in-turns.ts';
import type { ListenerContext } from './listener-context.ts';
import { isStillIn } from './sight.ts';

/** Below the 3 s that Slack waits for the response to a submission. */
const ANSWER_MS = 2_000;

/** What is done with the folder that a person chooses in a form. */
interface FolderUse<F extends FolderForm> {
  kind: FormKind<F>;
  /** Selects the wording of an error message. */
  doing: Doing;
  /** Fills in what the form lacks after a project was chosen. Default: returns it unchanged. */
  complete?(form: F, userId: string): Promise<F>;
  /** Does it. Returns the reason why not, to show beside the field, or what the modal says. */
  perform(asked: Asked, form: F, request: FolderRequest): Promise<{ why: Line } | Said>;
}

/** What the modal says once it is done; null: that is said elsewhere. */
export interface Said {
  said: PrivateView | null;
}

type Outcome = FormProblem | Said;

/**
 * Handles changes and submissions of a form in which a folder is chosen. Errors show beside their
 * field. If the work takes longer than Slack waits, the modal says so until the work is done.
 */
export function listenForFolderUse<F extends FolderForm>(
  app: App,
  use: FolderUse<F>,
  context: ListenerContext,
): void {
  const { kind } = use;
  const callback_id = kind.callbackId;
  const project = {
    type: 'block_actions' as const,
    callback_id,
    action_id: views.FOLDER_FIELDS.project,
  };
  app.action<BlockAction<ExternalSelectAction>>(project, async ({ ack, body: { view, user } }) => {
    await ack();
    const form = view && kind.read(view);
    if (!form) return;
    const chosen = { ...form, folder: null };
    const whole = (await use.complete?.(chosen, user.id)) ?? chosen;
    // Updates without the hash: the person's choice is newer than anything the form shows by now.
    await changeForm({ id: view.id }, kind.show(whole), context);
  });
  app.view<ViewSubmitAction>(
    { type: 'view_submission', callback_id },
    async ({ ack, body, view }) => {
      const form = kind.read(view);
      if (!form) return ack();
      const sent = { use, form, body, sentAt: context.clock.now() };
      const outcome = submit(sent, context);
      const soon = await inTime(outcome, { clock: context.clock, ms: ANSWER_MS, late: null });
      if (!soon) {
        await ack({ response_action: 'update', view: kind.checking });
        context.inBackground(showLate(await outcome, sent, context));
      } else if ('why' in soon) {
        await ack({ response_action: 'errors', errors: views.formErrors(soon, view) });
      } else if (soon.said === null) await ack();
      else await ack({ response_action: 'update', view: kind.done(soon.said()) });
    },
  );
}

interface Sent<F extends FolderForm> {
  use: FolderUse<F>;
  form: F;
  body: ViewSubmitAction;
  /** Milliseconds, by our clock. */
  sentAt: number;
}

async function submit<F extends FolderForm>(
  { use, form, body }: Sent<F>,
  context: ListenerContext,
): Promise<Outcome> {
  const request = use.kind.requestOf(form);
  if ('field' in request) return request;
  const field: FolderField = form.address ? 'address' : 'folder';
  const turn = context.quota.take(body.user.id);
  if ('waitMs' in turn) return { field, why: views.slowDown(turn) };
  try {
    const { channel, isElsewhere } = form;
    const asked = await identify({ ...askerOf(body, channel), isElsewhere }, context);
    if (!(await isStillIn(asked, context))) return { field, why: views.leftChannel() };
    const done = await use.perform(asked, form, request);
    return 'why' in done ? { field, ...done } : done;
  } catch (error) {
    const trouble = troubleOf(error, use.doing, context);
    // Slack does not render a mention in the error text beside a field.
    const operator = views.operatorMember(context.operator) === null ? context.operator : null;
    return { field, why: views.troubleLine({ ...trouble, operator }) };
  } finally {
    turn.end();
  }
}

// If the modal was closed, the outcome is posted privately in the channel or as a direct message.
async function showLate<F extends FolderForm>(
  outcome: Outcome,
  { use: { kind }, form, body: { view, user }, sentAt }: Sent<F>,
  context: ListenerContext,
): Promise<void> {
  const isProblem = 'why' in outcome;
  const modal = isProblem
    ? kind.show({ ...form, problem: outcome })
    : kind.done(outcome.said?.() ?? null);
  if (await changeForm({ id: view.id }, modal, context)) return;
  const { channel, isElsewhere } = form;
  const reader = { channel, userId: user.id, seenAt: isElsewhere ? null : sentAt };
  const said = isProblem ? (to?: string) => views.formProblemSaid(outcome, to) : outcome.said;
  if (said) await postPrivately(reader, said, context);
}

/** A form as it opens, and as it is updated once more is known. */
interface FormToOpen {
  first: Modal;
  prepare: () => Promise<Modal>;
  /** The answer if Slack does not open it. */
  notOpened: View;
}

/**
 * Opens a form at once, because its trigger expires after 3 s, and updates it when `prepare`
 * resolves. Returns null once it is open.
 */
export const openForm: Handler<FormToOpen> = async (asked, form, context) => {
  const { channel, triggerId = '' } = asked;
  const { first, prepare, notOpened } = form;
  const opening = context.workspace.openModal(triggerId, first);
  const error = await failureOf(opening);
  if (error === null) {
    const opened = await opening;
    context.inBackground(prepare().then((modal) => changeForm(opened, modal, context)));
    return null;
  }
  context.logger.warn({ channel, error }, 'A form could not be opened');
  return notOpened;
};

/**
 * Updates an open form, unless it was closed or no longer matches `hash`. Resolves with whether it
 * was updated.
 */
async function changeForm(
  opened: OpenModal,
  modal: Modal,
  { workspace, logger }: ListenerContext,
): Promise<boolean> {
  const failure = await failureOf(workspace.updateModal(opened, modal));
  if (failure) logger.debug({ reason: failure.reason }, 'A form was left as it is');
  return failure === null;
}

/** Below the 3 s that Slack waits for the options of a search field. */
const OPTIONS_MS = 2_500;

/** Resolves with the unarchived projects, and whether the account lists its projects at all. */
export async function listProjects(asked: Asked, context: ListenerContext) {
  const list = await readProjects(asked, context).catch(() => undefined);
  const projects = list?.records.filter(({ archived }) => !archived) ?? [];
  // Only null means that it lists none; a failed request may succeed next time.
  return { projects, isListed: list !== null };
}

async function readProjects(asked: Asked, { names, isBusy }: ListenerContext) {
  return (await orOlderCopy(asked, listAge({ isBusy }), names.projects)).list;
}

/** Handles the search fields of all forms in which a folder is chosen. */
export function listenForFolderSearch(app: App, context: ListenerContext): void {
  const { clock, logger } = context;
  const searching = (field: 'project' | 'folder', find: Find) => {
    const at = { type: 'block_suggestion' as const, action_id: views.FOLDER_FIELDS[field] };
    app.options<'block_suggestion'>(at, async ({ ack, body }) => {
      const late = views.noOptions('not-yet');
      const found = suggest(body, find, context).catch((error: unknown) => {
        logger.warn({ error }, 'A search for a folder could not be answered');
        return late;
      });
      await ack({ options: await inTime(found, { clock, ms: OPTIONS_MS, late }) });
    });
  };
  searching('project', findProjects);
  searching('folder', findFolders);
}

type Find = Handler<{ body: BlockSuggestion; place: FormPlace }, Option[]>;

const findProjects: Find = async (asked, { body }, context) => {
  const projects = await readProjects(asked, context);
  if (!projects) return views.noOptions('not-listed');
  const records = await projectsToSearch(projects.records);
  return views.projectOptions({ ...projects, records, typed: body.value });
};

const projectsToSearch = oncePer((projects: readonly Project[]) =>
  inTurns(views.listedProjects(projects), views.searchedProject),
);
const foldersToSearch = oncePer(async (folders: readonly Folder[]) => {
  // Sorting many takes as long as parsing their list, which may have ended in this turn.
  await nextTurn();
  return inTurns(views.folderTree(folders), views.searchedFolder);
});

// The block's identifier holds the project, because Slack does not send the other fields' values.
const findFolders: Find = async (asked, { body, place }, { names, isBusy }) => {
  const projectId = Number(/^folder_(\d{1,15})$/.exec(body.block_id)?.[1] ?? 0);
  if (!projectId) return [];
  const ask = (call: CopyOptions) => names.folders(projectId, call);
  const { list: folders } = await orOlderCopy(asked, listAge({ isBusy }), ask);
  if (!folders) return views.noOptions('not-listed');
  const records = await foldersToSearch(folders.records);
  const search = { ...folders, records, typed: body.value };
  return views.folderOptions({ ...search, newName: place.channelName });
};

// Only people who may link a channel see options.
async function suggest(
  body: BlockSuggestion,
  find: Find,
  context: ListenerContext,
): Promise<Option[]> {
  const place = body.view && views.readPlace(body.view);
  if (!place) return [];
  const asked = await identify(askerOf(body, place.channel), context);
  const isAllowed = may(asked, 'link-channel') && (await isStillIn(asked, context));
  return isAllowed ? find(asked, { body, place }, context) : [];
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { App, BlockSuggestion, ViewSubmitAction } from '@slack/bolt';
import { createSingleFlight, inTime, oncePer } from '../../base/index.ts';
import { may, plainWords } from '../../core/index.ts';
import { type Folder, listAgeMs, type Project } from '../../service/index.ts';
import { failureOf, type OpenModal, postPrivately } from '../../slack/index.ts';
import { folderTree, listedProjects } from '../folders/folder-list.ts';
import {
  type Asked,
  askerOf,
  type Handler,
  identify,
  type PrivateView,
  troubleOf,
} from '../kit/answer.ts';
import { MAX_FILTER_LENGTH } from '../kit/claims.ts';
import { inTurns } from '../kit/in-turns.ts';
import type { Option, View } from '../kit/layout.ts';
import { isStillIn } from '../kit/membership.ts';
import { type Line, operatorMember } from '../kit/prose.ts';
import { leftChannel } from '../kit/refusals.ts';
import { type Doing, troubleLine } from '../kit/service-trouble.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import {
  CHOOSE_A_FOLDER,
  FOLDER_FIELD,
  type FolderForm,
  type FormKind,
  type FormPlace,
  folderNotMade,
  formErrors,
  formProblemSaid,
  type Modal,
  readPlace,
} from './folder-form-view.ts';
import { findOrCreate } from './make-folder.ts';
import { readFolderText } from './resolve-folder.ts';
import {
  type FolderRequest,
  folderOption,
  folderOptions,
  newFolders,
  noOptions,
  type SearchedList,
  type SearchedProject,
  searchedFolder,
  searchedProject,
} from './search-options.ts';

/** Below the 3 s that Slack waits for the response to a submission. */
const ANSWER_MS = 2_000;

/** What is done with the folder that a person chooses in a form. */
interface FolderUse<F extends FolderForm> {
  kind: FormKind<F>;
  /** Selects the wording of an error message. */
  doing: Doing;
  /** Does it with a folder as it may be typed. Returns the reason why not, to show beside the field, or what the modal says. */
  perform(asked: Asked, form: F, typed: string): Promise<Outcome>;
}

/** What the modal says once it is done; null: that is said elsewhere. */
export interface Said {
  said: PrivateView | null;
}

type Outcome = { why: Line } | Said;

/**
 * Handles submissions of a form in which a folder is chosen. Errors show beside the field. If the work
 * takes longer than Slack waits, the modal says so until the work is done.
 */
export function listenForFolderUse<F extends FolderForm>(
  app: App,
  use: FolderUse<F>,
  context: SurfaceContext,
): void {
  const { kind } = use;
  // A form that is submitted twice creates one folder.
  const once = createSingleFlight<Folder | null>({ clock: context.clock, keepMs: 0 });
  const make: Make = (asked, request) =>
    once(`${request.newIn}/${request.name}`, () => findOrCreate(asked, request, context));
  app.view<ViewSubmitAction>(
    { type: 'view_submission', callback_id: kind.callbackId },
    async ({ ack, body, view }) => {
      const form = kind.read(view);
      if (!form) return ack();
      const sent = { use, make, form, body, sentAt: context.clock.now() };
      const outcome = submit(sent, context);
      const soon = await inTime(outcome, { clock: context.clock, ms: ANSWER_MS, late: null });
      if (!soon) {
        await ack({ response_action: 'update', view: kind.checking });
        context.inBackground(showLate(await outcome, sent, context));
      } else if ('why' in soon) {
        await ack({ response_action: 'errors', errors: formErrors(soon.why) });
      } else if (soon.said === null) await ack();
      else await ack({ response_action: 'update', view: kind.done(soon.said()) });
    },
  );
}

/** A folder to be made. */
type Wanted = Extract<FolderRequest, { name: string }>;
type Make = (asked: Asked, request: Wanted) => Promise<Folder | null>;

interface Sent<F extends FolderForm> {
  use: FolderUse<F>;
  make: Make;
  form: F;
  body: ViewSubmitAction;
  /** Milliseconds, by our clock. */
  sentAt: number;
}

async function submit<F extends FolderForm>(
  { use, make, form, body }: Sent<F>,
  context: SurfaceContext,
): Promise<Outcome> {
  const request = use.kind.requestOf(form);
  if (!request) return { why: CHOOSE_A_FOLDER };
  try {
    const { channel, isElsewhere } = form;
    const asked = await identify({ ...askerOf(body, channel), isElsewhere }, context);
    if (!(await isStillIn(asked, context))) return { why: leftChannel() };
    if ('typed' in request) return await use.perform(asked, form, inFull(request.typed, context));
    // A created folder is never removed, so rights come first; without, nothing is typed.
    if (!may(asked, 'link-channel')) return await use.perform(asked, form, '');
    const folder = await make(asked, request);
    if (!folder) return { why: folderNotMade(request.name) };
    return await use.perform(asked, form, `${request.newIn}/${folder.id}`);
  } catch (error) {
    const trouble = troubleOf(error, use.doing, context);
    // Slack does not render a mention in the error text beside a field.
    const operator = operatorMember(context.operator) === null ? context.operator : null;
    return { why: troubleLine({ ...trouble, operator }) };
  }
}

// The field leaves out where the account's addresses begin.
function inFull(typed: string, { accountUrl }: SurfaceContext): string {
  return typed.startsWith('/') ? new URL(typed, accountUrl).href : typed;
}

// If the modal was closed, the outcome is posted privately in the channel or as a direct message.
async function showLate<F extends FolderForm>(
  outcome: Outcome,
  { use: { kind }, form, body: { view, user }, sentAt }: Sent<F>,
  context: SurfaceContext,
): Promise<void> {
  const isProblem = 'why' in outcome;
  const modal = isProblem
    ? kind.show({ ...form, problem: outcome.why })
    : kind.done(outcome.said?.() ?? null);
  if (await changeForm({ id: view.id }, modal, context)) return;
  const { channel, isElsewhere } = form;
  const reader = { channel, userId: user.id, seenAt: isElsewhere ? null : sentAt };
  const said = isProblem ? (to?: string) => formProblemSaid(outcome.why, to) : outcome.said;
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
  { workspace, logger }: SurfaceContext,
): Promise<boolean> {
  const failure = await failureOf(workspace.updateModal(opened, modal));
  if (failure) logger.debug({ reason: failure.reason }, 'A form was left as it is');
  return failure === null;
}

/** Below the 3 s that Slack waits for the options of a search field. */
const OPTIONS_MS = 2_500;
/** How long to wait for the folders of projects that were not read yet, in milliseconds. */
const READING_MS = 2_000;
/** How long to wait for the name of a pasted folder, in milliseconds. */
const NAMED_MS = 1_500;
/** How many projects' folders one search reads: each takes a call to the service. */
const MAX_READ = 5;

/** Resolves with whether the account lists its projects. A failed request may succeed next time. */
export async function listsProjects(asked: Asked, context: SurfaceContext): Promise<boolean> {
  return (await readProjects(asked, context).catch(() => undefined)) !== null;
}

async function readProjects(asked: Asked, { names, isBusy }: SurfaceContext) {
  return (await names.projects({ ...asked.call, maxAgeMs: listAgeMs({ isBusy }) })).list;
}

/** Handles the field in which a folder is chosen, in all forms. */
export function listenForFolderSearch(app: App, context: SurfaceContext): void {
  const { clock, logger } = context;
  const at = { type: 'block_suggestion' as const, action_id: FOLDER_FIELD };
  app.options<'block_suggestion'>(at, async ({ ack, body }) => {
    const late = noOptions('not-yet');
    const found = suggest(body, context).catch((error: unknown) => {
      logger.warn({ error }, 'A search for a folder could not be answered');
      return late;
    });
    await ack({ options: await inTime(found, { clock, ms: OPTIONS_MS, late }) });
  });
}

// Only people who may link a channel see options.
async function suggest(body: BlockSuggestion, context: SurfaceContext): Promise<Option[]> {
  const place = body.view && readPlace(body.view);
  if (!place) return [];
  const asked = await identify(askerOf(body, place.channel), context);
  const isAllowed = may(asked, 'link-channel') && (await isStillIn(asked, context));
  return isAllowed ? findFolders(asked, { typed: body.value, place }, context) : [];
}

interface Search {
  typed: string;
  place: FormPlace;
}

// What is pasted is a folder, also while the account's lists cannot be read.
const findFolders: Handler<Search, Option[]> = async (asked, search, context) => {
  const pasted = readFolderText(search.typed, context.accountUrl);
  if (pasted === undefined) return searchNames(asked, search, context);
  if (pasted === null) return noOptions('other-address');
  const { names, clock } = context;
  const late = { ...pasted, projectTitle: null, folderName: null };
  const named = await inTime(names.nameFolder(pasted), { clock, ms: NAMED_MS, late });
  return [folderOption(named, pasted.url ?? '')];
};

const projectsToSearch = oncePer((projects: readonly Project[]) =>
  inTurns(listedProjects(projects), searchedProject),
);
const foldersToSearch = oncePer(async (folders: readonly Folder[]) => {
  // Sorting many takes as long as parsing their list, which may have ended in this turn.
  await nextTurn();
  return inTurns(folderTree(folders), searchedFolder);
});

const searchNames: Handler<Search, Option[]> = async (asked, { typed: all, place }, context) => {
  // No name is longer.
  const typed = all.slice(0, MAX_FILTER_LENGTH);
  const [listed, destination] = await Promise.all([
    readProjects(asked, context),
    context.findDestination(asked),
  ]);
  const { projectId: own = null, projectTitle } = destination ?? {};
  const alone = own === null ? [] : [{ id: own, title: projectTitle ?? '', archived: false }];
  const projects = listed ? await projectsToSearch(listed.records) : alone.map(searchedProject);
  const sorted = projects.toSorted((a, b) => Number(b.id === own) - Number(a.id === own));
  const { lists, unread } = await readFolders(asked, { projects: sorted, own, typed }, context);
  if (lists.length === 0) return noOptions(unread > 0 ? 'not-yet' : 'not-listed');
  const { channelName } = place;
  const news = newFolders({ typed, channelName, projects: sorted, own, lists });
  return folderOptions({ lists, typed, unread, news });
};

interface ToRead {
  projects: readonly SearchedProject[];
  own: number | null;
  typed: string;
}

interface FoldersRead {
  lists: SearchedList[];
  /** How many projects’ folders are not known yet. */
  unread: number;
}

// Reads the folders of a few projects: of the channel's own, of those whose titles were typed, and of
// those that were not read yet. Of all others, what was read before is searched.
const readFolders: Handler<ToRead, FoldersRead> = async (asked, given, context) => {
  const { projects, own, typed } = given;
  const { names, clock, isBusy } = context;
  const words = plainWords(typed);
  const isNamed = ({ id, text }: SearchedProject) =>
    id === own || words.some((word) => text.includes(word));
  const isNew = ({ id }: SearchedProject) => names.knownFolders(id) === undefined;
  const nearest = [...projects.filter(isNamed), ...projects.filter(isNew), ...projects];
  const toRead = new Set([...new Set(nearest)].slice(0, MAX_READ));
  const read = ({ id }: SearchedProject) => {
    const late = names.knownFolders(id);
    const call = { ...asked.call, maxAgeMs: listAgeMs({ isBusy }) };
    const list = names.folders(id, call).then(
      ({ list }) => list,
      () => late,
    );
    return inTime(list, { clock, ms: READING_MS, late });
  };
  const all = await Promise.all(
    projects.map(async (project) => {
      const list = toRead.has(project) ? await read(project) : names.knownFolders(project.id);
      return { project, list };
    }),
  );
  const unread = all.filter(({ list }) => list === undefined).length;
  const lists = all.map(async ({ project, list }): Promise<SearchedList[]> => {
    if (!list) return [];
    const folders = await foldersToSearch(list.records);
    return [{ project, folders, complete: list.complete }];
  });
  return { lists: (await Promise.all(lists)).flat(), unread };
};

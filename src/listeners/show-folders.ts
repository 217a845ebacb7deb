import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import type { CachedList } from '../service/index.ts';
import { may } from '../transfers/index.ts';
import { type Asked, type Handler, readerOf } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { ANEW_AGE, listAge, orCopy } from './personal-quota.ts';
import { findTypedProject } from './resolve-folder.ts';
import { FOR_NAMES, nameFolder } from './show-files.ts';

interface ListPage {
  /** From 1. */
  page: number;
  /** Whether to refresh a list that was shown before. Default: false. */
  again?: boolean;
}

/** Shows the folders of the typed project, else of the channel's, or all projects if it has none. */
export const showFirst: Handler<string, View> = async (asked, typed, context) => {
  if (typed !== '') return showTyped(asked, typed, context);
  const destination = await context.findDestination(asked);
  if (!destination) return showProjects(asked, { page: 1 }, context);
  return showFolders(asked, { page: 1, projectId: destination.projectId }, context);
};

const showTyped: Handler<string, View> = async (asked, typed, context) => {
  if (!may(asked, 'browse-folders')) return views.MEMBERS_ONLY;
  const projectId = await findTypedProject(asked, typed, context);
  if (projectId !== null) return showFolders(asked, { page: 1, projectId }, context);
  return views.unknownProject({ typed, list: await showProjects(asked, { page: 1 }, context) });
};

/** Shows the folders of a project to people who may browse them. */
export const showFolders: Handler<ListPage & { projectId: number }, View> = async (
  asked,
  { projectId, page, again },
  context,
) => {
  if (!may(asked, 'browse-folders')) return views.MEMBERS_ONLY;
  const { names, clock } = context;
  const age = again ? ANEW_AGE : listAge(context);
  const destination = await context.findDestination(asked);
  const askedAt = clock.now();
  const known = await orCopy(asked, age, (call) => names.folders(projectId, call));
  if (!known.list) return unavailable(asked, context, projectId);
  return views.folderList({
    projectTitle: await names.projectTitle(projectId, FOR_NAMES),
    projectId,
    folders: known.list.records,
    complete: known.list.complete,
    linkedFolderId: destination?.projectId === projectId ? destination.folderId : null,
    ...readerOf(asked),
    page,
    copyAgeMs: copyAge(known, askedAt, clock.now()),
  });
};

/** Shows the projects of the account to people who may browse them. */
export const showProjects: Handler<ListPage, View> = async (asked, { page, again }, context) => {
  if (!may(asked, 'browse-folders')) return views.MEMBERS_ONLY;
  const { names, clock } = context;
  const age = again ? ANEW_AGE : listAge(context);
  const askedAt = clock.now();
  const known = await orCopy(asked, age, names.projects);
  if (!known.list) return unavailable(asked, context);
  const copyAgeMs = copyAge(known, askedAt, clock.now());
  const { records: projects, complete } = known.list;
  return views.projectList({ projects, complete, page, copyAgeMs });
};

function copyAge({ fetchedAt }: CachedList<unknown>, askedAt: number, now: number): number | null {
  return fetchedAt < askedAt ? now - fetchedAt : null;
}

// If the account still lists projects, it refuses only the folders of this one.
async function unavailable(
  asked: Asked,
  context: ListenerContext,
  projectId: number | null = null,
): Promise<View> {
  const destination = await context.findDestination(asked);
  const linked = destination && (await nameFolder(destination, context));
  const known = { ...readerOf(asked), linked };
  if (projectId === null) return views.foldersUnavailable({ ...known, refused: null });
  const anyCopy = { ...asked.call, maxAgeMs: listAge(context).oldest };
  const { list: projects } = await context.names.projects(anyCopy);
  const title = projects?.records.find(({ id }) => id === projectId)?.title ?? null;
  return views.foldersUnavailable({ ...known, refused: projects && { projectId, title } });
}

import type { View } from '../blocks/index.ts';
import * as views from '../blocks/index.ts';
import {
  type CachedList,
  type CopyOptions,
  listAge,
  orOlderCopy,
  REFRESH_AGE,
} from '../service/index.ts';
import { may } from '../transfers/index.ts';
import { type Asked, type Handler, readerOf } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import { findTypedProject } from './resolve-folder.ts';

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
  if (!may(asked, 'browse-folders')) return views.membersOnly(readerOf(asked));
  const projectId = await findTypedProject(asked, typed, context);
  if (projectId !== null) return showFolders(asked, { page: 1, projectId }, context);
  const list = await showProjects(asked, { page: 1 }, context);
  return views.stacked(views.unknownProject({ typed }), list);
};

/** Shows the folders of a project to people who may browse them. */
export const showFolders: Handler<ListPage & { projectId: number }, View> = async (
  asked,
  { projectId, page, again },
  context,
) => {
  if (!may(asked, 'browse-folders')) return views.membersOnly(readerOf(asked));
  const { names } = context;
  const destination = await context.findDestination(asked);
  const ask = (call: CopyOptions) => names.folders(projectId, call);
  const { list, copyAgeMs } = await read(ask, { asked, again }, context);
  if (!list) return unavailable(asked, projectId, context);
  return views.folderList({
    projectTitle: await names.projectTitle(projectId),
    projectId,
    folders: list.records,
    complete: list.complete,
    linkedFolderId: destination?.projectId === projectId ? destination.folderId : null,
    ...readerOf(asked),
    page,
    copyAgeMs,
  });
};

/** Shows the projects of the account to people who may browse them. */
export const showProjects: Handler<ListPage, View> = async (asked, { page, again }, context) => {
  if (!may(asked, 'browse-folders')) return views.membersOnly(readerOf(asked));
  const { list, copyAgeMs } = await read(context.names.projects, { asked, again }, context);
  if (!list) return unavailable(asked, null, context);
  return views.projectList({ projects: list.records, complete: list.complete, page, copyAgeMs });
};

// Resolves with a list, and its age in milliseconds if it was known before; null if it is fresh.
async function read<T>(
  ask: (call: CopyOptions) => Promise<CachedList<T>>,
  { asked, again }: { asked: Asked; again: boolean | undefined },
  context: ListenerContext,
) {
  const askedAt = context.clock.now();
  const { list, fetchedAt } = await orOlderCopy(asked, again ? REFRESH_AGE : listAge(context), ask);
  return { list, copyAgeMs: fetchedAt < askedAt ? context.clock.now() - fetchedAt : null };
}

// If the account still lists projects, it refuses only the folders of this one.
const unavailable: Handler<number | null, View> = async (asked, projectId, context) => {
  const destination = await context.findDestination(asked);
  const linked = destination && (await context.names.nameFolder(destination));
  const known = { ...readerOf(asked), linked };
  if (projectId === null) return views.foldersUnavailable({ ...known, refused: null });
  const anyCopy = { ...asked.call, maxAgeMs: listAge(context).oldest };
  const { list: projects } = await context.names.projects(anyCopy);
  const title = projects?.records.find(({ id }) => id === projectId)?.title ?? null;
  return views.foldersUnavailable({ ...known, refused: projects && { projectId, title } });
};

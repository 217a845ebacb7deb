import { folderNumber, may } from '../../core/index.ts';
import {
  type CachedList,
  type CopyOptions,
  listAgeMs,
  REFRESH_AGE_MS,
} from '../../service/index.ts';
import { type Asked, type Handler, readerOf } from '../kit/answer.ts';
import type { ClaimOf } from '../kit/claims.ts';
import { stacked, type View } from '../kit/layout.ts';
import { DONE, membersOnly } from '../kit/refusals.ts';
import type { SurfaceContext } from '../kit/surface-context.ts';
import { linkChannel } from '../link/link-channel.ts';
import { findTypedProject } from '../link/resolve-folder.ts';
import type { LINK_FOLDER } from './actions.ts';
import {
  changedMeanwhile,
  folderList,
  foldersUnavailable,
  projectList,
  unknownProject,
} from './folder-list.ts';

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
  if (!may(asked, 'browse-folders')) return membersOnly(readerOf(asked));
  const projectId = await findTypedProject(asked, typed, context);
  if (projectId !== null) return showFolders(asked, { page: 1, projectId }, context);
  const list = await showProjects(asked, { page: 1 }, context);
  return stacked(unknownProject({ typed }), list);
};

/** Shows the folders of a project to people who may browse them. */
export const showFolders: Handler<ListPage & { projectId: number }, View> = async (
  asked,
  { projectId, page, again },
  context,
) => {
  if (!may(asked, 'browse-folders')) return membersOnly(readerOf(asked));
  const { names } = context;
  const [current, link] = await Promise.all([
    context.findDestination(asked),
    context.ledger.findLink(asked),
  ]);
  const ask = (call: CopyOptions) => names.folders(projectId, call);
  const { list, copyAgeMs } = await read(ask, { asked, again }, context);
  if (!list) return unavailable(asked, projectId, context);
  return folderList({
    projectTitle: await names.projectTitle(projectId),
    projectId,
    folders: list.records,
    complete: list.complete,
    currentId: current?.projectId === projectId ? current.folderId : null,
    linked: link && (await names.nameFolder(link)),
    ...readerOf(asked),
    page,
    copyAgeMs,
  });
};

/**
 * Gives the channel a folder of the list, unless it has got another one since the list was shown: the
 * person was asked about that one only. Shows the list as it is then.
 */
export const takeFolder: Handler<ClaimOf<typeof LINK_FOLDER>, View> = async (
  asked,
  { was, page, ...folder },
  context,
) => {
  const link = await context.ledger.findLink(asked);
  const isAsAsked = (link ? folderNumber(link) : '') === was;
  const answer = isAsAsked
    ? await linkChannel(asked, folderNumber(folder), context)
    : changedMeanwhile(readerOf(asked));
  // The link stands, even if the list cannot be shown.
  const list = await showFolders(asked, { page, projectId: folder.projectId }, context).catch(
    (error: unknown) => {
      context.logger.warn({ error }, 'Folders could not be listed after a change');
      return answer ? null : DONE;
    },
  );
  return stacked(answer, list);
};

/** Shows the projects of the account to people who may browse them. */
export const showProjects: Handler<ListPage, View> = async (asked, { page, again }, context) => {
  if (!may(asked, 'browse-folders')) return membersOnly(readerOf(asked));
  const { list, copyAgeMs } = await read(context.names.projects, { asked, again }, context);
  if (!list) return unavailable(asked, null, context);
  return projectList({ projects: list.records, complete: list.complete, page, copyAgeMs });
};

// Resolves with a list, and its age in milliseconds if it was known before; null if it is fresh.
async function read<T>(
  ask: (call: CopyOptions) => Promise<CachedList<T>>,
  { asked, again }: { asked: Asked; again: boolean | undefined },
  context: SurfaceContext,
) {
  const askedAt = context.clock.now();
  const maxAgeMs = again ? REFRESH_AGE_MS : listAgeMs(context);
  const { list, fetchedAt } = await ask({ ...asked.call, maxAgeMs });
  return { list, copyAgeMs: fetchedAt < askedAt ? context.clock.now() - fetchedAt : null };
}

// If the account still lists projects, it refuses only the folders of this one.
const unavailable: Handler<number | null, View> = async (asked, projectId, context) => {
  const destination = await context.findDestination(asked);
  const linked = destination && (await context.names.nameFolder(destination));
  const known = { ...readerOf(asked), linked };
  if (projectId === null) return foldersUnavailable({ ...known, refused: null });
  const anyCopy = { ...asked.call, maxAgeMs: Number.POSITIVE_INFINITY };
  const { list: projects } = await context.names.projects(anyCopy);
  const title = projects?.records.find(({ id }) => id === projectId)?.title ?? null;
  return foldersUnavailable({ ...known, refused: projects && { projectId, title } });
};

import type { App } from '@slack/bolt';
import {
  ACTIONS,
  folderList,
  foldersUnavailable,
  membersOnly,
  projectList,
  readFoldersPageValue,
  readFolderValue,
  readProjectsPageValue,
  type View,
} from '../blocks/index.ts';
import { may } from '../transfers/index.ts';
import { answer } from './answer.ts';
import { type Asked, admit } from './asked.ts';
import { linkToFolder } from './link-channel.ts';
import type { ChannelDestination, ListenerContext } from './listener-context.ts';
import { onPress } from './on-press.ts';
import { INTERACTIVE, nameFolder } from './show-files.ts';
import { typedBy } from './typed-by.ts';

/** `/folders` and its buttons: projects, folders, and Link this channel. */
export function listenForFolders(app: App, context: ListenerContext): void {
  app.command('/folders', async ({ ack, command, respond }) => {
    await ack();
    await answer({ respond, doing: 'folders' }, context, () =>
      admit(typedBy(command, context), context, (asked) =>
        forMembers(asked, () => showFirst(asked, context)),
      ),
    );
  });
  for (const action of [ACTIONS.foldersPrevious, ACTIONS.foldersNext, ACTIONS.foldersOfProject])
    onPress(app, context, {
      action,
      doing: 'folders',
      replace: true,
      read: readFoldersPageValue,
      handle: (asked, place) => forMembers(asked, () => showFolders(asked, place, context)),
    });
  for (const action of [ACTIONS.projectsPrevious, ACTIONS.projectsNext])
    onPress(app, context, {
      action,
      doing: 'folders',
      replace: true,
      read: readProjectsPageValue,
      handle: (asked, page) => forMembers(asked, () => showProjects(asked, page, context)),
    });
  onPress(app, context, {
    action: ACTIONS.linkFolder,
    doing: 'link',
    replace: false,
    read: readFolderValue,
    handle: linkToFolder,
  });
}

async function forMembers(asked: Asked, show: () => Promise<View>): Promise<View> {
  return may(asked, 'browse-folders') ? show() : membersOnly();
}

async function showFirst(asked: Asked, context: ListenerContext): Promise<View> {
  const destination = await context.findDestination(asked);
  if (!destination) return showProjects(asked, 1, context);
  return showFolders(asked, { projectId: destination.projectId, page: 1 }, context);
}

async function showFolders(
  asked: Asked,
  { projectId, page }: { projectId: number; page: number },
  context: ListenerContext,
): Promise<View> {
  const destination = await context.findDestination(asked);
  const folders = await context.service.listFolders(projectId, INTERACTIVE);
  if (!folders) return unavailable(destination, context);
  return folderList({
    projectTitle: await context.directory.projectTitle(projectId, INTERACTIVE),
    projectId,
    folders,
    linkedFolderId: destination?.projectId === projectId ? destination.folderId : null,
    mayLink: may(asked, 'link-channel'),
    page,
  });
}

async function showProjects(asked: Asked, page: number, context: ListenerContext): Promise<View> {
  const projects = await context.service.listProjects(INTERACTIVE);
  if (projects) return projectList({ projects, page });
  return unavailable(await context.findDestination(asked), context);
}

async function unavailable(
  destination: ChannelDestination | null,
  context: ListenerContext,
): Promise<View> {
  const linked = destination && { ...destination, name: await nameFolder(destination, context) };
  return foldersUnavailable({ linked });
}

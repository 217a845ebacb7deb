import type { App } from '@slack/bolt';
import {
  ACTIONS,
  folderList,
  foldersPageValue,
  foldersUnavailable,
  folderValue,
  membersOnly,
  projectList,
  projectsPageValue,
  type View,
} from '../blocks/index.ts';
import type { KeptList } from '../service/index.ts';
import { may } from '../transfers/index.ts';
import { answer } from './answer.ts';
import { type Asked, admit } from './asked.ts';
import { linkToFolder } from './link-channel.ts';
import { AGAIN, listAge } from './list-age.ts';
import type { ChannelDestination, ListenerContext } from './listener-context.ts';
import { onPress } from './on-press.ts';
import { type CopyAges, orCopy } from './or-copy.ts';
import { INTERACTIVE, nameFolder } from './show-files.ts';
import { typedBy } from './typed-by.ts';

/** `/folders` and its buttons: projects, folders, and Link this channel. */
export function listenForFolders(app: App, context: ListenerContext): void {
  app.command('/folders', async ({ ack, command, respond }) => {
    await ack();
    const by = command.user_id;
    await answer({ respond, doing: 'folders', by }, context, (own) =>
      admit(typedBy(command, own), own, (asked) => forMembers(asked, () => showFirst(asked, own))),
    );
  });
  const { foldersPrevious, foldersNext, foldersOfProject, foldersRefresh } = ACTIONS;
  for (const action of [foldersPrevious, foldersNext, foldersOfProject, foldersRefresh])
    onPress(app, context, {
      action,
      doing: 'folders',
      replace: true,
      value: foldersPageValue,
      handle: (asked, place, own) => {
        const age = action === foldersRefresh ? AGAIN : listAge(own);
        return forMembers(asked, () => showFolders(asked, { ...place, age }, own));
      },
    });
  const { projectsPrevious, projectsNext, projectsRefresh } = ACTIONS;
  for (const action of [projectsPrevious, projectsNext, projectsRefresh])
    onPress(app, context, {
      action,
      doing: 'folders',
      replace: true,
      value: projectsPageValue,
      handle: (asked, page, own) => {
        const age = action === projectsRefresh ? AGAIN : listAge(own);
        return forMembers(asked, () => showProjects(asked, { page, age }, own));
      },
    });
  onPress(app, context, {
    action: ACTIONS.linkFolder,
    doing: 'link',
    replace: false,
    value: folderValue,
    handle: linkToFolder,
  });
}

async function forMembers(asked: Asked, show: () => Promise<View>): Promise<View> {
  return may(asked, 'browse-folders') ? show() : membersOnly();
}

async function showFirst(asked: Asked, context: ListenerContext): Promise<View> {
  const destination = await context.findDestination(asked);
  const first = { page: 1, age: listAge(context) };
  if (!destination) return showProjects(asked, first, context);
  return showFolders(asked, { ...first, projectId: destination.projectId }, context);
}

async function showFolders(
  asked: Asked,
  { projectId, page, age }: { projectId: number; page: number; age: CopyAges },
  context: ListenerContext,
): Promise<View> {
  const destination = await context.findDestination(asked);
  const askedAt = context.clock.now();
  const known = await orCopy(age, (maxAgeMs) =>
    context.directory.folders(projectId, { ...INTERACTIVE, maxAgeMs }),
  );
  if (!known.list) return unavailable(destination, context);
  return folderList({
    projectTitle: await context.directory.projectTitle(projectId, INTERACTIVE),
    projectId,
    folders: known.list.records,
    linkedFolderId: destination?.projectId === projectId ? destination.folderId : null,
    mayLink: may(asked, 'link-channel'),
    page,
    copyAgeMs: copyAge(known, askedAt, context),
  });
}

async function showProjects(
  asked: Asked,
  { page, age }: { page: number; age: CopyAges },
  context: ListenerContext,
): Promise<View> {
  const askedAt = context.clock.now();
  const known = await orCopy(age, (maxAgeMs) =>
    context.directory.projects({ ...INTERACTIVE, maxAgeMs }),
  );
  if (!known.list) return unavailable(await context.findDestination(asked), context);
  return projectList({
    projects: known.list.records,
    page,
    copyAgeMs: copyAge(known, askedAt, context),
  });
}

function copyAge(
  { fetchedAt }: KeptList<unknown>,
  askedAt: number,
  { clock }: ListenerContext,
): number | null {
  return fetchedAt < askedAt ? clock.now() - fetchedAt : null;
}

async function unavailable(
  destination: ChannelDestination | null,
  context: ListenerContext,
): Promise<View> {
  const linked = destination && { ...destination, name: await nameFolder(destination, context) };
  return foldersUnavailable({ linked });
}

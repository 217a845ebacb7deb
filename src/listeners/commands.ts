import type { App, SlackCommandMiddlewareArgs } from '@slack/bolt';
import {
  type Doing,
  help,
  howToDelete,
  noSignIn,
  unknownVerb,
  type View,
} from '../blocks/index.ts';
import { may } from '../transfers/index.ts';
import { type Asked, admit, answer, type StagedView } from './answer.ts';
import { type FilesRequest, readFilesText } from './files-verb.ts';
import { linkChannel, unlinkChannel } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { nameFolder, showFiles } from './show-files.ts';
import { forMembers, showFirst } from './show-folders.ts';

/** `/files` (list, find, link, unlink, help) and `/folders`. */
export function listenForCommands(app: App, context: ListenerContext): void {
  app.command('/files', async (given) => {
    const request = readFilesText(given.command.text ?? '');
    const doing = request.verb === 'link' || request.verb === 'unlink' ? request.verb : 'list';
    const run = (asked: Asked) => runFiles(request, asked, context);
    await runCommand(given, { doing, run }, context);
  });
  app.command('/folders', async (given) => {
    const run = (asked: Asked) => forMembers(asked, () => showFirst(asked, context));
    await runCommand(given, { doing: 'folders', run }, context);
  });
}

interface Command {
  doing: Doing;
  run: (asked: Asked) => Promise<StagedView | null>;
}

/** Acknowledges a command at once, asks who typed it, and answers privately. */
async function runCommand(
  { ack, command, respond }: SlackCommandMiddlewareArgs,
  { doing, run }: Command,
  context: ListenerContext,
): Promise<void> {
  await ack();
  const { channel_id: channel, user_id: userId, team_id: userTeam } = command;
  const { team } = context.workspace.identity;
  const asker = { team, channel, userId, userTeam };
  const reply = { respond, doing, by: userId, isCommand: true };
  await answer(reply, context, () => admit(asker, context, run));
}

async function runFiles(
  request: FilesRequest,
  asked: Asked,
  context: ListenerContext,
): Promise<StagedView | null> {
  switch (request.verb) {
    case 'list':
      return showFiles({ asked, page: 1, filter: request.filter, notice: null }, context);
    case 'link':
      return linkChannel(asked, request.target, context);
    case 'unlink':
      return unlinkChannel(asked, context);
    case 'help':
      return showHelp(asked, context);
    case 'delete':
      return howToDelete({ typed: request.name });
    case 'sign-in':
      return noSignIn();
    case 'unknown':
      return unknownVerb(request);
  }
}

/** What the app does here, for somebody who may do no more than the help says. */
export async function showHelp(
  asked: Asked,
  context: ListenerContext,
  { inThread = false } = {},
): Promise<View> {
  const destination = await context.findDestination(asked);
  const linked = destination && { ...destination, name: await nameFolder(destination, context) };
  return help({
    linked,
    isDefault: destination?.isDefault ?? false,
    mayLink: may(asked, 'link-channel'),
    mayBrowse: may(asked, 'browse-folders'),
    inThread,
  });
}

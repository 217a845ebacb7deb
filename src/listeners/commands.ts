import type { App } from '@slack/bolt';
import { type Doing, help, unknownVerb, type View } from '../blocks/index.ts';
import { type Asked, admit, answer, type StagedView } from './answer.ts';
import { type FilesRequest, readFilesText } from './files-verb.ts';
import { linkChannel, unlinkChannel } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { nameFolder, showFiles } from './show-files.ts';
import { forMembers, showFirst } from './show-folders.ts';

/** `/files` (list, find, link, unlink, help) and `/folders`. */
export function listenForCommands(app: App, context: ListenerContext): void {
  const on = (command: string, read: (text: string) => Command) =>
    app.command(command, async ({ ack, command: { text, user_id: userId, ...typed }, respond }) => {
      await ack();
      const { team } = context.workspace.identity;
      const asker = { team, channel: typed.channel_id, userId, userTeam: typed.team_id };
      const { doing, run } = read(text ?? '');
      await answer({ respond, doing, by: userId }, context, () => admit(asker, context, run));
    });
  on('/files', (text) => {
    const request = readFilesText(text);
    const doing = request.verb === 'link' || request.verb === 'unlink' ? request.verb : 'list';
    return { doing, run: (asked) => runFiles(request, asked, context) };
  });
  on('/folders', () => {
    const run = (asked: Asked) => forMembers(asked, () => showFirst(asked, context));
    return { doing: 'folders', run };
  });
}

interface Command {
  doing: Doing;
  run: (asked: Asked) => Promise<StagedView | null>;
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
    case 'unknown':
      return unknownVerb(request);
  }
}

async function showHelp(asked: Asked, context: ListenerContext): Promise<View> {
  const destination = await context.findDestination(asked);
  if (!destination) return help({ linked: null, isDefault: false });
  const linked = { ...destination, name: await nameFolder(destination, context) };
  return help({ linked, isDefault: destination.isDefault });
}

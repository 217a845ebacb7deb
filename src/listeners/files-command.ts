import type { App } from '@slack/bolt';
import { help, unknownVerb, type View } from '../blocks/index.ts';
import { answer, type StagedView } from './answer.ts';
import { type Asked, admit } from './asked.ts';
import { type FilesRequest, readFilesText } from './files-verb.ts';
import { linkChannel } from './link-channel.ts';
import type { ListenerContext } from './listener-context.ts';
import { nameFolder, showFiles } from './show-files.ts';
import { typedBy } from './typed-by.ts';
import { unlinkChannel } from './unlink-channel.ts';

/** `/files`: list, find, link, unlink, help. */
export function listenForFilesCommand(app: App, context: ListenerContext): void {
  app.command('/files', async ({ ack, command, respond }) => {
    await ack();
    const request = readFilesText(command.text ?? '');
    const doing = request.verb === 'link' || request.verb === 'unlink' ? request.verb : 'list';
    const by = command.user_id;
    await answer({ respond, doing, by }, context, (own) =>
      admit(typedBy(command, own), own, (asked) => run(request, asked, own)),
    );
  });
}

function run(
  request: FilesRequest,
  asked: Asked,
  context: ListenerContext,
): Promise<StagedView | null> {
  switch (request.verb) {
    case 'list':
      return showFiles({ ...asked, page: 1, filter: request.filter, notice: null }, context);
    case 'link':
      return linkChannel({ ...asked, target: request.target }, context);
    case 'unlink':
      return unlinkChannel(asked, context);
    case 'help':
      return showHelp(asked, context);
    case 'unknown':
      return Promise.resolve(unknownVerb(request));
  }
}

async function showHelp(
  channel: { team: string; channel: string },
  context: ListenerContext,
): Promise<View> {
  const destination = await context.findDestination(channel);
  if (!destination) return help({ linked: null, isDefault: false });
  const linked = { ...destination, name: await nameFolder(destination, context) };
  return help({ linked, isDefault: destination.isDefault });
}

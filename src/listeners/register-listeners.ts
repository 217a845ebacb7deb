import type { App } from '@slack/bolt';
import { listenForDelete } from './delete-button.ts';
import { listenForEarlierFiles } from './earlier-files.ts';
import { listenForFilesCommand } from './files-command.ts';
import { listenForFolders } from './folders.ts';
import { listenForJoins } from './joined.ts';
import type { ListenerContext } from './listener-context.ts';
import { listenForPages } from './page-buttons.ts';
import { listenForRetry } from './retry-button.ts';
import { listenForShares } from './share.ts';

/** Hangs all listeners on a Bolt app. */
export function registerListeners(app: App, context: ListenerContext): void {
  listenForShares(app, context);
  listenForJoins(app, context);
  listenForFilesCommand(app, context);
  listenForFolders(app, context);
  listenForPages(app, context);
  listenForDelete(app, context);
  listenForRetry(app, context);
  listenForEarlierFiles(app, context);
}

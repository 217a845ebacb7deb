import type { App } from '@slack/bolt';
import { ACTIONS, type FilesPageClaim, filesPageValue } from '../blocks/index.ts';
import type { StagedView } from './answer.ts';
import type { Asked } from './asked.ts';
import type { ListenerContext } from './listener-context.ts';
import { onPress } from './on-press.ts';
import { showFiles } from './show-files.ts';

/** Newer, Older and Show all: the list changes in place. */
export function listenForPages(app: App, context: ListenerContext): void {
  for (const action of [ACTIONS.filesPrevious, ACTIONS.filesNext, ACTIONS.filesShowAll])
    onPress(app, context, {
      action,
      doing: 'list',
      replace: true,
      value: filesPageValue,
      handle: turnPage,
    });
}

// The folder is the channel's as it is now, whatever the button claims.
function turnPage(
  asked: Asked,
  { page, filter }: FilesPageClaim,
  context: ListenerContext,
): Promise<StagedView> {
  return showFiles({ ...asked, page, filter, notice: null }, context);
}

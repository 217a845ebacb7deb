import { onMessageShortcut } from '../kit/message-shortcut.ts';
import { onPress } from '../kit/press.ts';
import type { Surface } from '../kit/surface.ts';
import { FILE_SHARE, RETRY_SHARE } from './actions.ts';
import { fileShare } from './file-share.ts';
import { listenForShares } from './listen-for-shares.ts';
import { retryShare } from './retry-share.ts';
import { showWhere } from './where-filed.ts';

/** Where the files of a message are: its reaction, its line, and “Where is this filed?”. */
export const shareLine: Surface = {
  listens: [
    listenForShares,
    onPress([RETRY_SHARE], { doing: 'retry', replace: false, handle: retryShare }),
    onPress([FILE_SHARE], { doing: 'file-earlier', replace: false, handle: fileShare }),
    onMessageShortcut('where_filed', {
      ...{ doing: 'list', handle: showWhere },
      title: 'Where is this filed?',
    }),
  ],
};

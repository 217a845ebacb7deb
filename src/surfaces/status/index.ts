import { unknownVerb } from '../help/help.ts';
import { onPress } from '../kit/press.ts';
import type { Surface } from '../kit/surface.ts';
import { ATTENTION_PAGES, ATTENTION_RELINK, ATTENTION_RETRY, ATTENTION_SKIP } from './actions.ts';
import { FIRST_PAGES, relink, retryAll, showAttention, skipAll } from './attention.ts';

const attention = { inHome: true, command: '/files status' } as const;

/** The files that need somebody, also in the App Home. */
export const status: Surface = {
  verbs: [
    {
      name: 'status',
      doing: 'status',
      // Further words are probably those of a file's name.
      run: async (asked, { rest }, context) =>
        rest
          ? unknownVerb({ typed: `status ${rest}`, nearest: 'status' })
          : showAttention(asked, FIRST_PAGES, context),
    },
  ],
  help: [['/files status', 'files that are stuck, and what to do']],
  listens: [
    onPress([ATTENTION_RETRY], { ...attention, doing: 'retry', handle: retryAll }),
    onPress([ATTENTION_RELINK], { ...attention, doing: 'link', replace: false, handle: relink }),
    onPress([ATTENTION_SKIP], { ...attention, doing: 'skip', handle: skipAll }),
    onPress(Object.values(ATTENTION_PAGES), {
      ...{ ...attention, doing: 'status' },
      handle: showAttention,
    }),
  ],
};

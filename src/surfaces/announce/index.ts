import { closest } from 'fastest-levenshtein';
import { unknownVerb } from '../help/help.ts';
import type { Surface } from '../kit/surface.ts';
import { announceAdded } from '../link/link-channel.ts';

/** Messages about files that others add to a channel's folder. */
export const announce: Surface = {
  verbs: [
    {
      name: 'announce',
      doing: 'announce',
      // Without `on` or `off`, the current setting is shown.
      run: async (asked, { rest }, context) => {
        const wanted = rest.toLowerCase();
        if (wanted === '') return announceAdded(asked, null, context);
        if (wanted === 'on' || wanted === 'off')
          return announceAdded(asked, wanted === 'on', context);
        const nearest = `announce ${closest(wanted, ['on', 'off'])}`;
        return unknownVerb({ typed: `announce ${rest}`, nearest });
      },
    },
  ],
  help: [
    [
      '/files announce on',
      'post when others add files to the folder',
      ({ mayLink, hasFolder, isDefault, isDirect }) =>
        mayLink && hasFolder && !isDefault && !isDirect,
    ],
  ],
};

import type { Surface } from '../kit/surface.ts';
import { noRenaming, noSignIn } from './help.ts';
import { listenForWords, showHelp, showUpload } from './show-help.ts';

/** What one may type, and where the files of a channel go. */
export const help: Surface = {
  verbs: [
    {
      ...{ name: 'help', synonyms: ['?', '-h', '-help', '--help', 'commands'], doing: 'help' },
      run: (asked, _, context) => showHelp(asked, context),
    },
    {
      ...{ name: 'upload', synonyms: ['add', 'put', 'save'], isGuessed: false, doing: 'help' },
      run: (asked, _, context) => showUpload(asked, context),
    },
    {
      ...{ name: 'rename', synonyms: ['mv', 'move'], isGuessed: false, doing: 'help' },
      run: async () => noRenaming(),
    },
    {
      name: 'sign-in',
      synonyms: ['login', 'signin', 'auth', 'connect', 'logout', 'signout'],
      ...{ isGuessed: false, doing: 'list' },
      run: async () => noSignIn(),
    },
  ],
  help: [['/files help', 'all commands']],
  listens: [listenForWords],
};

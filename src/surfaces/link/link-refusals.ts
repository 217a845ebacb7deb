import type { FolderRef, Refusal } from '../../core/index.ts';
import type { View } from '../kit/layout.ts';
import {
  type AboutChannel,
  ask,
  LINKERS,
  type Line,
  line,
  OTHER_WORKSPACE,
  type Reader,
  say,
} from '../kit/prose.ts';
import { Service, service } from '../kit/service-name.ts';
import { cleanText } from '../kit/text.ts';
import { linkButton } from './link-messages.ts';

const EXAMPLE = { command: '/files link 12/345' };
const USE_FOLDERS = line`${{ command: '/folders' }} shows the folders.`;

/** Why a channel is not linked to the folder that somebody named. */
export type LinkRefusal =
  | Refusal
  | 'no-such-folder'
  | 'forbidden'
  | 'unreadable-target'
  /** Longer than any address or path of folders: see MAX_ADDRESS_LENGTH. */
  | 'too-long'
  | 'ambiguous-name'
  /** The account does not list the names of its folders. */
  | 'no-names'
  /** The name is not among those that could be read, and there may be more. */
  | 'not-all-read'
  /** A name without a project, when there are too many projects to search. */
  | 'which-project'
  /** A name that a project has, and no folder that could be searched. */
  | 'only-a-project'
  /** A web address outside the account. */
  | 'other-address';

// Whole, so that it can be copied.
function linkCommand(target: string) {
  return { command: cleanText(`/files link ${target}`) };
}

interface LinkAsker extends Pick<Reader, 'linkBy' | 'isDirect'> {
  /** The folder itself, once it is found. Default: none, it is named as it was typed. */
  folder?: FolderRef;
  /** The folder that may have been meant, as it is typed. Default: null, none is nearly that. */
  nearest?: string | null;
}

function named(typed: string, { folder }: LinkAsker): Line {
  return folder?.folderName ? [{ folder }] : [{ typed }];
}

const PASTE_ADDRESS = 'Paste the folder’s web address.';
const PASTE_OR_TYPE = 'Paste the folder’s web address, or type its numbers, like 12/345.';

const MAY_NOT_LINK: Record<LinkRefusal, (typed: string, asked: LinkAsker) => Line> = {
  'not-allowed': (typed, { isDirect }) =>
    isDirect
      ? line`Only workspace admins can link their direct messages with me. Share files in a channel with a folder instead.`
      : line`Only workspace admins can choose a channel’s folder. Ask one of them to type ${linkCommand(typed)} here.`,
  guest: (_typed, { linkBy }) => [
    `Only ${LINKERS[linkBy]} can choose a channel’s folder. Ask one of them.`,
  ],
  'other-workspace': () => [OTHER_WORKSPACE],
  'no-such-folder': (typed, { nearest = null, ...asker }) =>
    line`There’s no folder ${named(typed, asker)} in ${service()}.${nearest === null ? '' : line` Did you mean ${{ typed: nearest }}?`}`,
  forbidden: (typed, asker) =>
    line`${Service()} doesn’t let me into the folder ${named(typed, asker)}. Ask for access, or choose another.`,
  'unreadable-target': (typed) => line`${{ typed }} isn’t a folder. ${PASTE_OR_TYPE}`,
  'too-long': () => [`That’s too long for a folder’s address. ${PASTE_OR_TYPE}`],
  'no-names': () => line`${Service()} doesn’t list its folders. ${PASTE_OR_TYPE}`,
  'not-all-read': (typed) =>
    line`${{ typed }} isn’t among the folders that I could read. ${PASTE_ADDRESS}`,
  'which-project': (typed) =>
    line`In which project? Type its name first: ${{ typed: `<project>/${typed}` }}.`,
  'only-a-project': (typed) =>
    line`${{ typed }} is a project. Add a folder of it: ${{ typed: `${typed}/<folder>` }}.`,
  'other-address': (typed) =>
    line`${{ typed }} isn’t a folder’s address in ${service()}. Copy it from the folder there.`,
  'ambiguous-name': (typed) => line`There’s more than one folder ${{ typed }}. ${PASTE_ADDRESS}`,
};

/** Refusals where a list of folders does not help. */
const OF_ANY_FOLDER: LinkRefusal[] = [
  ...(['not-allowed', 'guest', 'other-workspace', 'no-names', 'not-all-read'] as const),
];

interface LinkRefusedInput extends LinkAsker {
  reason: LinkRefusal;
  typed: string;
}

/** The private response to a refused link; `typed`: the folder as the person typed it. */
export function linkRefused({ reason, typed, ...asker }: LinkRefusedInput): View {
  const next = OF_ANY_FOLDER.includes(reason) ? '' : line` ${USE_FOLDERS}`;
  return say(line`${MAY_NOT_LINK[reason](typed, asker)}${next}`);
}

/** The same beside a field of a form. */
export function linkRefusal({ reason, typed, ...asker }: LinkRefusedInput): Line {
  return MAY_NOT_LINK[reason](typed, asker);
}

/** The private response when Slack does not open the form that chooses a channel's folder. */
export function linkUsage(about: AboutChannel): View {
  const { elsewhere: channel } = about;
  const whose = channel === undefined ? '' : line` for ${{ channel }}`;
  const where = channel === undefined ? '' : ' there';
  return ask(
    [
      line`Slack didn’t let me open the form${whose}. Press the button to try again, or type${where} which folder, like ${EXAMPLE} or ${{ command: '/files link Project/Folder' }}.`,
    ],
    [linkButton(about)],
  );
}

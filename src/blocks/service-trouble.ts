import type { ErrorCode } from '../base/index.ts';
import { counted, shownSpan } from './format.ts';
import { smallPrint } from './layout.ts';
import { line, say, type View } from './prose.ts';
import { reasonFor } from './reasons.ts';
import { cleanText, cut } from './text.ts';

/** What a command or a button was about. */
export type Doing =
  | 'list'
  | 'delete'
  | 'folders'
  | 'link'
  | 'unlink'
  | 'file-earlier'
  | 'stop-filing'
  | 'retry';

export interface ServiceTroubleInput {
  code: ErrorCode;
  /** What the service said of it, for codes that do not tell the reason; null when it said nothing. */
  note: string | null;
  /** What the service asked to wait, milliseconds. */
  retryAfterMs: number | null;
  /** What finds this in the log; null when there is nothing to find. */
  reference: string | null;
  doing: Doing;
}

// After these a delete may have taken effect all the same.
const UNCERTAIN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'LEDGER_UNAVAILABLE',
  'SERVICE_BAD_ANSWER',
  'SERVICE_FAILED',
  'SERVICE_TIMEOUT',
  'SERVICE_UNREACHABLE',
  'UNEXPECTED',
]);

const FAILED: Record<Doing, string> = {
  list: 'I couldn’t list the files',
  delete: 'The file wasn’t deleted',
  folders: 'I couldn’t list the folders',
  link: 'The channel wasn’t linked',
  unlink: 'The channel wasn’t unlinked',
  'file-earlier': 'The earlier files weren’t filed',
  'stop-filing': 'Filing wasn’t stopped',
  retry: 'The files weren’t tried again',
};

/** The private answer to a command or a button that an error stopped: what, why, and what next. */
export function serviceTrouble(input: ServiceTroubleInput): View {
  const { code, note, reference } = input;
  const failed = mayHaveDeleted(input) ? 'The file may not have been deleted' : FAILED[input.doing];
  const view = say([`${failed}: ${reasonFor(code, note).why}. ${nextStep(input)}`]);
  if (reference === null) return view;
  const shown = smallPrint(`Reference: ${cut(cleanText(reference), 100)}`);
  return { ...view, blocks: [...view.blocks, shown] };
}

function mayHaveDeleted({ code, doing }: ServiceTroubleInput): boolean {
  return doing === 'delete' && UNCERTAIN.has(code);
}

function nextStep(input: ServiceTroubleInput): string {
  const { code, retryAfterMs } = input;
  const lasting = LASTING[code];
  if (lasting !== undefined) return lasting;
  const when = retryAfterMs === null ? 'in a minute' : `in about ${shownSpan(retryAfterMs)}`;
  if (!mayHaveDeleted(input)) return `Try again ${when}.`;
  return `Type /files ${when}: if the file’s still there, delete it again.`;
}

/** What waiting does not mend. */
const LASTING: Partial<Record<ErrorCode, string>> = {
  CONFIG_INVALID: 'Ask whoever runs Pigeonhole to look at its settings.',
  LEDGER_CORRUPT: 'Tell whoever runs Pigeonhole.',
  LEDGER_IN_USE: 'Tell whoever runs Pigeonhole.',
  LEDGER_TOO_NEW: 'Ask whoever runs Pigeonhole to update it.',
  SERVICE_BAD_REQUEST: 'Tell whoever runs Pigeonhole.',
  SERVICE_REFUSED: 'If it’s refused again, tell whoever runs Pigeonhole.',
  SERVICE_UNAUTHORIZED: 'The person who runs Pigeonhole needs to put in a valid key.',
  SERVICE_FORBIDDEN:
    'Ask for access to the folder, or link this channel to another one with /files link.',
  SERVICE_NOT_FOUND: 'Link this channel to another folder with /files link.',
  SLACK_REFUSED: 'Try again in a minute; if it goes on, tell whoever runs Pigeonhole.',
  DESTINATION_GONE: 'Link this channel to another folder with /files link.',
};

/** Said in private to who linked a channel, when the service does not accept the key any more. */
export function keyRefused(): View {
  return say(
    line`The file service no longer accepts Pigeonhole’s key, so files shared in Slack are waiting. Nothing is lost.`,
    line`Please ask the person who runs Pigeonhole to put in a valid key. Filing goes on by itself once the key works. I’m telling you because you linked a channel whose files are waiting.`,
  );
}

/** Said privately to somebody who shared files that cannot even be written down. */
export function notRecorded({ files }: { files: number }): View {
  const { why, next } = reasonFor('LEDGER_UNRECORDABLE');
  return say([`I couldn’t file ${counted(files, 'file')} that you shared here: ${why}. ${next}`]);
}

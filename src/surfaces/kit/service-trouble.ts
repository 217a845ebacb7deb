import type { ErrorCode } from '../../base/index.ts';
import type { View } from './layout.ts';
import {
  type Line,
  line,
  ONE_WHO_LINKS,
  type Operator,
  type Reader,
  say,
  withOperator,
  withReference,
} from './prose.ts';
import { whyAndNext, whyOf } from './reasons.ts';
import { agreeing, counted, shownSpan } from './text.ts';

export interface ServiceTroubleInput extends Pick<Reader, 'linkBy'> {
  code: ErrorCode;
  /** The service's own message, for codes that do not tell the reason; null when it gave none. */
  note: string | null;
  /** How long the service asked to wait, milliseconds. */
  retryAfterMs: number | null;
  /** Finds this failure in the log; null when nothing was logged. */
  reference: string | null;
  doing: Doing;
  operator: Operator;
}

// After these errors a delete may still have taken effect.
const UNCERTAIN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'LEDGER_UNAVAILABLE',
  'SERVICE_BAD_ANSWER',
  'SERVICE_FAILED',
  'SERVICE_TIMEOUT',
  'SERVICE_UNREACHABLE',
  'UNEXPECTED',
]);

/** What could not be done, for each command and button. */
export const FAILED = {
  help: 'I couldn’t answer',
  list: 'I couldn’t list the files',
  delete: 'The file wasn’t deleted',
  'put-back': 'The file wasn’t put back',
  file: 'I couldn’t do that',
  folders: 'I couldn’t list the folders',
  link: 'Nothing was linked',
  save: 'The files weren’t saved',
  unlink: 'Nothing was unlinked',
  announce: 'Announcements weren’t changed',
  'file-earlier': 'The earlier files weren’t filed',
  'stop-filing': 'Filing wasn’t stopped',
  retry: 'The files weren’t tried again',
  skip: 'The files weren’t left in Slack',
  status: 'I couldn’t look up stuck files',
};

/** What a command or a button was about. */
export type Doing = keyof typeof FAILED;

/** The private response when an error stops a command or a button: what, why, and what next. */
export function serviceTrouble(input: ServiceTroubleInput): View {
  return withReference(say(troubleLine(input)), input.reference);
}

/** The text of `serviceTrouble`, for beside a field of a form. */
export function troubleLine(input: ServiceTroubleInput): Line {
  const why = whyOf(input.code, input.note);
  if (!mayHaveDeleted(input)) return line`${FAILED[input.doing]}: ${why}. ${tryAgain(input)}`;
  return line`The file may still be there: ${why}. Look with /files ${whenAgain(input)}.`;
}

/** Whether a failed delete may still have taken effect. */
export function mayHaveDeleted({ code, doing }: ServiceTroubleInput): boolean {
  return doing === 'delete' && UNCERTAIN.has(code);
}

/** Says how long to wait before trying again, or what to do when waiting does not help. */
export function tryAgain(input: ServiceTroubleInput): Line {
  const next = LASTING[input.code] ?? `Try again ${whenAgain(input)}.`;
  return withOperator(next.replace('{linker}', ONE_WHO_LINKS[input.linkBy]), input.operator);
}

function whenAgain({ code, retryAfterMs }: ServiceTroubleInput): string {
  // Another process, which Slack may ask next, sends.
  if (code === 'SERVICE_LIMIT_AWAY') return 'in a moment';
  return retryAfterMs === null ? 'in a minute' : `in about ${shownSpan(retryAfterMs)}`;
}

const RELINK = '{linker} choose another folder with /files link.';

/** What to do about errors that waiting does not fix; `{linker}`: who may link the channel. */
const LASTING: Partial<Record<ErrorCode, string>> = {
  CONFIG_INVALID: 'Contact {operator}: the settings need a look.',
  LEDGER_CORRUPT: 'Contact {operator}.',
  LEDGER_IN_USE: 'Contact {operator}.',
  LEDGER_TOO_OLD: 'Contact {operator}.',
  LEDGER_TOO_NEW: 'Contact {operator}: Pigeonhole needs an update.',
  SERVICE_BAD_REQUEST: 'Contact {operator}.',
  SERVICE_REFUSED: 'If it’s refused again, contact {operator}.',
  SERVICE_UNAUTHORIZED: 'Ask {operator} to fix it.',
  SERVICE_FORBIDDEN: `Ask for access. ${RELINK}`,
  SERVICE_NOT_FOUND: RELINK,
  SLACK_REFUSED: 'Try again in a minute. If it keeps happening, contact {operator}.',
  DESTINATION_GONE: RELINK,
};

/** Sent privately to a person who shared files that the ledger cannot record. */
export function notRecorded({ files, operator }: { files: number; operator: Operator }): View {
  const what = `${counted(files, 'file')} that you shared here ${agreeing(files).were}n’t filed`;
  return say(
    line`${what}: ${whyAndNext({ problem: 'LEDGER_UNRECORDABLE' }, { operator, count: files })}`,
  );
}

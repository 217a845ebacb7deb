import { resolve } from 'node:path';
import type { ProfileName } from './file-service/index.ts';
import type { PageAddress } from './page-server/index.ts';
import type { ShareOutcome } from './share-files.ts';

interface WelcomeInput extends PageAddress {
  dataDir: string;
  /** The file service's profile. */
  profile: ProfileName;
}

const ANSWERS: Record<ProfileName, string> = {
  specified: 'as its documentation says. With --service real it answers as real accounts do.',
  real: 'as real accounts do. Without --service real it answers as its documentation says.',
};

/** Returns the terminal text for a started playground. */
export function welcome({ address, movedFrom, dataDir, profile }: WelcomeInput): string {
  return [
    '',
    '  Pigeonhole’s playground is open:',
    '',
    `    ${address}`,
    ...movedLine(movedFrom),
    '',
    '  A small Slack on the left, a file service on the right, and the real app between them.',
    '  Try: share a file in #general · type /files · delete a file · link #design as Ada',
    '       · make the service “be down” and share a file meanwhile.',
    '',
    `  The service answers ${ANSWERS[profile]}`,
    `  The service keeps its files in ${resolve(dataDir)}; --fresh begins anew.`,
    '  The messages in Slack are lost when you stop the playground. Ctrl-C stops it.',
    '',
  ].join('\n');
}

/** Returns the terminal text for a started replay. */
export function replayWelcome({ address, movedFrom }: PageAddress): string {
  return [
    '',
    '  The replay is open:',
    '',
    `    ${address}`,
    ...movedLine(movedFrom),
    '',
    '  Step with the buttons or ← and →; with Shift, to the next event that changes something.',
    '  Click an event to jump to it. Ctrl-C ends it.',
    '',
  ].join('\n');
}

function movedLine(movedFrom: number | null): string[] {
  return movedFrom === null ? [] : ['', `  (Port ${movedFrom} is taken, so this is another.)`];
}

/** Returns the terminal line about one file that `--share` shared. */
export function shareLine({ path, record }: ShareOutcome): string {
  if (!record) return `  ✗ ${path}: not filed in time`;
  const bytes = record.sameBytes ? 'sha256 equal' : 'sha256 DIFFERENT';
  return `  ${record.sameBytes ? '✓' : '✗'} ${path}: ${record.folder}, record ${record.id}, ${bytes}`;
}

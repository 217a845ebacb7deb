import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from './errors.ts';
import { isProfileName, type ProfileName } from './file-service/index.ts';
import type { PageAddress } from './page-server/local-server.ts';
import type { ShareOutcome } from './share-files.ts';

/** The command-line options of `npm run playground`. */
export interface PlaygroundOptions {
  /** The page's port; 0 is any that is free. */
  port: number;
  /** Where the playground keeps its files, apart from real data. */
  dataDir: string;
  /** The embedded file service's initial profile. */
  profile: ProfileName;
  /** Whether `dataDir` is emptied first. */
  fresh: boolean;
  /** Files on disk that are shared in #general at the start. */
  share: string[];
  /** Whether to exit after these files; the exit code is 0 if all were filed intact, else 1. */
  exit: boolean;
  /** A recording that the page shows in place of a running app; null: none. */
  replay: string | null;
  /** Whether the app's log is shown. */
  verbose: boolean;
  help: boolean;
}

export const USAGE = `npm run playground -- [options]

Tries Pigeonhole in the browser, with a Slack and a file service of its own.

  --port N          the page's port (default 4100, or PLAYGROUND_PORT)
  --data DIR        where it keeps its files (default ./data/playground): a folder
                    that is new, empty or its own
  --service NAME    how the file service answers: "specified", as its documentation
                    says (default), or "real", as real accounts do
  --fresh           begins anew: empties that folder first
  --share FILE…     shares these files in #general and says what came of each
  --exit            with --share: ends afterwards; exit code 0 only if every file
                    was filed byte for byte
  --replay FILE     shows a simulated world step by step, as "npm run sim -- --seed N
                    --out FILE" wrote it; nothing runs behind the page then
  --verbose         shows the app's log
  --help            this text`;

const DEFAULT_PORT = 4100;

const OPTIONS = {
  port: { type: 'string' },
  data: { type: 'string', default: './data/playground' },
  service: { type: 'string', default: 'specified' },
  fresh: { type: 'boolean', default: false },
  share: { type: 'string', multiple: true },
  exit: { type: 'boolean', default: false },
  replay: { type: 'string' },
  verbose: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** npm has options of these names. */
const OF_NPM = ['help', 'verbose'];

/** Throws `UsageError` if npm took an option for one of its own, as it does without a `--` before. */
export function requireDashes(environment: Record<string, string | undefined>): void {
  const own = Object.keys(OPTIONS).filter((name) => !OF_NPM.includes(name));
  const kept = own.find((name) => environment[`npm_config_${name}`] !== undefined);
  if (kept === undefined) return;
  throw new UsageError(`npm kept --${kept} for itself. Type: npm run playground -- --${kept}`);
}

/** Reads the command line; files may follow `--share` one after another. Throws `UsageError`. */
export function readPlaygroundOptions(
  args: readonly string[],
  defaultPort: string | undefined,
): PlaygroundOptions {
  const { values, positionals } = parse(args);
  const { data: dataDir, fresh, exit, verbose, help, share: named = [], replay = null } = values;
  if (positionals.length > 0 && named.length === 0) {
    throw new UsageError(`Unknown option: ${positionals[0]}. Files to share come after --share.`);
  }
  const share = [...named, ...positionals];
  if (exit && share.length === 0)
    throw new UsageError('--exit needs files to share: --share FILE.');
  if (replay !== null && (share.length > 0 || fresh))
    throw new UsageError('--replay only shows what was recorded: leave --share and --fresh out.');
  const port = readPort(values.port ?? defaultPort);
  const profile = readProfile(values.service);
  return { port, dataDir, profile, fresh, share, exit, replay, verbose, help };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [firstSentence = ''] = String(error instanceof Error ? error.message : error).split('. ');
    const reason = firstSentence
      .replace(/^Option '(--\w+) <value>' argument missing$/, '$1 needs a value')
      .replace(/\.$/, '');
    throw new UsageError(`${reason}.`);
  }
}

function readProfile(name: string): ProfileName {
  if (isProfileName(name)) return name;
  throw new UsageError(`--service is "specified" or "real", not "${name}".`);
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`The port must be a number up to 65535, not "${text}".`);
}

interface WelcomeInput extends PageAddress {
  dataDir: string;
  /** The file service's profile. */
  profile: ProfileName;
}

const RESPONSES: Record<ProfileName, string> = {
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
    '       · make the service “be down” under Faults, and share a file.',
    '',
    `  The service answers ${RESPONSES[profile]}`,
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

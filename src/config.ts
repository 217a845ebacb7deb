import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { codeIn, PigeonholeError } from './base/index.ts';
import type { Destination } from './core/index.ts';
import { expectedOf, SETTINGS, type Setting, settings } from './settings.ts';

export type Config = Readonly<
  ReturnType<typeof toConfig> & {
    /** Whether the host may keep no files across restarts. */
    losesFiles: boolean;
  }
>;

const WAYS_TO_CONNECT =
  'an app-level token, which begins with xapp- (Socket Mode: no public address needed), or else SLACK_SIGNING_SECRET, the signing secret (HTTPS: Slack calls your public address); both are under Basic Information in your Slack app';

/** Variables by name, as the environment has them. */
export type Given = Record<string, string | undefined>;

interface Problem {
  name: Setting;
  expected: string;
}

// Returns the problems that two settings have together.
function jointProblems(given: Given): Problem[] {
  const problems: Problem[] = [];
  if (!given['SLACK_SIGNING_SECRET'] && !given['SLACK_APP_TOKEN'])
    problems.push({ name: 'SLACK_APP_TOKEN', expected: WAYS_TO_CONNECT });
  for (const [name, other] of [
    ['FILES_PROJECT_ID', 'FILES_FOLDER_ID'],
    ['FILES_FOLDER_ID', 'FILES_PROJECT_ID'],
  ] as const)
    if (!given[name] && given[other])
      problems.push({ name, expected: `a number as well, as ${other} is set` });
  return problems;
}

/**
 * Reads all settings, without spaces around their values. Throws CONFIG_INVALID, whose message lists
 * every problem with what was expected; it shows only values that are not secret.
 */
export function loadConfig(env: Given): Config {
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim()]);
  const given: Given = Object.fromEntries(trimmed.filter(([, value]) => value));
  const result = settings.safeParse(given, { reportInput: false });
  const problems = [...singleProblems(result.error), ...jointProblems(given)];
  if (result.success && problems.length === 0)
    return Object.freeze({ ...toConfig(result.data), losesFiles: isDyno(given) });
  throw new PigeonholeError('CONFIG_INVALID', complaint(problems, given));
}

/**
 * Adds unset variables from `.env`, if it exists, to the environment and returns it: the file may
 * also set what libraries such as PostgreSQL's read. Throws CONFIG_INVALID for an unreadable file.
 */
export function readEnvironment(path = '.env'): Given {
  try {
    // Some editors begin a file with a byte order mark.
    const content = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    for (const [name, value] of Object.entries(parseEnv(content))) process.env[name] ??= value;
  } catch (error) {
    const code = error instanceof Error ? codeIn(error) : '';
    if (code === 'ENOENT') return process.env;
    const problem = `${path} cannot be read (${code}); make it a file that Pigeonhole’s user may read`;
    throw new PigeonholeError('CONFIG_INVALID', problem, { cause: error });
  }
  return process.env;
}

/** Heroku sets it in each of its dynos: https://devcenter.heroku.com/articles/dynos */
function isDyno(given: Given): boolean {
  return given['DYNO'] !== undefined;
}

function toConfig(values: z.infer<typeof settings>) {
  const { FILES_PROJECT_ID: projectId, FILES_FOLDER_ID: folderId } = values;
  const destination: Destination | null = projectId && folderId ? { projectId, folderId } : null;
  return {
    slack: {
      botToken: values.SLACK_BOT_TOKEN,
      signingSecret: values.SLACK_SIGNING_SECRET ?? null,
      /** If set, Slack is connected by Socket Mode. */
      appToken: values.SLACK_APP_TOKEN ?? null,
      slackApiUrl: values.SLACK_API_URL,
    },
    files: {
      accountUrl: values.FILES_ACCOUNT_URL,
      apiKey: values.FILES_API_KEY,
      contact: values.FILES_CONTACT,
      /** What people read as the service's name, as it stands within a sentence. */
      name: values.FILES_NAME,
      /** A folder's address, with `{project}` and `{folder}` for its numbers; null: unknown. */
      folderUrl: values.FILES_FOLDER_URL ?? null,
      /** The destination of channels that have no link of their own. */
      destination,
      rateLimit: values.FILES_RATE_LIMIT,
    },
    /** PostgreSQL's address; null: SQLite in `dataDir`. */
    databaseUrl: values.DATABASE_URL ?? null,
    /** The TLS to PostgreSQL, whatever its address says; null: as that says. */
    postgresTls: values.PGSSLMODE ?? null,
    dataDir: values.DATA_DIR,
    /** Redis's address, for one rate limit for all instances; null: each has its own. */
    redisUrl: values.REDIS_URL ?? null,
    /** What happens to a filed copy when its file or message is deleted in Slack. */
    onSlackDelete: values.ON_SLACK_DELETE,
    /** See Operator in `surfaces/kit/prose.ts`; null when not set. */
    operator: values.OPERATOR ?? null,
    linkBy: values.LINK_BY,
    /** False: the certificate of a `rediss:` server is not verified. */
    redisTlsVerify: values.REDIS_TLS_VERIFY === 'true',
    port: values.PORT,
    /**
     * The address to listen on; null: all of the machine's addresses. In Socket Mode only this
     * machine's own probes need to reach it.
     */
    host: values.HOST ?? (values.SLACK_APP_TOKEN === undefined ? null : '127.0.0.1'),
    logLevel: values.LOG_LEVEL,
  };
}

// Shown in a complaint, so that a typing mistake is seen. All others may be secret, and so may what
// is longer than any of these: a line further up or down in the settings.
const MAX_SHOWN_LENGTH = 16;
const SHOWN = new Set([
  'FILES_PROJECT_ID',
  'FILES_FOLDER_ID',
  'FILES_RATE_LIMIT',
  'LINK_BY',
  'ON_SLACK_DELETE',
  'PGSSLMODE',
  'REDIS_TLS_VERIFY',
  'PORT',
  'LOG_LEVEL',
]);

function singleProblems(error: z.ZodError | undefined): Problem[] {
  const wrong = new Set(error?.issues.map(({ path }) => path[0]));
  return SETTINGS.filter((name) => wrong.has(name)).map((name) => ({
    name,
    expected: expectedOf(name),
  }));
}

function complaint(problems: Problem[], given: Given): string {
  const slips = mistypedNames(given);
  const lines = problems.map(({ name, expected }) => {
    const value = given[name];
    const isShown = SHOWN.has(name) && value !== undefined && value.length <= MAX_SHOWN_LENGTH;
    const shown = isShown ? `it is "${value}"` : 'the value given doesn’t match';
    const slip = slips.find(({ meant }) => meant === name);
    const unset = `it is not set${slip ? `, but ${slip.name} is` : ''}`;
    return `  ${name}: expected ${expected}; ${value === undefined ? unset : shown}.`;
  });
  return ['These settings need your attention (see .env.sample):', ...lines].join('\n');
}

/** Names as short as PORT and HOST are near to too many others. */
const SHORTEST_MISTYPED = 7;
/** One letter in five may be wrong, or missing, and no more than two. */
const slipsIn = (name: string) => Math.min(2, Math.floor(name.length / 5));

/** Returns the names of variables that look like that of a setting which is not set. */
export function mistypedNames(env: Given): { name: string; meant: Setting }[] {
  const unset = SETTINGS.filter((name) => name.length >= SHORTEST_MISTYPED && !env[name]);
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || name in settings.shape) return [];
    const meant = unset.find((one) => distance(one, name.toUpperCase()) <= slipsIn(one));
    return meant ? [{ name, meant }] : [];
  });
}

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { codeIn, LOG_LEVELS, PigeonholeError } from './base/index.ts';
import { type Destination, LINK_BY, ON_SLACK_DELETE } from './transfers/index.ts';

export type Config = Readonly<
  ReturnType<typeof toConfig> & {
    /** Whether the host may keep no files across restarts. */
    losesFiles: boolean;
  }
>;

const text = z.string();
// What a header may hold; also catches a stray mark copied with a secret from its page, and the
// quotation marks that some tools leave around what they read from a file.
const headerText = text.regex(/^(?!(["']).*\1$)[\x21-\x7e]+$/);
const NO_STRAYS = 'spaces, line breaks, quotation marks around it or characters outside ASCII';
// No : or /, so that a URL with a password is not taken for one and sent to the service.
const EMAIL = /^[^\s()<>@:/]+@[^\s()<>@:/]+$/;
// Requests per seconds, neither of them 0.
const RATE = /^(?!0+\/)\d{1,4}\/(?!0+s)\d{1,4}s$/;
const id = text.regex(/^[1-9]\d{0,14}$/).transform(Number);

/** All settings; each description says what the value must be. */
const settings = z.object({
  SLACK_BOT_TOKEN: headerText
    .regex(/^xoxb-/)
    .describe(
      `the bot token, which begins with xoxb-, without ${NO_STRAYS} (OAuth & Permissions in your Slack app)`,
    ),
  SLACK_SIGNING_SECRET: headerText
    .regex(/^(?!xox|xapp-)/)
    .optional()
    .describe(
      `the signing secret, which isn’t a token, without ${NO_STRAYS} (Basic Information in your Slack app)`,
    ),
  SLACK_APP_TOKEN: headerText
    .regex(/^xapp-/)
    .optional()
    .describe(
      `an app-level token, which begins with xapp-, without ${NO_STRAYS} (Basic Information)`,
    ),
  SLACK_API_URL: text
    .default('https://slack.com/api/')
    .refine(isSafeUrl)
    .describe(
      'an https address without a password, ? or # in it (plain http only for this machine itself)',
    ),
  FILES_ACCOUNT_URL: text
    .refine(isSafeUrl)
    // Normalized, because instances that share the account's rate limit are matched by it. The
    // service's documentation gives the address of its API (service interface, section 1).
    .transform((value) => new URL(value).href.replace(/(\/api\/v3)?\/*$/, ''))
    .describe(
      'the https address of your account in the file service (it begins with https://), without a password, ? or # in it',
    ),
  FILES_API_KEY: headerText.describe(
    `the API key from your profile in the file service, without ${NO_STRAYS}`,
  ),
  FILES_CONTACT: headerText
    .regex(EMAIL)
    .describe(
      'an e-mail address by which the service can reach you, in plain ASCII (write a domain with other letters in its form that begins with xn--)',
    ),
  FILES_PROJECT_ID: id.optional().describe('a whole number above 0'),
  FILES_FOLDER_ID: id.optional().describe('a whole number above 0'),
  FILES_RATE_LIMIT: text
    .regex(RATE)
    .default('25/10s')
    .transform(parseRate)
    .describe('requests per seconds, like 25/10s'),
  DATABASE_URL: text
    .regex(/^postgres(ql)?:\/\//)
    .refine(isServerAddress)
    .optional()
    .describe(
      'postgres://user:password@host/name, with signs like / # ? % in the password written as %2F %23 %3F %25',
    ),
  // PostgreSQL's driver takes any other mode for no TLS at all.
  PGSSLMODE: text
    .regex(/^(disable|prefer|require|verify-ca|verify-full|no-verify)$/)
    .optional()
    .describe('require, no-verify, verify-full, verify-ca, prefer or disable'),
  // A database address here would create a folder with the password in its name; what only a shell
  // expands, a folder of that name.
  DATA_DIR: text
    .regex(/^(?!\w+:\/\/|~|.*\$[\w{])/)
    .default('./data')
    .describe('a folder for the database, written out: without ~ or $'),
  REDIS_URL: text
    .regex(/^rediss?:\/\/[^/]/)
    .refine(isServerAddress)
    .refine((value) => /^\/?\d*$/.test(URL.parse(value)?.pathname ?? ''))
    .optional()
    .describe(
      'redis://host:port, with signs like / # ? % in a password written as %2F %23 %3F %25',
    ),
  ON_SLACK_DELETE: z.enum(ON_SLACK_DELETE).default('ask').describe('ask, keep or follow'),
  OPERATOR: text
    .max(80)
    .refine(isOperator)
    .optional()
    .describe(
      'who runs Pigeonhole: a Slack member ID like U012ABCDEF (Copy member ID, in their profile), an e-mail address, an https address, or a name without digits',
    ),
  LINK_BY: z.enum(LINK_BY).default('admins').describe('admins or members'),
  REDIS_TLS_VERIFY: z.enum(['true', 'false']).default('true').describe('true or false'),
  PORT: text
    .regex(/^\d+$/)
    .transform(Number)
    .refine((port) => port <= 65535)
    .default(3000)
    .describe('a port number up to 65535'),
  HOST: text
    .regex(/^[a-z0-9_.:-]+$/i)
    .optional()
    .describe('an address or name of this machine, like 127.0.0.1 or 0.0.0.0'),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('debug, info, warn, error or silent'),
});

type Setting = keyof typeof settings.shape;

const WAYS_TO_CONNECT =
  'an app-level token, which begins with xapp- (Socket Mode: no public address needed), or else SLACK_SIGNING_SECRET, the signing secret (HTTPS: Slack calls your public address); both are under Basic Information in your Slack app';

/** The names of all settings. */
export const SETTINGS = Object.keys(settings.shape) as Setting[];

/** Variables by name, as the environment has them. */
type Given = Record<string, string | undefined>;

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
      /** The destination of channels that have no link of their own. */
      destination,
      rateLimit: values.FILES_RATE_LIMIT,
    },
    /** PostgreSQL's address; null: SQLite in `dataDir`. */
    databaseUrl: values.DATABASE_URL ?? null,
    dataDir: values.DATA_DIR,
    /** Redis's address, for one rate limit for all instances; null: each has its own. */
    redisUrl: values.REDIS_URL ?? null,
    /** What happens to a filed copy when its file or message is deleted in Slack. */
    onSlackDelete: values.ON_SLACK_DELETE,
    /** See Operator in `blocks/prose.ts`; null when not set. */
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
    expected: settings.shape[name].description ?? '',
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

function parseRate(rate: string): { requests: number; windowMs: number } {
  const [requests = 0, seconds = 0] = rate.split(/[/s]/).map(Number);
  return { requests, windowMs: seconds * 1000 };
}

// A short one without a digit is a name in capitals.
const MEMBER_ID = /^[UW](?:(?=[A-Z]*\d)[A-Z0-9]{2,30}|[A-Z]{8,30})$/;
// Needs a lower-case letter, so that it is no identifier, and no digit, so that it is no key.
const PERSON_NAME = /^(?!xox|xapp)(?=.*\p{Ll})\p{L}[\p{L}\p{M} .,’'&-]*$/u;

// Members see this value, so it must not be a secret that was entered by mistake.
function isOperator(value: string): boolean {
  return [MEMBER_ID, EMAIL, PERSON_NAME].some((form) => form.test(value)) || isSafeUrl(value);
}

const LOOPBACK = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

// Traffic to it cannot be read on the way: HTTPS, or plain HTTP within the machine (service
// interface, section 5).
function isSafeUrl(value: string): boolean {
  const url = URL.parse(value);
  // Paths are appended to the address, so not even an empty ? or # may end it.
  if (url === null || url.username || url.password || /[?#]/.test(value)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

// Whether a server's address is valid. An @ in its path, or a #, comes of a password that was not
// encoded: a part of it stands where the host should, which a failed connection's error would show.
function isServerAddress(value: string): boolean {
  try {
    const { username, password, pathname, search, hash } = new URL(value);
    decodeURIComponent([username, password, pathname].join());
    return !/^(\/[^?]*|[^=]*)@|#/.test(`${pathname}${search}${hash}`);
  } catch {
    return false;
  }
}

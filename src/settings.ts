import { z } from 'zod';
import { LOG_LEVELS } from './base/index.ts';
import { LINK_BY, ON_SLACK_DELETE } from './core/index.ts';

/** What people read of a setting: in docs/settings.md, in .env.sample and in a complaint. */
interface Notes {
  /** What it is for, as a clause without an end. In Markdown. */
  means: string;
  /** What its value must be. */
  mustBe: string;
  /** Whole sentences to add. In Markdown. */
  more?: string;
  /** What applies without it, for a setting that may be left out and has no default. In Markdown. */
  unset?: string;
  /** A value to show, for a setting without a default. */
  example?: string;
}

const notesOf = new Map<z.ZodType, Notes>();

// Cloned, as several settings may have one schema.
function setting<T extends z.ZodType>(schema: T, notes: Notes): T {
  const own = schema.clone();
  notesOf.set(own, notes);
  return own;
}

const text = z.string();
// What a header may hold; also catches a stray mark copied with a secret from its page, and the
// quotation marks that some tools leave around what they read from a file.
const headerText = text.regex(/^(?!(["']).*\1$)[\x21-\x7e]+$/);
const NO_STRAYS =
  ', without spaces, line breaks, quotation marks around it or characters outside ASCII';
// No : or /, so that a URL with a password is not taken for one and sent to the service.
const EMAIL = /^[^\s()<>@:/]+@[^\s()<>@:/]+$/;
// Begins with a letter, and is no token.
const SERVICE_NAME = /^(?!xox|xapp)\p{L}[\p{L}\p{M}\p{N} .&’'-]{0,39}$/u;
// Requests per seconds, neither of them 0.
const RATE = /^(?!0+\/)\d{1,4}\/(?!0+s)\d{1,4}s$/;
const id = text.regex(/^[1-9]\d{0,14}$/).transform(Number);

/** All settings, in the order in which people read them. */
export const settings = z.object({
  SLACK_BOT_TOKEN: setting(headerText.regex(/^xoxb-/), {
    means: 'Acts in Slack',
    mustBe: `the bot token, which begins with xoxb-${NO_STRAYS} (OAuth & Permissions in your Slack app)`,
  }),
  SLACK_APP_TOKEN: setting(headerText.regex(/^xapp-/).optional(), {
    means: 'Connects to Slack by Socket Mode, which needs no public address',
    mustBe: `an app-level token, which begins with xapp-${NO_STRAYS} (Basic Information)`,
    more: 'Its scope is `connections:write`. If it is set, the signing secret is not used.',
    unset: 'required without `SLACK_SIGNING_SECRET`',
  }),
  SLACK_SIGNING_SECRET: setting(headerText.regex(/^(?!xox|xapp-)/).optional(), {
    means: 'Proves that Slack sent a request, if it calls `POST /slack/events` over HTTPS instead',
    mustBe: `the signing secret, which isn’t a token${NO_STRAYS} (Basic Information in your Slack app)`,
    unset: 'required without `SLACK_APP_TOKEN`',
  }),
  SLACK_API_URL: setting(text.refine(isSafeUrl).default('https://slack.com/api/'), {
    means: 'Where Slack’s Web API is',
    mustBe:
      'an https address without a password, ? or # in it (plain http only for this machine itself)',
  }),
  FILES_ACCOUNT_URL: setting(
    text
      .refine(isSafeUrl)
      // Normalized, because instances that share the account's rate limit are matched by it. The
      // service's documentation gives the address of its API (service interface, section 1).
      .transform((value) => new URL(value).href.replace(/(\/api\/v3)?\/*$/, '')),
    {
      means: 'Where the files go',
      mustBe:
        'the https address of your account in the file service (it begins with https://), without a password, ? or # in it',
    },
  ),
  FILES_API_KEY: setting(headerText, {
    means: 'Opens the account',
    mustBe: `the API key from your profile in the file service${NO_STRAYS}`,
    more: 'Pigeonhole acts with the rights of that user.',
  }),
  FILES_CONTACT: setting(headerText.regex(EMAIL), {
    means: 'Sent to the service with each request',
    mustBe:
      'an e-mail address by which the service can reach you, in plain ASCII (write a domain with other letters in its form that begins with xn--)',
  }),
  FILES_NAME: setting(text.regex(SERVICE_NAME).default('the file service'), {
    means: 'What people in Slack read as the name of the service',
    mustBe: 'a name of at most 40 letters, digits, spaces and . & - as it stands within a sentence',
  }),
  FILES_FOLDER_URL: setting(text.refine(isFolderUrl).optional(), {
    means: 'Where people open a folder in the service: names of folders become links to it',
    mustBe:
      'an https address with {project} and {folder} where the two numbers belong, without a password',
    unset: 'only folders linked by their address are links',
    example: 'https://acme.example.com/projects/{project}/folders/{folder}',
  }),
  FILES_PROJECT_ID: setting(id.optional(), {
    means: 'The project of the default folder, which takes the files of channels without a link',
    mustBe: 'a whole number above 0',
    more: 'Set both numbers, or neither.',
    unset: 'no default folder',
    example: '12',
  }),
  FILES_FOLDER_ID: setting(id.optional(), {
    means: 'The default folder',
    mustBe: 'a whole number above 0',
    unset: 'no default folder',
    example: '345',
  }),
  FILES_RATE_LIMIT: setting(text.regex(RATE).transform(parseRate).prefault('25/10s'), {
    means: 'The account’s rate limit',
    mustBe: 'requests per seconds, like 25/10s',
  }),
  // A database address here would create a folder with the password in its name; what only a shell
  // expands, a folder of that name.
  DATA_DIR: setting(text.regex(/^(?!\w+:\/\/|~|["'“”„‘’]|.*\$[\w{])/).default('./data'), {
    means: 'Where the ledger is, as an SQLite database',
    mustBe: 'a folder for the database, written out: without ~ or $, or quotation marks around it',
    more: 'Keep it on a disk that survives restarts.',
  }),
  DATABASE_URL: setting(
    text
      .regex(/^postgres(ql)?:\/\//)
      .refine(isServerAddress)
      .optional(),
    {
      means: 'A PostgreSQL database for the ledger, instead of SQLite',
      mustBe:
        'postgres://user:password@host/name, with signs like / # ? % in the password written as %2F %23 %3F %25',
      unset: 'SQLite in `DATA_DIR`',
      example: 'postgres://user:password@host/pigeonhole',
    },
  ),
  // PostgreSQL's driver takes any other mode for no TLS at all.
  PGSSLMODE: setting(
    text.regex(/^(disable|prefer|require|verify-ca|verify-full|no-verify)$/).optional(),
    {
      means: 'The TLS to PostgreSQL',
      mustBe: 'require, no-verify, verify-full, verify-ca, prefer or disable',
      more: '`no-verify` accepts any certificate, where a host signs its own, as Heroku does.',
      unset: 'as `DATABASE_URL` says, else none',
      example: 'require',
    },
  ),
  REDIS_URL: setting(
    text
      .regex(/^rediss?:\/\/[^/]/)
      .refine(isServerAddress)
      .refine((value) => /^\/?\d*$/.test(URL.parse(value)?.pathname ?? ''))
      .optional(),
    {
      means: 'Shares one rate limit between several instances',
      mustBe: 'redis://host:port, with signs like / # ? % in a password written as %2F %23 %3F %25',
      unset: 'one instance',
      example: 'redis://host:6379',
    },
  ),
  REDIS_TLS_VERIFY: setting(z.enum(['true', 'false']).default('true'), {
    means: 'Whether the certificate of a `rediss:` server is checked',
    mustBe: 'true or false',
    more: 'Some hosts sign their own.',
  }),
  OPERATOR: setting(text.max(80).refine(isOperator).optional(), {
    means: 'Who runs Pigeonhole, and whom people are told to contact',
    mustBe:
      'a Slack member ID like U012ABCDEF (Copy member ID, in their profile), an e-mail address, an https address, or a name without digits',
    more: 'A Slack member is also told privately, once, when the key, Slack’s token, its scopes, the default folder or the database need attention, or when a new ledger begins in channels that Pigeonhole is in already.',
    unset: 'nobody is named',
    example: 'U012ABCDEF',
  }),
  LINK_BY: setting(z.enum(LINK_BY).default('admins'), {
    means: 'Who may link channels to folders',
    mustBe: 'admins or members',
    more: 'That is, admins of the workspace, or all its full members; never guests or people of other workspaces.',
  }),
  ON_SLACK_DELETE: setting(z.enum(ON_SLACK_DELETE).default('ask'), {
    means:
      'What happens to the filed copy when its file, or the message that shared it, is deleted in Slack',
    mustBe: 'ask, keep or follow',
    more: '`ask` asks its sharer privately (not guests), `keep` keeps it, and `follow` deletes it too if only the sharer or an admin can have deleted the original, and the sharer is no guest; where Slack only cannot find the file, or the copy has changed since, the sharer is asked.',
  }),
  PORT: setting(
    text
      .regex(/^\d+$/)
      .transform(Number)
      .refine((port) => port <= 65535)
      .prefault('3000'),
    {
      means: 'Serves `/healthz`, `/readyz`, `/metrics` and, without Socket Mode, `/slack/events`',
      mustBe: 'a port number up to 65535',
    },
  ),
  HOST: setting(text.regex(/^[a-z0-9_.:-]+$/i).optional(), {
    means: 'The address that the port is opened on',
    mustBe: 'an address or name of this machine, like 127.0.0.1 or 0.0.0.0',
    more: 'Probes from other machines, or from outside a container, need 0.0.0.0.',
    unset: '127.0.0.1 with Socket Mode, else all addresses',
    example: '127.0.0.1',
  }),
  LOG_LEVEL: setting(z.enum(LOG_LEVELS).default('info'), {
    means: 'How much is logged',
    mustBe: 'debug, info, warn, error or silent',
  }),
});

export type Setting = keyof typeof settings.shape;

/** The names of all settings. */
export const SETTINGS = Object.keys(settings.shape) as Setting[];

/** Returns what a setting's value must be, as a complaint says it. */
export function expectedOf(name: Setting): string {
  return notesOf.get(settings.shape[name])?.mustBe ?? '';
}

/** What documents say of a setting; `value`: its default, or else an example, as people write it. */
interface Description {
  name: Setting;
  means: string;
  mustBe: string;
  more: string | null;
  /** What applies without it; null for one that must be set, or has a default. */
  unset: string | null;
  isDefault: boolean;
  value: string | null;
}

/** Describes all settings for docs/settings.md and .env.sample. */
export function describeSettings(): Description[] {
  const { properties = {} } = z.toJSONSchema(settings, { io: 'input' });
  return SETTINGS.map((name) => {
    const notes = notesOf.get(settings.shape[name]);
    if (!notes) throw new Error(`${name} has no notes`);
    const { means, mustBe, more = null, unset = null, example = null } = notes;
    const property = properties[name];
    const fallback = typeof property === 'object' ? property.default : undefined;
    const isDefault = typeof fallback === 'string';
    const value = isDefault ? fallback : example;
    return { name, means, mustBe: mustBe.replace(NO_STRAYS, ''), more, unset, isDefault, value };
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
  // Paths are appended to the address, so not even an empty ? or # may end it.
  return isPrivate(value) && !/[?#]/.test(value);
}

function isPrivate(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}

// The numbers may not choose the host.
function isFolderUrl(value: string): boolean {
  const { host = '' } = URL.parse(value) ?? {};
  const hasBoth = value.includes('{project}') && value.includes('{folder}');
  return hasBoth && isPrivate(value) && !/[{}]/.test(host);
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

/** A JSON object in a Web API request or response. */
export type Json = Record<string, unknown>;

/** A Web API response: `ok`, and `error` when `ok` is false. */
export interface SlackResponse extends Json {
  ok: boolean;
  error?: string;
}

/** A file object (https://docs.slack.dev/reference/objects/file-object); fields may be missing. */
export interface SlackFile extends Json {
  id: string;
  name?: string | null;
  size?: number;
  mimetype?: string;
  mode?: string;
  url_private?: string;
  url_private_download?: string;
}

/** A message as `conversations.history` returns it. */
export interface SlackMessage extends Json {
  type: string;
  ts: string;
  user?: string;
  text?: string;
  subtype?: string;
  thread_ts?: string;
  bot_id?: string;
  files?: SlackFile[];
  blocks?: Json[];
  /** What unfurls add. */
  attachments?: Json[];
  reactions?: { name: string; users: string[]; count: number }[];
  reply_count?: number;
  latest_reply?: string;
  edited?: Json;
}

/** A message that only one user sees. Slack stores none; they are kept so that callers see them. */
export interface Ephemeral {
  ts: string;
  channel: string;
  user: string;
  text: string;
  blocks: Json[];
  threadTs?: string | undefined;
  /** How it was posted: `chat.postEphemeral`, a `response_url`, or the response to a command. */
  via: 'postEphemeral' | 'response_url' | 'ack';
  /** How often it was replaced. */
  edits: number;
}

/** A view as `views.open` returns it. */
export interface SlackView extends Json {
  id: string;
  type: 'modal' | 'home';
  hash: string;
  blocks: Json[];
  callback_id: string;
  private_metadata: string;
  state?: Json;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the string or number under a key as text, else '', as Slack reads most arguments. */
export function stringOf(args: Json, key: string): string {
  const value = args[key];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : '';
}

/** Returns the objects of the array under a key, which may be JSON text; undefined if no array. */
export function objectsOf(args: Json, key: string): Json[] | undefined {
  const value = parsed(args[key]);
  return Array.isArray(value) ? value.filter(isJson) : undefined;
}

/** Returns the object under a key, which may be JSON text; undefined if there is none. */
export function objectOf(args: Json, key: string): Json | undefined {
  const value = parsed(args[key]);
  return isJson(value) ? value : undefined;
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}

/** Returns a message's `ts` in microseconds, or NaN. Accepts `0` and whole seconds too. */
export function microsOf(ts: string): number {
  const [seconds = '', fraction = ''] = ts.split('.');
  return Number(seconds) * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

export function errorResponse(error: string): SlackResponse {
  return { ok: false, error };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

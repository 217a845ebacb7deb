/** A JSON object as Slack's Web API takes and gives them. */
export type Json = Record<string, unknown>;

/** What every Web API method answers: `ok`, and `error` when it is not. */
export interface SlackAnswer extends Json {
  ok: boolean;
  error?: string;
}

/** A file object (https://docs.slack.dev/reference/objects/file-object), as far as it is told. */
export interface SlackFile extends Json {
  id: string;
  name?: string | null;
  size?: number;
  mimetype?: string;
  mode?: string;
  url_private?: string;
  url_private_download?: string;
}

/** A message as `conversations.history` gives it. */
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
  reactions?: { name: string; users: string[]; count: number }[];
  reply_count?: number;
  latest_reply?: string;
  edited?: Json;
}

/** A view as `views.open` gives it. */
export interface SlackView extends Json {
  id: string;
  type: 'modal' | 'home';
  hash: string;
  blocks: Json[];
  callback_id: string;
  private_metadata: string;
  notify_on_close: boolean;
  state?: Json;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The string under a key, or '' when there is none: how Slack reads most of its arguments. */
export function stringOf(args: Json, key: string): string {
  const value = args[key];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : '';
}

/** The list of objects under a key, given as such or as JSON text; undefined when there is none. */
export function objectsOf(args: Json, key: string): Json[] | undefined {
  const value = parsed(args[key]);
  return Array.isArray(value) ? value.filter(isJson) : undefined;
}

/** The object under a key, given as such or as JSON text. */
export function objectOf(args: Json, key: string): Json | undefined {
  const value = parsed(args[key]);
  return isJson(value) ? value : undefined;
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 'true' || value === '1';
}

/** A message's `ts` in microseconds; NaN when it is none. Takes `0` and whole seconds too. */
export function microsOf(ts: string): number {
  const [seconds = '', fraction = ''] = ts.split('.');
  return Number(seconds) * 1_000_000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

export function refusal(error: string): SlackAnswer {
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

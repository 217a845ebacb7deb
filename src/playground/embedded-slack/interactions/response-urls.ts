import type { Clock, Random } from '../../../base/index.ts';
import type { Ephemeral, Ephemerals } from '../ephemerals.ts';
import { APP } from '../people.ts';
import { isTrue, type Json, objectsOf, stringOf } from '../slack-shapes.ts';
import type { Events } from '../to-app/events.ts';
import { refusedContent } from '../web-api/block-limits.ts';
import type { WebApi } from '../web-api/web-api.ts';
import { withIdentifiers } from './block-elements.ts';

const USES = 5;
const LIFE_MS = 30 * 60_000;

/** Where the app's response appears, and what it may replace or delete. */
export interface ResponsePlace {
  user: string;
  channel: string;
  /** The pressed message: an ephemeral one, or the `ts` of one in the channel. */
  original?: Ephemeral | string | undefined;
  /** Receives the ephemeral messages that the responses add or replace. */
  ephemerals: Ephemeral[];
}

interface ResponseUrlParts {
  clock: Clock;
  random: Random;
  ephemerals: Ephemerals;
  events: Events;
  origin: string;
  invoke: WebApi['invoke'];
}

/**
 * Issues addresses to which the app may respond five times within 30 minutes
 * (https://docs.slack.dev/interactivity/handling-user-interaction).
 */
export interface ResponseUrls {
  issue(place: ResponsePlace): string;
  /** Handles a POST to an address; resolves with the HTTP status and text to send back. */
  respond(id: string, body: Json): Promise<{ status: number; text: string }>;
  /** Shows the body of the app's direct response to a command. */
  acknowledge(place: ResponsePlace, body: unknown): Promise<void>;
}

export function createResponseUrls(parts: ResponseUrlParts): ResponseUrls {
  const issued = new Map<string, { place: ResponsePlace; uses: number; until: number }>();
  return {
    issue: (place) => {
      const id = parts.random.id();
      issued.set(id, { place, uses: 0, until: parts.clock.now() + LIFE_MS });
      return `${parts.origin}/response/${id}`;
    },
    respond: async (id, body) => {
      const known = issued.get(id);
      if (!known || parts.clock.now() >= known.until) return { status: 404, text: 'expired_url' };
      if (known.uses >= USES) return { status: 404, text: 'used_url' };
      if (isEmpty(body)) return { status: 400, text: 'no_text' };
      const refused = refusedContent(body);
      if (refused) return { status: 400, text: refused };
      known.uses += 1;
      await publish(parts, known.place, { body, via: 'response_url' });
      return { status: 200, text: 'ok' };
    },
    acknowledge: async (place, answer) => {
      const body = typeof answer === 'string' ? { text: answer } : (answer as Json);
      if (!isEmpty(body)) await publish(parts, place, { body, via: 'ack' });
    },
  };
}

interface Publication {
  body: Json;
  via: 'response_url' | 'ack';
}

// A response replaces the pressed message unless the app says otherwise.
async function publish(
  parts: ResponseUrlParts,
  place: ResponsePlace,
  { body, via }: Publication,
): Promise<void> {
  const { original } = place;
  if (original && isTrue(body['delete_original'])) return removeOriginal(parts, place);
  const wantsNew = body['replace_original'] !== undefined && !isTrue(body['replace_original']);
  if (original && !wantsNew) return replaceOriginal(parts, place, body);
  if (body['response_type'] === 'in_channel') return postInChannel(parts, place, body);
  const { channel, user } = place;
  const threadTs = typeof original === 'object' ? original.threadTs : undefined;
  const at = { ts: parts.events.timestamp(), channel, user, threadTs, via };
  place.ephemerals.push(parts.ephemerals.add({ ...at, ...contentOf(body) }));
  parts.events.noticed({ what: 'ephemeral', channel });
}

async function removeOriginal(parts: ResponseUrlParts, place: ResponsePlace): Promise<void> {
  const { original, channel } = place;
  if (typeof original === 'object') parts.ephemerals.remove(original);
  else await asApp(parts, 'chat.delete', { channel, ts: original });
  parts.events.noticed({ what: 'ephemeral', channel });
}

async function replaceOriginal(parts: ResponseUrlParts, place: ResponsePlace, body: Json) {
  const { original, channel } = place;
  if (typeof original === 'object') {
    parts.ephemerals.replace(original, contentOf(body));
    place.ephemerals.push(original);
  } else await asApp(parts, 'chat.update', { channel, ts: original, ...contentOf(body) });
  parts.events.noticed({ what: 'ephemeral', channel });
}

async function postInChannel(parts: ResponseUrlParts, { channel }: ResponsePlace, body: Json) {
  const thread = stringOf(body, 'thread_ts');
  const inThread = thread ? { thread_ts: thread } : {};
  await asApp(parts, 'chat.postMessage', { channel, ...contentOf(body), ...inThread });
}

function asApp({ invoke }: ResponseUrlParts, method: string, args: Json) {
  return invoke({ method, args, account: APP.account, isSlacks: true });
}

function contentOf(body: Json): { text: string; blocks: Json[] } {
  return { text: stringOf(body, 'text'), blocks: withIdentifiers(objectsOf(body, 'blocks') ?? []) };
}

function isEmpty(body: Json): boolean {
  if (isTrue(body['delete_original'])) return false;
  return !stringOf(body, 'text') && !objectsOf(body, 'blocks')?.length && !body['attachments'];
}

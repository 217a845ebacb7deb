import { contentError, withIdentifiers } from '../block-kit.ts';
import type { SlackContext } from '../context.ts';
import { type Ephemeral, isTrue, type Json, objectsOf, stringOf } from '../slack-types.ts';
import { chatMethods } from '../web-api/chat.ts';
import { APP } from '../workspace-seed.ts';

const MAX_USES = 5;
const LIFETIME_MS = 30 * 60_000;

/** Where the app's response appears, and what it may replace or delete. */
export interface ResponseTarget {
  user: string;
  channel: string;
  /** The message acted in: an ephemeral one, or the `ts` of one in the channel. */
  original?: Ephemeral | string | undefined;
  /** Receives the ephemeral messages that the responses add or replace. */
  ephemerals: Ephemeral[];
}

/**
 * Issues addresses to which the app may respond five times within 30 minutes
 * (https://docs.slack.dev/interactivity/handling-user-interaction).
 */
export interface ResponseUrls {
  issue(target: ResponseTarget): string;
  /** Handles a POST to an address; resolves with the HTTP status and text to send back. */
  respond(id: string, body: Json): Promise<{ status: number; text: string }>;
  /** Shows the body of the app's direct response to a command. */
  acknowledge(target: ResponseTarget, body: unknown): Promise<void>;
}

export function createResponseUrls(context: SlackContext): ResponseUrls {
  const { clock, random, origin } = context;
  const issued = new Map<string, { target: ResponseTarget; uses: number; until: number }>();
  return {
    issue: (target) => {
      const id = random.id();
      issued.set(id, { target, uses: 0, until: clock.now() + LIFETIME_MS });
      return `${origin}/response/${id}`;
    },
    respond: async (id, body) => {
      const known = issued.get(id);
      if (!known || clock.now() >= known.until) return { status: 404, text: 'expired_url' };
      if (known.uses >= MAX_USES) return { status: 404, text: 'used_url' };
      if (isEmpty(body)) return { status: 400, text: 'no_text' };
      const error = contentError(body);
      if (error) return { status: 400, text: error };
      known.uses += 1;
      await publish(context, known.target, { body, via: 'response_url' });
      return { status: 200, text: 'ok' };
    },
    acknowledge: async (target, response) => {
      const body = typeof response === 'string' ? { text: response } : (response as Json);
      if (!isEmpty(body)) await publish(context, target, { body, via: 'ack' });
    },
  };
}

// A response replaces the message acted in unless the app says otherwise.
async function publish(
  context: SlackContext,
  target: ResponseTarget,
  { body, via }: { body: Json; via: 'response_url' | 'ack' },
): Promise<void> {
  const { original, channel, user, ephemerals } = target;
  const replaces = body['replace_original'] === undefined || isTrue(body['replace_original']);
  if (original && isTrue(body['delete_original'])) {
    if (typeof original === 'object') context.ephemerals.delete(original);
    else await chat(context, 'chat.delete', { channel, ts: original });
  } else if (original && replaces) {
    if (typeof original === 'object') {
      Object.assign(original, contentOf(body), { edits: original.edits + 1 });
      ephemerals.push(original);
    } else await chat(context, 'chat.update', { channel, ts: original, ...contentOf(body) });
  } else if (body['response_type'] === 'in_channel') {
    const thread = stringOf(body, 'thread_ts');
    const inThread = thread ? { thread_ts: thread } : {};
    await chat(context, 'chat.postMessage', { channel, ...contentOf(body), ...inThread });
  } else {
    const threadTs = typeof original === 'object' ? original.threadTs : undefined;
    const ts = context.messages.newTs();
    const added = { ts, channel, user, threadTs, via, edits: 0, ...contentOf(body) };
    context.ephemerals.add(added);
    ephemerals.push(added);
  }
  context.changes.notify('ephemeral');
}

function chat(
  context: SlackContext,
  method: 'chat.delete' | 'chat.update' | 'chat.postMessage',
  args: Json,
) {
  const request = { method, args, account: APP.account, userId: APP.userId, skipMembership: true };
  return chatMethods(context)[method](request);
}

function contentOf(body: Json): { text: string; blocks: Json[] } {
  return { text: stringOf(body, 'text'), blocks: withIdentifiers(objectsOf(body, 'blocks') ?? []) };
}

function isEmpty(body: Json): boolean {
  if (isTrue(body['delete_original'])) return false;
  return !stringOf(body, 'text') && !objectsOf(body, 'blocks')?.length && !body['attachments'];
}

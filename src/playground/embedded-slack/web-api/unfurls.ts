import { withIdentifiers } from '../block-kit.ts';
import type { SlackContext } from '../context.ts';
import {
  errorResponse,
  isJson,
  type Json,
  objectOf,
  objectsOf,
  type SlackMessage,
  type SlackResponse,
  stringOf,
} from '../slack-types.ts';
import { APP } from '../workspace-seed.ts';
import type { ApiMethods } from './api-method.ts';

/** A link that the app may unfurl, as in a `link_shared` event. */
interface Link {
  domain: string;
  url: string;
}

/** `chat.unfurl` (https://docs.slack.dev/reference/methods/chat.unfurl). */
export function unfurlMethods(context: SlackContext): ApiMethods {
  return { 'chat.unfurl': ({ args }) => unfurl(context, args) };
}

/**
 * Tells the app which links of a message it may unfurl, also where the app is no member
 * (https://docs.slack.dev/reference/events/link_shared).
 */
export async function shareLinks(
  { directory, events, random, unfurlDomains }: SlackContext,
  channel: string,
  message: SlackMessage,
): Promise<void> {
  const links = linksIn(message, unfurlDomains);
  if (links.length === 0) return;
  const { ts, thread_ts, user = '' } = message;
  const known = await directory.channel(channel);
  const event = {
    type: 'link_shared',
    channel,
    is_bot_user_member: known?.members.includes(APP.userId) ?? false,
    user,
    message_ts: ts,
    ...(thread_ts ? { thread_ts } : {}),
    unfurl_id: `${channel}.${ts}.${random.id()}`,
    source: 'conversations_history',
    links,
  };
  events.background(event, { from: user, evenIfNoMember: true });
}

function linksIn({ text = '' }: SlackMessage, domains: readonly string[]): Link[] {
  const urls = [...text.matchAll(/<(https?:[^|>\s]+)/g)].map(([, url = '']) =>
    url.replaceAll('&amp;', '&'),
  );
  return [...new Set(urls)].flatMap((url) => {
    const host = URL.parse(url)?.hostname ?? '';
    const domain = domains.find((one) => host === one || host.endsWith(`.${one}`));
    return domain ? [{ domain, url }] : [];
  });
}

async function unfurl(context: SlackContext, args: Json): Promise<SlackResponse> {
  const { directory, events, messages, unfurlDomains } = context;
  const { channel, ts } = targetOf(args);
  const unfurls = objectOf(args, 'unfurls');
  if (!channel) return errorResponse('missing_channel');
  if (!ts) return errorResponse('missing_ts');
  if (!args['unfurls']) return errorResponse('missing_unfurls');
  if (!unfurls) return errorResponse('invalid_unfurls_format');
  if (!(await directory.channel(channel))) return errorResponse('cannot_find_channel');
  const before = await messages.read(channel, ts);
  if (!before) return errorResponse('cannot_find_message');
  const urls = linksIn(before, unfurlDomains).map(({ url }) => url);
  if (Object.keys(unfurls).some((url) => !urls.includes(url)))
    return errorResponse('cannot_unfurl_url');
  messages.unfurled(channel, ts, attachmentsOf(unfurls, before.attachments ?? []));
  const message = await messages.read(channel, ts);
  const hidden = { type: 'message', subtype: 'message_changed', hidden: true };
  const eventTs = messages.newTs();
  const changed = { message, previous_message: before, channel, ts: eventTs, event_ts: eventTs };
  events.background({ ...hidden, ...changed }, { from: APP.userId });
  return { ok: true };
}

// An `unfurl_id` begins with the channel and the two parts of the message's `ts`.
function targetOf(args: Json): { channel: string; ts: string } {
  const [channel = '', seconds, fraction] = stringOf(args, 'unfurl_id').split('.');
  if (seconds && fraction) return { channel, ts: `${seconds}.${fraction}` };
  return { channel: stringOf(args, 'channel'), ts: stringOf(args, 'ts') };
}

// A link that was unfurled before gets the new unfurl in its place.
function attachmentsOf(unfurls: Json, before: readonly Json[]): Json[] {
  const byUrl = new Map<unknown, Json>(before.map((one) => [one['from_url'], one]));
  for (const [url, given] of Object.entries(unfurls)) {
    if (!isJson(given)) continue;
    const blocks = withIdentifiers(objectsOf(given, 'blocks') ?? []);
    byUrl.set(url, { ...given, blocks, from_url: url, app_unfurl_url: url });
  }
  const app = { is_app_unfurl: true, app_id: APP.id, bot_id: APP.botId };
  return [...byUrl.values()].map((one, index) => ({ ...one, ...app, id: index + 1 }));
}

import type { types, webApi } from '@slack/bolt';
import { callSlack, pagesOf, SlackCallError } from './web-api.ts';

/** What a message says: blocks, and the text for notifications. */
export interface MessageBody {
  text: string;
  blocks: types.KnownBlock[];
}

/** Where a message stands: at the top of a channel, or in a thread. */
export interface Place {
  channel: string;
  threadTs: string | null;
}

/**
 * A sign that is sent with a message of ours, unseen by people, so that the message can be found
 * again when the answer to its post was lost.
 */
export interface Mark {
  kind: 'share' | 'report';
  id: number;
}

const EVENT_TYPE = 'pigeonhole_reply';
const QUIET = { unfurl_links: false, unfurl_media: false, parse: 'none' } as const;

/** Posts a message of ours; returns its timestamp. Rejects with SlackCallError. */
export async function postMessage(
  client: webApi.WebClient,
  place: Place,
  { body, mark }: { body: MessageBody; mark: Mark },
): Promise<string> {
  const answer = await callSlack('chat.postMessage', () =>
    client.chat.postMessage({
      channel: place.channel,
      ...(place.threadTs ? { thread_ts: place.threadTs } : {}),
      ...body,
      ...QUIET,
      metadata: { event_type: EVENT_TYPE, event_payload: { ...mark } },
    }),
  );
  return answer.ts ?? '';
}

/** Edits a message of ours in place. */
export async function updateMessage(
  client: webApi.WebClient,
  { channel, ts }: { channel: string; ts: string },
  body: MessageBody,
): Promise<void> {
  await callSlack('chat.update', () => client.chat.update({ channel, ts, ...body, parse: 'none' }));
}

/** The timestamp of a message of ours with that mark, or null when it was never posted. */
export async function findMessage(
  client: webApi.WebClient,
  { channel, threadTs }: Place,
  { mark, oldest }: { mark: Mark; oldest: string },
): Promise<string | null> {
  const common = { channel, include_all_metadata: true, limit: 200 };
  const { history, replies } = client.conversations;
  const pages = pagesOf((at) =>
    threadTs
      ? callSlack('conversations.replies', () => replies({ ...common, ...at, ts: threadTs }))
      : callSlack('conversations.history', () => history({ ...common, ...at, oldest })),
  );
  for await (const { messages = [] } of pages) {
    const found = messages.find(({ metadata }) => carries(metadata, mark));
    if (found?.ts) return found.ts;
  }
  return null;
}

function carries(metadata: Metadata | undefined, { kind, id }: Mark): boolean {
  const { event_type: type, event_payload: payload } = metadata ?? {};
  const marked: { kind?: unknown; id?: unknown } = { ...payload };
  return type === EVENT_TYPE && marked.kind === kind && Number(marked.id) === id;
}

interface Metadata {
  event_type?: string;
  event_payload?: object;
}

/** Says something that only one person sees. */
export async function postEphemeral(
  client: webApi.WebClient,
  { channel, user, threadTs }: { channel: string; user: string; threadTs?: string | null },
  body: MessageBody,
): Promise<void> {
  await callSlack('chat.postEphemeral', () =>
    client.chat.postEphemeral({
      channel,
      user,
      ...(threadTs ? { thread_ts: threadTs } : {}),
      ...body,
      parse: 'none',
    }),
  );
}

/** Says something to a whole channel, or to one person in their direct messages with the app. */
export async function announce(
  client: webApi.WebClient,
  channel: string,
  body: MessageBody,
): Promise<void> {
  await callSlack('chat.postMessage', () =>
    client.chat.postMessage({ channel, ...body, ...QUIET }),
  );
}

/** Puts one reaction of ours on a message in the place of another. Both calls may be repeated. */
export async function setReaction(
  client: webApi.WebClient,
  message: { channel: string; ts: string },
  { name, instead }: { name: string; instead: string | null },
): Promise<void> {
  const { channel, ts: timestamp } = message;
  await unless('already_reacted', () => client.reactions.add({ channel, timestamp, name }));
  if (instead && instead !== name) await removeReaction(client, message, instead);
}

/** Takes a reaction of ours off a message; nothing happens when it is not there. */
export async function removeReaction(
  client: webApi.WebClient,
  { channel, ts: timestamp }: { channel: string; ts: string },
  name: string,
): Promise<void> {
  await unless('no_reaction', () => client.reactions.remove({ channel, timestamp, name }));
}

async function unless(reason: string, call: () => Promise<unknown>): Promise<void> {
  try {
    await callSlack('reactions', call);
  } catch (error) {
    if (!(error instanceof SlackCallError) || error.reason !== reason) throw error;
  }
}

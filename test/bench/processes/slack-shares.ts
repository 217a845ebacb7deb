import { randomBytes } from 'node:crypto';
import type {
  EmbeddedSlack,
  Posted,
  SlackMessage,
} from '../../../src/playground/embedded-slack/index.ts';

export interface PreparedShares {
  shares: number;
  filesEach: number;
  /** The size of each file. */
  bytes: number;
}

// How many shares are prepared in Slack at the same time.
const AT_ONCE = 20;

/**
 * Shares files without sending events to any app; returns the identifiers of their events, in
 * order.
 */
export async function prepareShares(
  slack: EmbeddedSlack,
  channel: string,
  wanted: PreparedShares,
): Promise<string[]> {
  const posted = await postShares(slack, { ...wanted, channel, deliver: true });
  return posted.flatMap(({ deliveries }) => deliveries.map(({ eventId }) => eventId));
}

/**
 * Shares files without sending events to any app; returns the body of each event's request, in
 * order.
 */
export async function prepareEnvelopes(
  slack: EmbeddedSlack,
  channel: string,
  wanted: PreparedShares,
): Promise<string[]> {
  const posted = await postShares(slack, { ...wanted, channel, deliver: false });
  const ours = new Set(posted.map(({ ts }) => ts));
  const messages = (await slack.state(channel)).filter(({ ts }) => ours.has(ts));
  return messages.map((message) => JSON.stringify(envelopeOf(message, posted[0]?.channel ?? '')));
}

async function postShares(
  slack: EmbeddedSlack,
  wanted: PreparedShares & { channel: string; deliver: boolean },
): Promise<Posted[]> {
  const { channel, deliver, shares } = wanted;
  const posted: Posted[] = [];
  for (let from = 0; from < shares; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, shares - from) }, () =>
      slack.share({ channel, user: 'ben', files: newFiles(wanted), deliver }),
    );
    posted.push(...(await Promise.all(some)));
  }
  return posted;
}

let named = 0;

function newFiles({ filesEach, bytes }: PreparedShares) {
  return Array.from({ length: filesEach }, () => {
    named += 1;
    return { name: `report ${named}.pdf`, mimetype: 'application/pdf', bytes: randomBytes(bytes) };
  });
}

// https://docs.slack.dev/apis/events-api/, "Callback field"
function envelopeOf(
  { replies: _, ...message }: SlackMessage & { replies: unknown },
  channel: string,
) {
  return {
    type: 'event_callback',
    team_id: 'T000000001',
    api_app_id: 'A0PIGEON001',
    event: { ...message, channel, channel_type: 'channel', event_ts: message.ts },
    event_id: `Ev${message.ts.replace('.', '')}`,
    event_time: Math.floor(Number(message.ts)),
  };
}

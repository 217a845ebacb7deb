import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  EmbeddedSlack,
  Posted,
  SlackMessage,
} from '../../../src/playground/embedded-slack/index.ts';

/** The channel in which people share and ask. */
export const CHANNEL = 'general';

export interface PreparedShares {
  shares: number;
  filesEach: number;
  /** The size of each file. */
  bytes: number;
}

// How many shares are prepared in Slack at the same time.
const AT_ONCE = 20;

/** Shares files, with an event for each share; no app is connected yet. */
export async function shareFiles(
  slack: EmbeddedSlack,
  wanted: PreparedShares,
  deliver = true,
): Promise<Posted[]> {
  const posted: Posted[] = [];
  for (let from = 0; from < wanted.shares; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, wanted.shares - from) }, () =>
      slack.share({ channel: CHANNEL, user: 'ben', files: newFiles(wanted), deliver }),
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

/** Shares files without events; returns the bodies of the requests that would carry them. */
export async function shareUnsent(slack: EmbeddedSlack, wanted: PreparedShares): Promise<string[]> {
  const posted = await shareFiles(slack, wanted, false);
  const ours = new Set(posted.map(({ ts }) => ts));
  const messages = (await slack.state(CHANNEL)).filter(({ ts }) => ours.has(ts));
  return messages.map((message) => JSON.stringify(envelopeOf(message, posted[0]?.channel ?? '')));
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

/** Ends the asking; returns the milliseconds from each command to its list. */
export type StopAsking = (options: { withinMs: number }) => Promise<number[]>;

/** Makes a person type `/files` at this interval, without waiting for responses. */
export function startAsking(slack: EmbeddedSlack, everyMs: number): StopAsking {
  const answers: Promise<number>[] = [];
  const timer = setInterval(() => answers.push(ask(slack)), everyMs);
  return ({ withinMs }) => {
    clearInterval(timer);
    const tooLate = sleep(withinMs, Number.POSITIVE_INFINITY, { ref: false });
    return Promise.all(answers.map((answer) => Promise.race([answer, tooLate])));
  };
}

/** The message that a list takes a while; it is no list yet. */
const LOOKING = /^This takes a moment. The answer comes in a new message.$/;
/** The words that come instead of a list. */
const TROUBLE = /Try again/;

// Measures from the command to the list that the person sees; infinite if none comes.
async function ask(slack: EmbeddedSlack): Promise<number> {
  const begun = performance.now();
  try {
    const reaction = await slack.command({ command: '/files', user: 'cleo', channel: CHANNEL });
    const answer = () => reaction.ephemerals.find(({ text }) => !LOOKING.test(String(text)));
    const { text } = await slack.until(answer);
    return TROUBLE.test(String(text)) ? Number.POSITIVE_INFINITY : performance.now() - begun;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

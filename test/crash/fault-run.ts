import type { AppOptions } from '../../src/app-options.ts';
import type {
  EmbeddedSlack,
  Json,
  Posted,
  SlackMessage,
} from '../../src/playground/embedded-slack/index.ts';
import type { AttachmentUse } from '../../src/playground/file-service/index.ts';
import { placeOfButton } from '../support/person.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { startStack } from '../support/start-stack.ts';
import { type Findings, type ShareWatch, watchShares } from '../support/watch-shares.ts';
import { failInEveryWay } from './service-faults.ts';

interface FaultRunOptions {
  shares: number;
  seed: number;
  with429Unsaid: boolean;
  signal: AbortSignal;
  /** How often the service lets an attachment be used. Default: once. */
  attachmentUse?: AttachmentUse;
  /** Override the run's own app options. */
  appOptions?: Partial<AppOptions>;
}

interface FaultRun {
  findings: Findings;
  /** The lines in the threads of shares that were not done when the run ended. */
  waiting: string[];
  files: number;
  /** Deliveries of events, and how many of them got a status other than 200. */
  deliveries: { made: number; refused: number };
  /** How often each fault occurred, by its name. */
  faultCounts: Map<string, number>;
}

const DELIVERED_TIMES = 3;
const AT_ONCE = 8;

/**
 * Shares files while one service call in four fails, in every possible way. Each event is delivered
 * three times, in any order, with `file_shared` beside it, and Slack's own calls fail now and then.
 */
export async function runUnderFaults(options: FaultRunOptions): Promise<FaultRun> {
  const random = seededRandom(options.seed);
  const stack = await startStack({
    slack: { subscriptions: ['message', 'file_shared'] },
    service: { attachmentUse: options.attachmentUse ?? 'once' },
    // The slowest create takes effect after 0.9 s; as in the product, the app looks for it only
    // later.
    appOptions: {
      requestTimeoutMs: 500,
      settleMs: 2_000,
      backoffScale: 0.01,
      ...options.appOptions,
    },
  });
  try {
    const { slack, service } = stack;
    const watch = watchShares(slack, service);
    const shared = await shareAll(watch, options.shares, random);
    const faultCounts = failInEveryWay(service, { ...options, probability: 0.25, random });
    failSlackNowAndThen(slack, options.shares);
    const events = await Promise.all(shared.map((posted) => eventOf(slack, posted)));
    const made = await deliverAll(slack, events, random);
    // People press “Try again” where a line asks whether a file arrived: nothing else files it.
    const settled = new AbortController();
    const asked = pressRetryWhereAsked(slack, { channel: 'general', user: 'ben' }, settled.signal);
    await watch.settled(options.signal).catch(() => undefined);
    settled.abort();
    await asked;
    return {
      findings: await watch.findings(),
      waiting: await watch.waiting(),
      files: watch.files(),
      deliveries: { made: made.length, refused: made.filter((status) => status !== 200).length },
      faultCounts,
    };
  } finally {
    await stack.stop();
  }
}

type Random = ReturnType<typeof seededRandom>;

// Includes files with the same name and size but other bytes: they must not be mistaken for each
// other.
async function shareAll(watch: ShareWatch, shares: number, random: Random): Promise<Posted[]> {
  const posted: Posted[] = [];
  for (let n = 0; n < shares; n += 1) {
    const files = Array.from({ length: 1 + random.below(2) }, (_, i) => ({
      name: n % 5 === 0 && i === 0 ? 'twin.bin' : `share ${n} file ${i}.bin`,
      bytes: Buffer.alloc(n % 5 === 0 && i === 0 ? 500 : 1 + random.below(40_000), n * 2 + i + 1),
    }));
    const thread = n % 7 === 3 && posted[0] ? { threadTs: posted[0].ts } : {};
    const share = { channel: 'general', user: 'ben', text: `share ${n}`, deliver: false, files };
    posted.push(await watch.share({ ...share, ...thread }));
  }
  return posted;
}

function failSlackNowAndThen(slack: EmbeddedSlack, shares: number): void {
  const some = Math.ceil(shares / 20);
  slack.lose('chat.postMessage', some);
  slack.fail('chat.postMessage', 503, some);
  slack.fail('reactions.add', 500, some);
  slack.lose('reactions.add', some);
  slack.fail('chat.update', 500, some);
  slack.rateLimit('chat.postMessage', 1, 1);
}

async function eventOf(slack: EmbeddedSlack, { channel, ts, fileIds }: Posted) {
  const messages = (await slack.state(channel)).flatMap((one) => [one, ...one.replies]);
  const message = messages.find((one) => one.ts === ts);
  const shared: Json[] = fileIds.map((id) => ({
    type: 'file_shared',
    file_id: id,
    file: { id },
    user_id: message?.user,
    channel_id: channel,
    event_ts: ts,
  }));
  return { message: { ...message, type: 'message', channel, event_ts: ts }, shared };
}

/** Delivers each message three times, all in random order; returns all statuses. */
async function deliverAll(
  slack: EmbeddedSlack,
  events: { message: Json; shared: Json[] }[],
  random: Random,
): Promise<number[]> {
  const turns = events.flatMap((event) => Array.from({ length: DELIVERED_TIMES }, () => event));
  for (let n = turns.length - 1; n > 0; n -= 1) {
    const other = random.below(n + 1);
    const [a, b] = [turns[n], turns[other]];
    if (a && b) [turns[n], turns[other]] = [b, a];
  }
  const ids = new Map<object, string>();
  const statuses: number[] = [];
  const deliver = async (event: { message: Json; shared: Json[] }) => {
    const known = ids.get(event);
    const made = known ? await slack.redeliver(known) : await slack.sendEvent(event.message);
    ids.set(event, made[0]?.eventId ?? '');
    for (const one of event.shared)
      made.push(...(await slack.sendEvent(one, { channel: String(event.message['channel']) })));
    statuses.push(...made.map(({ status }) => status));
  };
  const line = turns.values();
  const work = async () => {
    for (const event of line) await deliver(event);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return statuses;
}

/**
 * Until the signal aborts, presses Try again as a person wherever a line of the channel asks for it
 * because the service never said whether a file arrived.
 */
async function pressRetryWhereAsked(
  slack: EmbeddedSlack,
  { channel, user }: { channel: string; user: string },
  signal: AbortSignal,
): Promise<void> {
  const pressed = new Set<string>();
  const nextAsked = async () => {
    const asking = (await repliesIn(slack, channel)).filter(({ text }) => ASKS.test(`${text}`));
    for (const ts of pressed) if (!asking.some((one) => one.ts === ts)) pressed.delete(ts);
    return asking.find(({ ts }) => !pressed.has(ts));
  };
  while (!signal.aborted) {
    const line = await slack.until(nextAsked, signal).catch(() => undefined);
    if (!line) return;
    pressed.add(line.ts);
    const message = { channel, ts: line.ts };
    await slack.press({ message, user, ...placeOfButton(line, 'Try again') });
  }
}

const ASKS = /I sent it three times without an answer/;

async function repliesIn(slack: EmbeddedSlack, channel: string): Promise<SlackMessage[]> {
  return (await slack.state(channel)).flatMap(({ replies }) => replies);
}

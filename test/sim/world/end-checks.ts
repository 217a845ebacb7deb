import { BOT, type SlackMessage } from '../slack/slack-state.ts';
import type { KnownShare } from './truth.ts';
import { MARKS } from './watch-app.ts';
import type { World } from './world.ts';

type Mark = keyof typeof MARKS;

/** Whether nothing is left to be done that people wait for. */
export function isSettled(world: World): boolean {
  if (world.slack.underWay() > 0) return false;
  return world.truth.shares.every((share) => share.excused !== null || isDone(world, share));
}

// What a channel without a folder was shared is held back, and nobody waits for it.
function isDone({ plan }: World, { message }: KnownShare): boolean {
  const marks = marksOf(message);
  if (marks.includes('inHand')) return false;
  return marks.length === 1 || !plan.hasDefault;
}

function marksOf({ reactions }: SlackMessage): Mark[] {
  const marks = Object.keys(MARKS) as Mark[];
  return marks.filter((mark) => reactions.get(MARKS[mark])?.has(BOT.user));
}

/** What must be so when a world has come to rest. */
export function checkEnd(world: World): void {
  for (const share of world.truth.shares) checkShare(world, share);
  for (const one of world.people.asked) checkAnswer(world, one);
}

function checkShare(world: World, share: KnownShare): void {
  const { truth, plan } = world;
  const { message, channel, excused } = share;
  const title = `${channel} ${message.ts}`;
  if (excused) return;
  const marks = marksOf(message);
  if (marks.length > 1) return truth.fail('one reaction', `${title} has ${marks}`);
  const [mark] = marks;
  if (!mark) {
    if (plan.hasDefault) truth.fail('no share lost', `${title} was never taken`);
    return;
  }
  if (mark === 'inHand') return truth.fail('everything settles', `${title} is still in hand`);
  const lines = linesOf(world, share);
  if (mark === 'needsYou' && lines.length === 0)
    truth.fail('reasons are told', `${title} has a warning, and no line`);
  if (mark === 'needsYou' && !mayBeRefused(world))
    truth.fail('nothing is refused without cause', `${title}: ${lines.at(-1)?.text}`);
}

function linesOf({ slack }: World, { channel, message }: KnownShare): SlackMessage[] {
  const thread = message.threadTs ?? message.ts;
  const messages = slack.state.channels.get(channel)?.messages ?? [];
  return messages.filter(({ own, threadTs }) => own && threadTs === thread);
}

// Statuses and incidents after which the app is right to ask people.
function mayBeRefused({ plan }: World): boolean {
  const { service, downloads, incidents } = plan.rates;
  const hard = service.kinds.some((kind) => 'status' in kind && kind.status < 500);
  const bytes = downloads.kinds.some(({ kind }) => kind === 'page' || kind === 'short');
  const gone = downloads.kinds.some((kind) => 'status' in kind && kind.status < 500);
  return hard || bytes || gone || incidents.length > 0;
}

const ANSWER_WITHIN_MS = 60_000;

function checkAnswer({ truth, plan }: World, asked: World['people']['asked'][number]): void {
  if (!asked.acknowledged || !asked.wantsAnswer) return;
  const troubled = plan.steps.some(({ deed }) => 'seat' in deed || deed.kind === 'outage');
  if (troubled || plan.rates.slack.probability > 0) return;
  const first = asked.answers[0];
  if (!first) return truth.fail('who asks is answered', `"${asked.what}" was never answered`);
  if (first.at - asked.askedAt > ANSWER_WITHIN_MS)
    truth.fail('who asks is answered', `"${asked.what}" took ${first.at - asked.askedAt} ms`);
}

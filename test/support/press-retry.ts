import type { EmbeddedSlack, SlackMessage } from '../../src/playground/embedded-slack/index.ts';
import { placeOfButton } from './person.ts';

/**
 * Until the signal aborts, presses Retry as a person wherever a line of the channel asks for it
 * because the service never said whether a file arrived.
 */
export async function pressRetryWhereAsked(
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
    await slack.press({ message, user, ...placeOfButton(line, 'Retry') });
  }
}

const ASKS = /the file service never said whether it arrived/;

async function repliesIn(slack: EmbeddedSlack, channel: string): Promise<SlackMessage[]> {
  return (await slack.state(channel)).flatMap(({ replies }) => replies);
}

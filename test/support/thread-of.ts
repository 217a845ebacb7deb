import type { EmbeddedSlack, SlackMessage } from '../../src/playground/embedded-slack/index.ts';

/** Resolves with what the app posted in the thread that a message is in or begins. */
export async function threadOf(
  slack: EmbeddedSlack,
  { channel, ts }: { channel: string; ts: string },
): Promise<SlackMessage[]> {
  const messages = await slack.state(channel);
  const parent = messages.find(
    (one) => one.ts === ts || one.replies.some((reply) => reply.ts === ts),
  );
  return (parent?.replies ?? []).filter((reply) => reply.bot_id !== undefined);
}

/** Resolves with the app's only line in a thread once it matches. */
export async function lineOf(
  slack: EmbeddedSlack,
  place: { channel: string; ts: string },
  pattern: RegExp,
): Promise<SlackMessage> {
  return slack.until(async () => {
    const lines = await threadOf(slack, place);
    return lines.find((line) => pattern.test(String(line.text)));
  });
}

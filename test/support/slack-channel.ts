import type {
  EmbeddedSlack,
  ShownMessage,
  SlackMessage,
} from '../../src/playground/embedded-slack/index.ts';
import { PROJECT } from './app-settings.ts';
import type { Stack } from './start-stack.ts';

/** Resolves with the message of a share once it carries this reaction and no other. */
export async function settledShare(
  slack: EmbeddedSlack,
  { channel, ts, threadTs }: { channel: string; ts: string; threadTs?: string },
  reaction = 'white_check_mark',
): Promise<ShownMessage> {
  return slack.until(async () => {
    const messages = await slack.state(channel);
    const parent = messages.find((message) => message.ts === (threadTs ?? ts));
    const message = [parent, ...(parent?.replies ?? [])].find((one) => one?.ts === ts);
    const names = message?.reactions?.map((one) => one.name) ?? [];
    return names.length === 1 && names[0] === reaction ? parent : undefined;
  });
}

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

/**
 * Links a channel to a folder of the demo project as Ada; resolves with the announcement in the
 * channel.
 */
export function linkChannel(
  stack: Stack,
  channel: string,
  folder: number | string,
): Promise<ShownMessage> {
  const target = typeof folder === 'number' ? `${PROJECT}/${folder}` : folder;
  return announced(stack, channel, () =>
    stack.slack.command({ command: '/files', text: `link ${target}`, user: 'ada', channel }),
  );
}

/** Resolves with what the app posts in the channel because of this action. */
export async function announced(
  { slack }: Stack,
  channel: string,
  act: () => Promise<unknown>,
): Promise<ShownMessage> {
  const before = new Set((await slack.state(channel)).map(({ ts }) => ts));
  await act();
  return slack.until(async () => {
    const messages = await slack.state(channel);
    return messages.find(({ ts, bot_id }) => bot_id !== undefined && !before.has(ts));
  });
}

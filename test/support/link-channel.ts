import type { ShownMessage } from '../../src/playground/embedded-slack/index.ts';
import { PROJECT } from './app-settings.ts';
import type { Stack } from './start-stack.ts';

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

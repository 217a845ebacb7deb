import { PROJECT, type Stack } from './start-stack.ts';

/** Ada links a channel to a folder of the demo project; resolves when the channel has been told. */
export async function linkChannel(stack: Stack, channel: string, folder: number): Promise<void> {
  const text = `link ${PROJECT}/${folder}`;
  await stack.slack.command({ command: '/files', text, user: 'ada', channel });
  const name = stack.service.store.folder(folder)?.name ?? '';
  await announcement(stack, channel, `filed in ${name}`);
}

/** What the app says in a channel, once it says these words. */
export function announcement(stack: Stack, channel: string, words: string) {
  return stack.slack.until(async () => {
    const messages = await stack.slack.state(channel);
    return messages.find((one) => one.bot_id && one.text?.includes(words));
  });
}

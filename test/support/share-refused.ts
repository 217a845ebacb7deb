import { vi } from 'vitest';
import type { EmbeddedSlack, Posted } from '../../src/playground/embedded-slack/index.ts';
import type { MovableClock } from './fake-clock.ts';
import { threadOf } from './slack-channel.ts';

/**
 * Shares a file that Slack does not find, until the app believes so and refuses it. Slack finds it
 * from then on.
 */
export async function shareRefusedFile(
  { slack, clock }: { slack: EmbeddedSlack; clock: MovableClock },
  { channel, name }: { channel: string; name: string },
): Promise<Posted> {
  const files = [{ name, bytes: name, variant: { download: { answer: 404 } } }];
  const posted = await slack.share({ channel, user: 'ben', files });
  // Each time later: what the app is about to do on a busy machine must not run out of time for ever.
  let [skipAt, restMs] = [0, 50];
  const isRefused = async () => {
    if (Date.now() >= skipAt) {
      clock.skip(60_000);
      skipAt = Date.now() + restMs;
      restMs *= 1.3;
    }
    return (await threadOf(slack, posted)).some(({ text }) =>
      /^Couldn’t be filed/.test(String(text)),
    );
  };
  await vi.waitUntil(isRefused, { timeout: 20_000 });
  for (const id of posted.fileIds) slack.setFileVariant(id, {});
  return posted;
}

import type { EmbeddedSlack, Posted } from '../../src/playground/embedded-slack/index.ts';
import type { MovableClock } from './fake-clock.ts';
import { lineOf } from './slack-channel.ts';

/** Longer than the app waits before it believes what Slack says. */
const LONG_MS = 10 * 60_000;

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
  for (const line of [/^Waiting for Slack/, /^Waiting: .*can’t find/]) {
    await lineOf(slack, posted, line);
    clock.skip(LONG_MS);
  }
  await lineOf(slack, posted, /^Couldn’t be filed/);
  for (const id of posted.fileIds) slack.setFileVariant(id, {});
  return posted;
}

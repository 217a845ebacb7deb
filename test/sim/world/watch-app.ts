import { virtualNow } from '../kernel/virtual-time.ts';
import type { SlackMessage } from '../slack/slack-state.ts';
import type { AppWatch } from '../slack/web-api.ts';
import type { KnownShare, Truth } from './truth.ts';

/** The reactions that a share carries: in hand, done, somebody has to look. */
export const MARKS = {
  inHand: 'hourglass_flowing_sand',
  done: 'white_check_mark',
  needsYou: 'warning',
} as const;

/** Looks at what the app says, as it says it. */
export function watchApp(truth: Truth): AppWatch {
  const told = new Set<string>();

  const isTrue = (channel: string, message: SlackMessage) => {
    if (!/^Filed\b/.test(message.text) || message.threadTs === null) return;
    const inThread = truth.shares.filter((share) => threadOf(share) === message.threadTs);
    const [only, second] = inThread;
    if (!only || second) return;
    const missing = only.message.files.filter((file) => truth.createdOf(file) === 0);
    for (const file of missing)
      truth.fail(
        'told when it is so',
        `${channel}: "${message.text}", and ${file.name} is not filed`,
      );
  };

  return {
    posted: (channel, message) => {
      isTrue(channel, message);
      const mark = JSON.stringify(message.metadata?.['event_payload'] ?? null);
      if (mark === 'null') return;
      if (told.has(mark)) truth.fail('told once', `${channel}: a second message for ${mark}`);
      told.add(mark);
    },
    updated: isTrue,
    reacted: (channel, message, { name, added }) => {
      const share = truth.shares.find((one) => one.message === message);
      if (share && added) share.markedAt ??= virtualNow();
      if (!added || name !== MARKS.done) return;
      if (!share) truth.fail('told when it is so', `${channel}: a check mark on no share`);
      for (const file of share?.message.files ?? [])
        if (truth.createdOf(file) === 0)
          truth.fail(
            'told when it is so',
            `${channel}: a check mark, and ${file.name} is not filed`,
          );
    },
  };
}

function threadOf({ message }: KnownShare): string {
  return message.threadTs ?? message.ts;
}

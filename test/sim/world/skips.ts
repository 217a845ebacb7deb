import { virtualNow } from '../kernel/virtual-time.ts';
import type { Asking } from '../slack/response-urls.ts';
import type { Ephemeral, SlackFile } from '../slack/slack-state.ts';
import type { KnownShare, Truth } from './truth.ts';

/** A press of Skip that was answered: so many files of a channel stay in Slack. */
interface Skip {
  channel: string;
  at: number;
  count: number;
}

/** What somebody left in Slack, and whether it stayed there. */
export interface Skips {
  /** Somebody pressed a button that may leave a channel's files in Slack, or have them filed after all. */
  pressed(actionId: string, asking: Asking): void;
  /** Whether somebody pressed to leave files of a channel in Slack. */
  mayHaveLeft(channel: string): boolean;
  /** Fails where more was filed than could be, had the skipped stayed. */
  check(truth: Truth): void;
}

const STAY = /(\d+) files? stays? in Slack only\./;
const LEAVE = new Set(['attention_skip', 'leave_waiting']);

export function createSkips(): Skips {
  const skips: Skip[] = [];
  const left = new Set<string>();
  const filedAfterAll: { channel: string; at: number }[] = [];

  return {
    pressed: (actionId, asking) => {
      const channel = asking.about ?? asking.channel;
      if (actionId === 'file_parked') filedAfterAll.push({ channel, at: virtualNow() });
      if (LEAVE.has(actionId)) left.add(channel);
      if (actionId === 'attention_skip')
        asking.onAnswer = ({ blocks }: Ephemeral) => {
          const [, count] = STAY.exec(JSON.stringify(blocks)) ?? [];
          if (count) skips.push({ channel, at: virtualNow(), count: Number(count) });
        };
    },
    mayHaveLeft: (channel) => left.has(channel),
    check: (truth) => {
      for (const { channel, at, count } of skips) {
        if (filedAfterAll.some((one) => one.channel === channel && one.at >= at)) continue;
        const here = truth.shares.filter(
          (share) => share.channel === channel && wasThere(share, at),
        );
        const stayed = here.flatMap((share) =>
          share.message.files.filter((file) => mayHaveStayed(truth, share, file)),
        );
        if (stayed.length < count)
          truth.fail(
            'what is skipped is not filed',
            `${channel}: ${stayed.length} of ${count} stayed`,
          );
      }
    },
  };
}

// Others may have brought it, or somebody by hand.
function mayHaveStayed(truth: Truth, share: KnownShare, file: SlackFile): boolean {
  const isBesides = truth.sharesOf(file) > 1 || truth.saves.foldersOf(share) > 0;
  return truth.createdOf(file) === 0 || isBesides;
}

function wasThere({ takenAt, markedAt }: KnownShare, at: number): boolean {
  return (takenAt !== null && takenAt <= at) || (markedAt !== null && markedAt <= at);
}

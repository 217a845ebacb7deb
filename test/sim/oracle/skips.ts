import { virtualNow } from '../kernel/virtual-time.ts';
import type { Asking, Ephemeral } from '../slack/state.ts';
import type { KnownShare, Truth } from './oracle.ts';

/** A press of Skip with its response: this many files of a channel stay in Slack. */
interface Skip {
  channel: string;
  at: number;
  count: number;
}

/** Notes what people left in Slack, and checks that it stayed there. */
export interface Skips {
  /** Notes a press that may leave a channel's files in Slack, or have them filed after all. */
  pressed(actionId: string, asking: Asking): void;
  /** Returns whether somebody pressed to leave files of a channel in Slack. */
  mayHaveLeft(channel: string): boolean;
  /** Fails if so much was filed that fewer files stayed in Slack than were skipped. */
  check(truth: Truth): void;
}

const STAY = /(\d+) files? stays? in Slack only\./;
const NONE = /Nothing was skipped/;
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
          const text = JSON.stringify(blocks);
          const [, count] = STAY.exec(text) ?? [];
          if (count) skips.push({ channel, at: virtualNow(), count: Number(count) });
          // Later content of the message may come from another press.
          if (count || NONE.test(text)) delete asking.onAnswer;
        };
    },
    mayHaveLeft: (channel) => left.has(channel),
    check: (truth) => {
      for (const { channel, at, count } of skips) {
        if (filedAfterAll.some((one) => one.channel === channel && one.at >= at)) continue;
        const here = truth.shares.filter(
          (share) => share.channel === channel && wasThere(truth, share, at),
        );
        const stayed = here.map((share) => placesLeft(truth, share)).reduce((a, b) => a + b, 0);
        if (stayed < count)
          truth.fail('what is skipped is not filed', `${channel}: ${stayed} of ${count} stayed`);
      }
    },
  };
}

// A file may be wanted in its channel's folder and, by hand, in others; each place counts. If it
// was shared or saved more than once, another share or save may have filed it.
function placesLeft(truth: Truth, share: KnownShare): number {
  const byHand = truth.saves.foldersOf(share);
  const left = share.message.files.filter(
    (file) => truth.createdOf(file) === 0 || truth.sharesOf(file) > 1 || byHand > 0,
  );
  return left.length * (1 + byHand);
}

// The app may know of a share from history before it reacts to it or takes its event, and Slack may
// keep it from reacting. In a conversation that it is not in, it knows of what somebody saved by
// hand.
function wasThere(truth: Truth, share: KnownShare, at: number): boolean {
  return truth.saves.foldersOf(share) > 0 || Number(share.message.ts) * 1000 <= at;
}

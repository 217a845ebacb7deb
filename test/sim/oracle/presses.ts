import { virtualNow } from '../kernel/virtual-time.ts';
import type { Ephemeral, UserRequest } from '../slack/state.ts';

/** A press of any button. */
export interface Press {
  actionId: string;
  value: string;
  user: string;
  channel: string;
}

interface InChannel {
  channel: string;
  user: string;
}

/** A press of Skip with its response: this many files of a channel stay in Slack. */
interface Skip {
  channel: string;
  at: number;
  count: number;
}

const STAY = /(\d+) files? stays? in Slack only\./;
const NONE = /Nothing was skipped/;
const SKIP_BUTTONS = new Set(['attention_skip', 'leave_waiting']);

/** Notes the presses of buttons by which people permit deletes, or leave files in Slack. */
export function createPresses() {
  const skips: Skip[] = [];
  const skippedIn = new Set<string>();
  const filedAfterAll: { channel: string; at: number }[] = [];
  return {
    /** The presses of Delete, and whether that person has the right to it. */
    deletes: [] as { value: string; user: string; allowed: boolean }[],
    /** The people who agreed to delete the filed copies of what was deleted in Slack. */
    copyDeletes: [] as InChannel[],
    /** The people who were asked that. */
    questions: [] as InChannel[],
    /** Notes a press that may leave a channel's files in Slack, or have them filed after all. */
    noteSkip: (actionId: string, request: UserRequest): void => {
      const channel = request.about ?? request.channel;
      if (actionId === 'file_parked') filedAfterAll.push({ channel, at: virtualNow() });
      if (SKIP_BUTTONS.has(actionId)) skippedIn.add(channel);
      if (actionId === 'attention_skip')
        request.onResponse = ({ blocks }: Ephemeral) => {
          const text = JSON.stringify(blocks);
          const [, count] = STAY.exec(text) ?? [];
          if (count) skips.push({ channel, at: virtualNow(), count: Number(count) });
          // Later content of the message may come from another press.
          if (count || NONE.test(text)) delete request.onResponse;
        };
    },
    /** Returns whether somebody pressed to leave files of a channel in Slack. */
    mayBeSkipped: (channel: string): boolean => skippedIn.has(channel),
    /** Returns the skips after which nobody had the channel's files filed after all. */
    skips: (): Skip[] =>
      skips.filter(
        ({ channel, at }) => !filedAfterAll.some((one) => one.channel === channel && one.at >= at),
      ),
  };
}

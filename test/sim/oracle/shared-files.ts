import { virtualNow } from '../kernel/virtual-time.ts';
import { SHARE_CHOICE } from '../plan/actions.ts';
import { recordResponse } from '../slack/interactions.ts';
import type { SlackMessage, UserRequest } from '../slack/state.ts';
import { SHARED } from './app-words.ts';
import type { Press } from './requests.ts';
import { recordsIn, textOf } from './shares.ts';

/** A press after this long may share the file again. */
const ONCE_WITHIN_MS = 5 * 60_000;

interface SharedFileOptions {
  /** Whether everybody in a channel may see a file. */
  mayShow(channel: string, fileId: number): boolean;
  /** Whether an instance may take a press of a moment ago for one of long ago. */
  clocksDiffer: boolean;
  fail(property: string, what: string): void;
}

/** Checks what people share from a list: the file that they chose, where they are, once. */
export function createSharedFileOracle({ mayShow, clocksDiffer, fail }: SharedFileOptions) {
  const asked: { fileId: number; request: UserRequest }[] = [];
  const posted: { key: string; at: number }[] = [];
  return {
    pressed: ({ value, menu }: Press, request: UserRequest): void => {
      if (value !== SHARE_CHOICE) return;
      asked.push({ fileId: Number(/"id":(\d+)/.exec(menu)?.[1]), request });
    },
    /** Notes a message that the app posts in a channel. */
    posted: (channel: string, message: SlackMessage): void => {
      const text = textOf(message);
      const [, user] = SHARED.exec(text) ?? [];
      if (user === undefined) return;
      const what = `${channel}: "${text}"`;
      const own = asked.filter(
        ({ request }) => request.user === user && request.channel === channel,
      );
      const shown = [...new Set(recordsIn(JSON.stringify(message.blocks)))];
      for (const fileId of shown) {
        const wanted = own.filter((one) => one.fileId === fileId);
        if (wanted.length === 0) fail('only the chosen file is shared', `${what} is ${fileId}`);
        if (!mayShow(channel, fileId))
          fail('a file is shared only where it may be seen', `${what} is ${fileId}`);
        const key = `${channel} ${user} ${fileId}`;
        const now = virtualNow();
        const isAgain = posted.some((one) => one.key === key && one.at > now - ONCE_WITHIN_MS);
        if (isAgain && !clocksDiffer) fail('what is shared from a list is shared once', what);
        posted.push({ key, at: now });
        for (const { request } of wanted)
          recordResponse(request, { channel, user, text: message.text, blocks: message.blocks });
      }
      if (shown.length !== 1) fail('only the chosen file is shared', `${what} links ${shown}`);
    },
    /** Returns how many files were shared from lists. */
    count: (): number => posted.length,
  };
}

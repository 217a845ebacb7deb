import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedSlack } from '../../../src/playground/embedded-slack/index.ts';

/** A person who types `/files` repeatedly. */
export interface Asker {
  begin(options: { everyMs: number }): void;
  end(options: { withinMs: number }): Promise<number[]>;
}

export function createAsker(slack: () => EmbeddedSlack, channel: string): Asker {
  const answers: Promise<number>[] = [];
  let timer: NodeJS.Timeout | undefined;
  return {
    begin: ({ everyMs }) => {
      timer = setInterval(() => answers.push(ask(slack(), channel)), everyMs);
    },
    end: ({ withinMs }) => {
      clearInterval(timer);
      const tooLate = sleep(withinMs, Number.POSITIVE_INFINITY, { ref: false });
      return Promise.all(answers.map((answer) => Promise.race([answer, tooLate])));
    },
  };
}

/** The message that a list takes a while; it is no list yet. */
const LOOKING = /^This takes a moment. The answer comes in a new message.$/;
/** The words that come instead of a list. */
const TROUBLE = /Try again/;

// Measures from the command to the list that the person sees; infinite if none comes.
async function ask(slack: EmbeddedSlack, channel: string): Promise<number> {
  const begun = performance.now();
  try {
    const reaction = await slack.command({ command: '/files', user: 'cleo', channel });
    const answer = () => reaction.ephemerals.find(({ text }) => !LOOKING.test(String(text)));
    const { text } = await slack.until(answer);
    return TROUBLE.test(String(text)) ? Number.POSITIVE_INFINITY : performance.now() - begun;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

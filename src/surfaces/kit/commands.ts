import { type Asked, answer, type Handler, type StagedView } from './answer.ts';
import { MAX_FILTER_LENGTH } from './claims.ts';
import type { View } from './layout.ts';
import { nearest } from './nearest.ts';
import { DONE } from './refusals.ts';
import type { Doing } from './service-trouble.ts';
import type { Listen, SurfaceContext } from './surface-context.ts';

/** A verb of `/files`, such as `find` in `/files find plan`. */
export interface Verb {
  name: string;
  /** Other words for it, which people know from other commands. */
  synonyms?: readonly string[];
  /** Whether a word that is nearly this one may mean it. Default: true. */
  isGuessed?: false;
  /** Whether it is meant if what is typed begins with no verb. Default: false; one verb is it. */
  isDefault?: true;
  /** Selects the wording of an error message. */
  doing: Doing;
  /** What follows "looking" if the outcome shows elsewhere, by the text. Default: DONE. */
  afterLooking?(rest: string): View;
  run: Handler<Typed, StagedView | null>;
}

/** What was typed: `rest` after the verb; all of it if it began with no verb. */
interface Typed {
  rest: string;
  /** The command that may have been meant, if it began with no verb. */
  nearest?: string | undefined;
}

interface Command extends Pick<Verb, 'doing'> {
  afterLooking: View;
  run(asked: Asked): Promise<StagedView | null>;
}

/** Handles `/files` by its verbs. */
export function listenForFiles(verbs: readonly Verb[]): Listen {
  return onCommand('/files', (text, context) => {
    const { verb, ...typed } = readFilesText(text, verbs);
    return {
      doing: verb.doing,
      afterLooking: verb.afterLooking?.(typed.rest) ?? DONE,
      run: (asked) => verb.run(asked, typed, context),
    };
  });
}

/** Handles a slash command: answers what `commandOf` makes of the text after it. */
export function onCommand(
  name: string,
  commandOf: (text: string, context: SurfaceContext) => Command,
): Listen {
  return (app, context) =>
    app.command(name, async ({ ack, command, respond }) => {
      await ack();
      const { channel_id: channel, user_id: userId, team_id: userTeam } = command;
      const asker = { channel, userId, userTeam, triggerId: command.trigger_id };
      const { run, ...options } = commandOf(command.text ?? '', context);
      await answer({ asker, respond, ...options }, context, run);
    });
}

/**
 * Parses the text of a `/files` command by its first word. Text without a verb is for the default
 * one, which lists what has it in its name, also when it is nearly a command: "line" and "stats" are
 * in names, too.
 */
export function readFilesText(raw: string, verbs: readonly Verb[]): Typed & { verb: Verb } {
  const text = raw.trim();
  const [first = ''] = text.split(/\s+/);
  const word = first.toLowerCase();
  const rest = text.slice(first.length).trim();
  const verb = verbs.find(({ name, synonyms = [] }) => name === word || synonyms.includes(word));
  if (verb) return { verb, rest };
  const [fallback] = verbs.filter(({ isDefault }) => isDefault);
  if (!fallback) throw new Error('No verb is the default');
  const guessed = verbs.filter(({ isGuessed = true }) => isGuessed).map(({ name }) => name);
  const meant = nearestVerb(word, guessed);
  return {
    ...{ verb: fallback, rest: text },
    nearest: meant === null ? undefined : `${meant} ${rest}`.trim(),
  };
}

// An asterisk that stands for the rest of a name, as in `*.pdf`.
const WILDCARDS = /(?<=^|\s)\*+|\*+(?=\s|$)/g;

/** Returns the words that a list or a search looks for, of what was typed. */
export function asFilter(words: string): string {
  return words.replace(WILDCARDS, '').trim().slice(0, MAX_FILTER_LENGTH);
}

function nearestVerb(word: string, verbs: readonly string[]): string | null {
  return word.length < 3 || word.length > 8 ? null : nearest(word, verbs);
}

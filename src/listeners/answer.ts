import type { RespondArguments, RespondFn } from '@slack/bolt';
import { PigeonholeError } from '../base/index.ts';
import { type Doing, serviceTrouble, slowDown, type View } from '../blocks/index.ts';
import { ServiceError } from '../service/index.ts';
import { forPerson } from './for-person.ts';
import type { ListenerContext } from './listener-context.ts';

export interface AnswerOptions {
  respond: RespondFn;
  /** What is being done, for the words of a failure. */
  doing: Doing;
  /** Who asked. */
  by: string;
  /** Put the answer in the place of the message that holds the button. */
  replace?: boolean;
}

/** What is shown, and what takes its place when more is known. */
export interface StagedView extends View {
  rest?: () => Promise<View>;
}

/**
 * Answers a command or a button privately with what `make` resolves to, who works with the context
 * of the person who asked. A failure becomes plain words with a reference that finds it in the log;
 * null means that there is nothing to say. Who asks for more than one person may is told to wait.
 * What completes a view comes in its place; Slack puts it below the view where a command was typed.
 */
export async function answer(
  options: AnswerOptions,
  context: ListenerContext,
  make: (own: ListenerContext) => Promise<StagedView | null>,
): Promise<void> {
  const turn = context.turns.take(options.by);
  if ('waitMs' in turn) return sayInstead(slowDown(turn), options, context);
  try {
    const view = await make(forPerson(context, options.by));
    if (view) await options.respond(message(view, options.replace ?? false));
    if (view?.rest) await options.respond(message(await view.rest(), true));
  } catch (error) {
    await sayInstead(explain(error, options.doing, context), options, context);
  } finally {
    turn.end({ counts: true });
  }
}

async function sayInstead(
  view: View,
  { respond }: AnswerOptions,
  { logger }: ListenerContext,
): Promise<void> {
  await respond(message(view, false)).catch((failure: unknown) =>
    logger.warn({ error: failure }, 'An answer could not be delivered'),
  );
}

function message({ text, blocks }: View, replace: boolean): RespondArguments {
  return { response_type: 'ephemeral', replace_original: replace, text, blocks };
}

function explain(error: unknown, doing: Doing, { logger, random }: ListenerContext): View {
  const reference = random.id().slice(0, 8);
  const code = error instanceof PigeonholeError ? error.code : 'UNEXPECTED';
  const { retryAfterMs = null, said: note = null } = error instanceof ServiceError ? error : {};
  logger.warn({ error, reference, doing }, 'A command could not be answered');
  return serviceTrouble({ code, note, retryAfterMs, reference, doing });
}

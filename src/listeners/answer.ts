import type { RespondArguments, RespondFn } from '@slack/bolt';
import { PigeonholeError } from '../base/index.ts';
import { type Doing, serviceTrouble, type View } from '../blocks/index.ts';
import { ServiceError } from '../service/index.ts';
import type { ListenerContext } from './listener-context.ts';

export interface AnswerOptions {
  respond: RespondFn;
  /** What is being done, for the words of a failure. */
  doing: Doing;
  /** Put the answer in the place of the message that holds the button. */
  replace?: boolean;
}

/**
 * Answers a command or a button privately with what `make` resolves to. A failure becomes plain
 * words with a reference that finds it in the log; null means that there is nothing to say.
 */
export async function answer(
  { respond, doing, replace = false }: AnswerOptions,
  context: ListenerContext,
  make: () => Promise<View | null>,
): Promise<void> {
  try {
    const view = await make();
    if (view) await respond(message(view, replace));
  } catch (error) {
    const trouble = explain(error, doing, context);
    await respond(message(trouble, false)).catch((failure: unknown) =>
      context.logger.warn({ error: failure }, 'An answer could not be delivered'),
    );
  }
}

function message({ text, blocks }: View, replace: boolean): RespondArguments {
  return { response_type: 'ephemeral', replace_original: replace, text, blocks };
}

function explain(error: unknown, doing: Doing, { logger, random }: ListenerContext): View {
  const reference = random.id().slice(0, 8);
  const code = error instanceof PigeonholeError ? error.code : 'UNEXPECTED';
  const retryAfterMs = error instanceof ServiceError ? (error.retryAfterMs ?? null) : null;
  logger.warn({ error, reference, doing }, 'A command could not be answered');
  return serviceTrouble({ code, retryAfterMs, reference, doing });
}

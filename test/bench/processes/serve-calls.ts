import type { Calls, Question, Reply } from './calls.ts';

/** Serves the calls of the parent process, and ends with it. */
export function serveCalls<C extends Calls>(calls: C): void {
  process.on('message', (question: Question) => {
    void answer(calls, question).then((reply) => process.send?.(reply));
  });
  process.on('disconnect', () => process.exit(0));
}

async function answer(calls: Calls, { id, name, argument }: Question): Promise<Reply> {
  try {
    const call = calls[name] as ((argument: unknown) => unknown) | undefined;
    if (!call) throw new Error(`There is no call ${name}`);
    return { id, value: await call(argument) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** How many characters to read before yielding to the event loop: a few milliseconds of work. */
const IN_ONE_TURN = 5_000;
/** What a record costs beside its text, in characters. */
const EACH = 20;

/**
 * Resolves with what `read` returns for each record, in order. Yields regularly, by the length of
 * the text that is read of each.
 */
export async function inTurns<T, V extends { text: string }>(
  records: readonly T[],
  read: (record: T) => V,
): Promise<V[]> {
  const all: V[] = [];
  let left = IN_ONE_TURN;
  for (const record of records) {
    const made = read(record);
    all.push(made);
    left -= EACH + made.text.length;
    if (left > 0) continue;
    await nextTurn();
    left = IN_ONE_TURN;
  }
  return all;
}

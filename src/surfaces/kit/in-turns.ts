import { setImmediate as nextTurn } from 'node:timers/promises';

/** How many characters to make before yielding to the event loop: a few milliseconds at most. */
const IN_ONE_TURN = 5_000;
/** What a record costs beside its text, in characters. */
const EACH = 20;

/**
 * Resolves with what `make` returns for each record, in order. Yields regularly, by the length of
 * the texts that are made.
 */
export async function inTurns<T, V extends { text: string }>(
  records: readonly T[],
  make: (record: T) => V,
): Promise<V[]> {
  const all: V[] = [];
  let left = IN_ONE_TURN;
  for (const record of records) {
    const made = make(record);
    all.push(made);
    left -= EACH + made.text.length;
    if (left > 0) continue;
    await nextTurn();
    left = IN_ONE_TURN;
  }
  return all;
}

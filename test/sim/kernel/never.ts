/**
 * Returns a new promise that never settles. One shared promise would keep everything that ever
 * awaited it in memory, and with that every world.
 */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

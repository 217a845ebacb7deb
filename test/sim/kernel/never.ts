/**
 * A promise that never settles. Each is one of its own: one for all would keep whatever ever waited
 * for it, and with it every world.
 */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

import { setImmediate as turnEnds } from 'node:timers/promises';
import type { Db } from './schema.ts';

/** Runs one call of the ledger. */
export type RunCall = <T>(call: (db: Db) => Promise<T>) => Promise<T>;

interface Waiting {
  /** Whether it resolves only when its effect is on disk. */
  awaitsDisk: boolean;
  /** Runs the call; returns a function that resolves it, for after the commit. */
  run(trx: Db): Promise<() => void>;
  /** Runs the call outside the shared transaction, and settles it. */
  runAlone(): Promise<void>;
}

/**
 * Runs calls made in one turn of the event loop, or during another commit, in one transaction: a
 * commit waits for the disk, so that all of them wait once. If one fails, all are rolled back and
 * each runs by itself, so that only the failing one rejects.
 *
 * A change made by `onDisk` is on disk when its call resolves. One made by `soon` may be undone by a
 * power failure, with every change after it, but none that a call of `onDisk` had waited for.
 */
export function shareCommits(
  db: Db,
  awaitDisk: (awaits: boolean) => void = () => undefined,
): { onDisk: RunCall; soon: RunCall } {
  let waiting: Waiting[] = [];
  let committing = false;

  async function commitAll(): Promise<void> {
    committing = true;
    while (waiting.length > 0) {
      await turnEnds();
      const together = waiting;
      waiting = [];
      awaitDisk(together.some(({ awaitsDisk }) => awaitsDisk));
      await commit(db, together);
    }
    committing = false;
  }

  function runCall(awaitsDisk: boolean): RunCall {
    return <T>(call: (db: Db) => Promise<T>) => {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      waiting.push({
        awaitsDisk,
        run: (trx) => call(trx).then((result) => () => resolve(result)),
        runAlone: () => call(db).then(resolve, reject),
      });
      if (!committing) void commitAll();
      return promise;
    };
  }

  return { onDisk: runCall(true), soon: runCall(false) };
}

async function commit(db: Db, together: readonly Waiting[]): Promise<void> {
  const [first, second] = together;
  if (!second) return first?.runAlone();
  try {
    const committed = await db.transaction().execute(async (trx) => {
      const done: (() => void)[] = [];
      for (const one of together) done.push(await one.run(trx));
      return done;
    });
    for (const resolve of committed) resolve();
  } catch {
    for (const one of together) await one.runAlone();
  }
}

/**
 * Combines waiting inputs into one call, for work that a few statements can do for all of them. If
 * that fails, each input runs by itself, so that only the failing one rejects.
 */
export function inBatches<I, O>(
  run: RunCall,
  callAll: (db: Db, inputs: readonly I[]) => Promise<O[]>,
): (input: I) => Promise<O> {
  let open: { inputs: I[]; outputs: Promise<O[]> } | null = null;

  async function runAll(inputs: I[]): Promise<O[]> {
    await null;
    return run((db) => {
      if (open?.inputs === inputs) open = null;
      return callAll(db, inputs);
    });
  }

  function begin() {
    const inputs: I[] = [];
    return { inputs, outputs: runAll(inputs) };
  }

  return async (input) => {
    open ??= begin();
    const { inputs, outputs } = open;
    const at = inputs.push(input) - 1;
    try {
      return (await outputs)[at] as O;
    } catch (error) {
      if (inputs.length === 1) throw error;
      return (await run((db) => callAll(db, [input])))[0] as O;
    }
  };
}

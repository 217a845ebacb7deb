import { setImmediate as nextTurn } from 'node:timers/promises';
import { type LedgerError, toLedgerError } from './ledger-error.ts';
import type { Db, Dialect } from './schema.ts';
import * as statements from './statements.ts';

/**
 * Returns the ledger's methods: the statements, bound to the database. Calls made in one turn of the
 * event loop share a commit. All reject with LedgerError only.
 */
export function callsOf(db: Db, { embedded, awaitDisk }: Dialect) {
  const direct: RunCall = (call) => call(db);
  const { onDisk, soon } = embedded
    ? shareCommits(db, awaitDisk)
    : { onDisk: direct, soon: direct };
  // Only a call that reads a damaged page notices it, so that the check has to remember it.
  let damage: LedgerError | null = null;
  const guard = <Rest extends unknown[], T>(call: (...rest: Rest) => Promise<T>) => {
    return async (...rest: Rest): Promise<T> => {
      try {
        return await call(...rest);
      } catch (cause) {
        const error = toLedgerError(cause);
        if (error.code === 'LEDGER_CORRUPT') damage = error;
        throw error;
      }
    };
  };
  const bind = <Rest extends unknown[], T>(
    name: string,
    call: (db: Db, ...rest: Rest) => Promise<T>,
  ) => {
    const run = NEED_NO_DISK.has(name) ? soon : onDisk;
    return guard((...rest: Rest) => run((trx) => call(trx, ...rest)));
  };
  return {
    ...bindAll(statements, bind),
    // Bound by itself: bindAll widens its row to those of all kinds.
    claimRow: bind('claimRow', statements.claimRow),
    /** Rejects if the database does not work, and until a restart once a call has met damage. */
    check: guard(async () => {
      if (damage) throw damage;
      await onDisk(statements.tryWriting);
    }),
    close: guard(() => db.destroy()),
  };
}

/**
 * Calls that do not wait for the disk. Some only read, beside others that would wait with them. A
 * power failure may undo the others, which does no harm: a lease is claimed anew, an upload repeated,
 * a message found again by the intent that is on disk (only a line in direct messages may be sent
 * twice). A reaction is replaced only after a change of its files, and that change takes the
 * reaction's intent to the disk.
 */
const NEED_NO_DISK: ReadonlySet<string> = new Set<keyof typeof statements>([
  'nextDue',
  'nextFiling',
  'findLink',
  'transfersOfShare',
  'countAhead',
  'claimRow',
  'renewLeases',
  'release',
  'markUploaded',
  'beginReaction',
  'finishNotification',
]);

type Statement = (db: Db, ...rest: never[]) => Promise<unknown>;

/** A module's exported statements, without their first parameter, the database. */
type Calls<Module> = {
  [Name in keyof Module as Module[Name] extends Statement ? Name : never]: Module[Name] extends (
    db: Db,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

type BareCall = (db: Db, ...rest: unknown[]) => Promise<unknown>;

function bindAll<Module extends object>(
  module: Module,
  bind: (name: string, call: BareCall) => (...rest: unknown[]) => Promise<unknown>,
): Calls<Module> {
  const bound = Object.entries(module).flatMap(([name, call]: [string, unknown]) =>
    typeof call === 'function' ? [[name, bind(name, async (...rest) => call(...rest))]] : [],
  );
  return Object.fromEntries(bound);
}

type RunCall = <T>(call: (db: Db) => Promise<T>) => Promise<T>;

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
      await nextTurn();
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

import { DatabaseSync, StatementSync } from 'node:sqlite';
import { currentOwner, runAs, type TimerOwner } from './virtual-time.ts';

/**
 * One process of the app. Just before and just after each of its effects on the world is a crash
 * point, where it may be killed. From then on it has no effect, and nothing that it awaits ever
 * arrives.
 */
export class SimProcess implements TimerOwner {
  readonly name: string;
  dead = false;
  /** How often it was paused. */
  pauses = 0;
  #crashPointsLeft = Number.POSITIVE_INFINITY;
  #deathHooks: (() => void)[] = [];
  #paused: PromiseWithResolvers<void> | null = null;
  #deferred: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  killAtCrashPoint(n: number): void {
    this.#crashPointsLeft = n;
  }

  kill(): void {
    if (this.dead) return;
    this.dead = true;
    for (const die of this.#deathHooks.splice(0)) runAs(null, die);
  }

  /** Calls `die` when the process dies, or at once if it is dead. */
  onDeath(die: () => void): void {
    if (this.dead) die();
    else this.#deathHooks.push(die);
  }

  /** Pauses it; returns a function that ends the pause and delivers what arrived meanwhile. */
  pause(): () => void {
    const paused = Promise.withResolvers<void>();
    this.#paused = paused;
    this.pauses += 1;
    return () => {
      if (this.#paused === paused) this.#paused = null;
      paused.resolve();
      for (const work of this.#deferred.splice(0)) this.whenRunning(work);
    };
  }

  get isPaused(): boolean {
    return this.#paused !== null;
  }

  whenRunning(work: () => void): void {
    if (this.dead) return;
    if (this.#paused) this.#deferred.push(work);
    else work();
  }

  /** Resolves at once, or at the end of a pause. */
  async running(): Promise<void> {
    await this.#paused?.promise;
  }

  /** Passes a crash point. Throws if the process is killed here or is already dead. */
  crashPoint(): void {
    this.#crashPointsLeft -= 1;
    if (this.#crashPointsLeft <= 0) this.kill();
    if (this.dead) throw new Error(`${this.name} is dead`);
  }

  /** Sends something out into the world and awaits the result; a dead process does neither. */
  async effect<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.running();
      this.crashPoint();
      const result = await runAs(null, work);
      await this.running();
      this.crashPoint();
      return result;
    } catch (error) {
      await this.running();
      if (this.dead) return never();
      throw error;
    }
  }

  run<T>(work: () => T): T {
    return runAs(this, work);
  }

  /** Awaits something inside the process; never settles once the process is dead. */
  async unlessDead<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work;
      return this.dead ? never() : result;
    } catch (error) {
      if (this.dead) return never();
      throw error;
    }
  }
}

/**
 * Returns a new promise that never settles. One shared promise would keep everything that ever
 * awaited it in memory, and with that every world.
 */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * Awaits what `begin` starts until `signal` is aborted, and then rejects with `reason`. What is
 * aborted before it begins is never started.
 */
export async function unlessAborted<T>(
  signal: AbortSignal | null | undefined,
  begin: () => Promise<T>,
  reason: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal?.aborted) throw reason();
  const work = begin();
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const leave = () => aborted.reject(reason());
  signal.addEventListener('abort', leave);
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', leave);
    work.catch(() => undefined);
  }
}

const SQLITE_ERRORS = {
  full: { errcode: 13, errstr: 'database or disk is full' },
  io: { errcode: 10, errstr: 'disk I/O error' },
};

/** Called before each statement that writes; returns its fault, or null. */
type DiskFaults = (process: SimProcess, statement: string) => keyof typeof SQLITE_ERRORS | null;

let diskFaults: DiskFaults = () => null;
const opened = new WeakMap<SimProcess, Set<DatabaseSync>>();

/** From now on, `faults` decides which statements fail. */
export function setDiskFaults(faults: DiskFaults): void {
  diskFaults = faults;
}

/**
 * Makes every SQLite statement of a simulated process an effect with crash points. A dead process's
 * open transaction is rolled back, as in a crash. Cannot be undone in this process.
 */
export function installDisk(): void {
  const { exec, prepare } = DatabaseSync.prototype;
  for (const name of ['run', 'all'] as const) {
    const execute = StatementSync.prototype[name];
    const value = function (this: StatementSync, ...args: unknown[]) {
      return executeStatement(this.sourceSQL, () => Reflect.apply(execute, this, args));
    };
    Object.defineProperty(StatementSync.prototype, name, { value });
  }
  DatabaseSync.prototype.exec = function (text) {
    closeOnDeath(this);
    exec.call(this, text);
  };
  DatabaseSync.prototype.prepare = function (...args) {
    closeOnDeath(this);
    return prepare.apply(this, args);
  };
}

function executeStatement<T>(text: string, execute: () => T): T {
  const owner = currentOwner();
  if (!(owner instanceof SimProcess)) return execute();
  owner.crashPoint();
  const fault = /^\s*(select|pragma|rollback)/i.test(text) ? null : diskFaults(owner, text);
  if (fault) {
    const { errcode, errstr } = SQLITE_ERRORS[fault];
    throw Object.assign(new Error(errstr), { code: 'ERR_SQLITE_ERROR', errcode, errstr });
  }
  const result = execute();
  owner.crashPoint();
  return result;
}

// A database belongs to the process that opened it and is closed when that process dies, which
// rolls back its open transactions.
function closeOnDeath(database: DatabaseSync): void {
  const owner = currentOwner();
  if (!(owner instanceof SimProcess)) return;
  const known = opened.get(owner) ?? new Set();
  if (known.has(database)) return;
  known.add(database);
  opened.set(owner, known);
  owner.onDeath(() => {
    if (database.isOpen) database.close();
  });
}

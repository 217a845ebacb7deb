import { DatabaseSync, StatementSync } from 'node:sqlite';
import { currentOwner, runAs, type TimerOwner } from './virtual-time.ts';

/** Thrown in place of the next action of a dead process; nothing catches it. */
class ProcessDied extends Error {
  constructor(name: string) {
    super(`${name} is dead`);
  }
}

/**
 * One process of the app. Each of its effects on the world passes an `edge`, where it may be
 * killed. From then on it has no effect, and nothing that it awaits ever arrives.
 */
export class SimProcess implements TimerOwner {
  readonly name: string;
  dead = false;
  /** How often it was paused. */
  pauses = 0;
  #edgesLeft = Number.POSITIVE_INFINITY;
  #dyings: (() => void)[] = [];
  #paused: PromiseWithResolvers<void> | null = null;
  #deferred: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Kills it at the n-th edge from now: just before or just after a statement or a message. */
  killAtEdge(n: number): void {
    this.#edgesLeft = n;
  }

  kill(): void {
    if (this.dead) return;
    this.dead = true;
    for (const die of this.#dyings.splice(0)) runAs(null, die);
  }

  /** Calls `die` when the process dies, or at once if it is dead. */
  onDeath(die: () => void): void {
    if (this.dead) die();
    else this.#dyings.push(die);
  }

  /**
   * Pauses it; returns a function that ends the pause. What arrives meanwhile is delivered at the
   * end.
   */
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

  /** Passes one edge. Throws ProcessDied if the process is killed here or is already dead. */
  pass(): void {
    if (this.dead) throw new ProcessDied(this.name);
    this.#edgesLeft -= 1;
    if (this.#edgesLeft > 0) return;
    this.kill();
    throw new ProcessDied(this.name);
  }

  /** Sends something out into the world and awaits the result; a dead process does neither. */
  async edge<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.running();
      this.pass();
      const result = await runAs(null, work);
      await this.running();
      this.pass();
      return result;
    } catch (error) {
      await this.running();
      if (this.dead) return never();
      throw error;
    }
  }

  /** Runs something as this process. */
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

/** The fault of one statement; null: none. */
type DiskFault = 'full' | 'io' | null;

/** Called before each statement that writes; returns its fault. */
type DiskFaults = (process: SimProcess, statement: string) => DiskFault;

const SQLITE_ERRORS = {
  full: { errcode: 13, errstr: 'database or disk is full' },
  io: { errcode: 10, errstr: 'disk I/O error' },
};

let faults: DiskFaults = () => null;
const opened = new WeakMap<SimProcess, Set<DatabaseSync>>();

/** From now on, `next` decides which statements fail. */
export function failDisk(next: DiskFaults): void {
  faults = next;
}

/**
 * Makes every SQLite statement of a simulated process an edge: the process may be killed just
 * before or just after it. A dead process's open transaction is rolled back, as in a crash. Cannot
 * be undone in this process.
 */
export function installDisk(): void {
  const { run, all } = StatementSync.prototype;
  const { exec } = DatabaseSync.prototype;
  const prepare = DatabaseSync.prototype.prepare;
  const statements = StatementSync.prototype;
  replace(statements, 'run', function (...args) {
    return around(this.sourceSQL, () => Reflect.apply(run, this, args));
  });
  replace(statements, 'all', function (...args) {
    return around(this.sourceSQL, () => Reflect.apply(all, this, args));
  });
  DatabaseSync.prototype.exec = function (text) {
    adopt(this);
    exec.call(this, text);
  };
  DatabaseSync.prototype.prepare = function (...args) {
    adopt(this);
    return prepare.apply(this, args);
  };
}

function replace(
  statements: StatementSync,
  name: 'run' | 'all',
  by: (this: StatementSync, ...args: unknown[]) => unknown,
): void {
  Object.defineProperty(statements, name, { value: by });
}

function around<T>(text: string, execute: () => T): T {
  const owner = currentOwner();
  if (!(owner instanceof SimProcess)) return execute();
  owner.pass();
  const fault = /^\s*(select|pragma|rollback)/i.test(text) ? null : faults(owner, text);
  if (fault) throw sqliteError(fault);
  const result = execute();
  owner.pass();
  return result;
}

function sqliteError(fault: keyof typeof SQLITE_ERRORS): Error {
  const { errcode, errstr } = SQLITE_ERRORS[fault];
  return Object.assign(new Error(errstr), { code: 'ERR_SQLITE_ERROR', errcode, errstr });
}

// A database belongs to the process that opened it and is closed when that process dies, which
// rolls back its open transactions.
function adopt(database: DatabaseSync): void {
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

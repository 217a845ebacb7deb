import { DatabaseSync, StatementSync } from 'node:sqlite';
import { SimProcess } from './sim-process.ts';
import { currentOwner } from './virtual-time.ts';

/** The fault of one statement; null: none. */
export type DiskFault = 'full' | 'io' | null;

/** Called before each statement that writes; returns its fault. */
export type DiskFaults = (process: SimProcess, statement: string) => DiskFault;

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

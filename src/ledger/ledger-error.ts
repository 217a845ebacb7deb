import { type ErrorCode, type ErrorDetails, PigeonholeError } from '../base/index.ts';

export type LedgerErrorCode = Extract<ErrorCode, `LEDGER_${string}` | 'LEASE_LOST'>;

/**
 * A failure of the database. LEDGER_UNAVAILABLE and LEDGER_CONFLICT may pass; LEDGER_UNRECORDABLE
 * and LEASE_LOST concern one call only; the others need a person. Only LEDGER_UNRECORDABLE would
 * recur whatever happens meanwhile, so only its `retry` is `never`.
 */
export class LedgerError extends PigeonholeError {
  declare readonly code: LedgerErrorCode;

  constructor(code: LedgerErrorCode, message: string, details: Pick<ErrorDetails, 'cause'> = {}) {
    super(code, message, { ...details, retry: code === 'LEDGER_UNRECORDABLE' ? 'never' : 'later' });
  }
}

/** Returns the error for a write that changed no row: another worker holds the row now. */
export function leaseLost(what: string): LedgerError {
  return new LedgerError('LEASE_LOST', `${what} is held by another worker`);
}

/**
 * PostgreSQL's data exceptions, constraint violations except uniqueness, and values too long for an
 * index: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const PG_UNRECORDABLE = /^(22...|23(?!505)...|54000)$/;

/** A failure's code, and what the operator can do about it. */
type Kind = [code: LedgerErrorCode, advice: string];

const UNRECORDABLE: Kind = ['LEDGER_UNRECORDABLE', 'the database does not take this data'];

const DAMAGED: Kind = [
  'LEDGER_CORRUPT',
  'the database is damaged; stop Pigeonhole, and restore it from a backup',
];

function unavailable(advice: string): Kind {
  return ['LEDGER_UNAVAILABLE', advice];
}

// https://www.sqlite.org/rescode.html: extended codes, or the primary codes that they belong to
const SQLITE: Record<number, Kind> = {
  5: ['LEDGER_IN_USE', 'another process has the database open; stop it or choose another DATA_DIR'],
  8: unavailable('the database isn’t writable; check the rights of DATA_DIR'),
  10: unavailable(
    'the disk failed to read or write; check it, and that it is not mounted read-only',
  ),
  11: DAMAGED,
  13: unavailable('the disk of DATA_DIR is full; make room'),
  14: unavailable('the database file cannot be opened; check that DATA_DIR exists and is writable'),
  18: UNRECORDABLE,
  275: UNRECORDABLE, // SQLITE_CONSTRAINT_CHECK
  787: UNRECORDABLE, // SQLITE_CONSTRAINT_FOREIGNKEY
  1299: UNRECORDABLE, // SQLITE_CONSTRAINT_NOTNULL
  19: ['LEDGER_CONFLICT', 'it is tried again when the other is through'],
  20: UNRECORDABLE,
  26: ['LEDGER_CORRUPT', 'pigeonhole.sqlite isn’t a database; restore it or move it away'],
};

interface Circumstances {
  /** What the message begins with. Default: `database`. */
  where?: string;
  /** For a failure that ends the start: the setting to check. Absent: the caller retries. */
  setting?: 'DATA_DIR' | 'DATABASE_URL';
}

/** Returns any error of a driver as a LedgerError; a LedgerError as it is. */
export function toLedgerError(error: unknown, circumstances: Circumstances = {}): LedgerError {
  if (error instanceof LedgerError) return error;
  const { where = 'database', setting } = circumstances;
  const message = error instanceof Error ? error.message : String(error);
  const [code, advice] = sqliteProblem(error) ?? systemProblem(error, setting);
  return new LedgerError(code, `${where}: ${advice} (${message})`, { cause: error });
}

/** Returns whether a failure concerns the data of one call only, and would recur. */
export function isUnrecordable(error: unknown): boolean {
  return toLedgerError(error).code === 'LEDGER_UNRECORDABLE';
}

function sqliteProblem(error: unknown): Kind | undefined {
  const code = Number(fieldOf(error, 'errcode') ?? 0);
  return SQLITE[code] ?? SQLITE[code & 0xff];
}

const NOT_WRITABLE =
  'DATA_DIR isn’t writable; check its rights, and that its disk is not mounted read-only';

const SYSTEM: Record<string, Kind> = {
  EACCES: unavailable(NOT_WRITABLE),
  EPERM: unavailable(NOT_WRITABLE),
  EROFS: unavailable(NOT_WRITABLE),
  'mkdir ENOENT': unavailable(
    'DATA_DIR cannot be made there; check that its disk is not mounted read-only, or choose another',
  ),
  ENOSPC: unavailable('the disk of DATA_DIR is full; make room'),
  ENOTDIR: unavailable('DATA_DIR isn’t a folder; choose another'),
  EEXIST: unavailable('DATA_DIR isn’t a folder; choose another'),
  // PostgreSQL's codes for damaged data and damaged indexes.
  XX001: DAMAGED,
  XX002: DAMAGED,
  '23505': ['LEDGER_CONFLICT', 'it is tried again later'], // PostgreSQL's unique_violation
};

/** Why PostgreSQL lets nobody in, by its code. */
const PG_REFUSALS: Record<string, string> = {
  '28000': 'it does not let this user in',
  '28P01': 'it does not accept the password of this user',
  '3D000': 'it has no database of this name',
  '42501': 'this user may not create or change its tables',
};

/** PostgreSQL's refusal of a connection without TLS, and Node's of a certificate. */
const OF_TLS = /no encryption|SSL off|certificate/i;
/** The driver’s message for a server without TLS, when PGSSLMODE asks for it. */
const WITHOUT_TLS = /does not support SSL/;
const TLS_ADVICE =
  'set PGSSLMODE to require, or to no-verify where the host signs its own certificate, as Heroku does; then start again';

function systemProblem(error: unknown, setting: Circumstances['setting']): Kind {
  const code = String(fieldOf(error, 'code') ?? '');
  if (PG_UNRECORDABLE.test(code)) return UNRECORDABLE;
  const next = setting ? `check ${setting}, and start again` : 'it is tried again';
  const syscall = fieldOf(error, 'syscall');
  // PostgreSQL's host or socket may be missing or refuse: that says nothing about DATA_DIR.
  if (syscall === 'connect' || syscall === 'getaddrinfo')
    return unavailable(`it cannot be reached; ${next}`);
  if (setting === 'DATABASE_URL' && error instanceof Error && OF_TLS.test(error.message))
    return unavailable(TLS_ADVICE);
  if (setting === 'DATABASE_URL' && error instanceof Error && WITHOUT_TLS.test(error.message))
    return unavailable('it does not offer TLS; turn that on there, or set PGSSLMODE to disable');
  const refusal = PG_REFUSALS[code];
  if (refusal) return unavailable(`${refusal}; ${next}`);
  const key = code === 'ENOENT' && syscall === 'mkdir' ? 'mkdir ENOENT' : code;
  return SYSTEM[key] ?? unavailable(`it cannot be used; ${next}`);
}

/** Returns a field that a driver or the system sets on its errors. */
function fieldOf(error: unknown, field: string): unknown {
  return error instanceof Error ? Reflect.get(error, field) : undefined;
}

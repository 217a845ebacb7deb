import { type ErrorCode, PigeonholeError } from '../base/index.ts';

export type LedgerErrorCode = Extract<ErrorCode, `LEDGER_${string}` | 'LEASE_LOST'>;

/** A failure of the database. LEDGER_UNAVAILABLE may pass; the others need a person. */
export class LedgerError extends PigeonholeError {
  declare readonly code: LedgerErrorCode;
}

/** Zero rows were written: another worker holds the transfer now. */
export function leaseLost(what: string): LedgerError {
  return new LedgerError('LEASE_LOST', `${what} is held by another worker`);
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const PG_UNIQUE_VIOLATION = '23505';

// https://www.sqlite.org/rescode.html, primary codes
const SQLITE: Record<number, [LedgerErrorCode, string]> = {
  5: ['LEDGER_IN_USE', 'another process has the database open; stop it or choose another DATA_DIR'],
  8: ['LEDGER_UNAVAILABLE', 'the database may not be written; check the rights of DATA_DIR'],
  10: ['LEDGER_UNAVAILABLE', 'the disk failed to read or write; check the disk'],
  11: [
    'LEDGER_CORRUPT',
    'the database file is damaged; stop Pigeonhole, and restore it from a backup',
  ],
  13: ['LEDGER_UNAVAILABLE', 'the disk is full; make room'],
  14: [
    'LEDGER_UNAVAILABLE',
    'the database file cannot be opened; check that DATA_DIR exists and is writable',
  ],
  19: ['LEDGER_CONFLICT', 'it is tried again when the other is through'],
  26: ['LEDGER_CORRUPT', 'the file is no database; restore it or move it away'],
};

/** Any error of a driver as a LedgerError; a LedgerError as it is. */
export function toLedgerError(error: unknown, where = 'database'): LedgerError {
  if (error instanceof LedgerError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const [code, advice] = SQLITE[primaryCode(error)] ?? systemProblem(error);
  return new LedgerError(code, `${where}: ${message} (${advice})`, { cause: error });
}

function primaryCode(error: unknown): number {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
  return code & 0xff;
}

function systemProblem(error: unknown): [LedgerErrorCode, string] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return ['LEDGER_UNAVAILABLE', 'DATA_DIR may not be written; check its rights'];
  if (code === PG_UNIQUE_VIOLATION) return ['LEDGER_CONFLICT', 'it is tried again later'];
  if (code === 'ENOSPC') return ['LEDGER_UNAVAILABLE', 'the disk is full; make room'];
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return ['LEDGER_UNAVAILABLE', 'DATA_DIR is no folder; choose another'];
  return ['LEDGER_UNAVAILABLE', 'it is tried again'];
}

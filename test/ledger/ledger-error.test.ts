import { describe, expect, it } from 'vitest';
import { isFinal } from '../../src/base/index.ts';
import { toLedgerError } from '../../src/ledger/ledger-error.ts';

const sqlite = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode });
const system = (code: string) => Object.assign(new Error('from the system'), { code });

describe('toLedgerError', () => {
  it.each([
    ['a full disk', sqlite(13), false],
    ['a row that is there', sqlite(19), false],
    ['what is too long', sqlite(18), true],
  ])('tells whether no retry can succeed: %s', (_what, error, expected) => {
    expect(isFinal(toLedgerError(error))).toBe(expected);
  });

  it.each([
    ['a database that another process has', sqlite(5), 'LEDGER_IN_USE', 'stop it'],
    ['a read-only database', sqlite(8), 'LEDGER_UNAVAILABLE', 'check the rights of DATA_DIR'],
    [
      'a disk that fails',
      sqlite(10 | (3 << 8)),
      'LEDGER_UNAVAILABLE',
      'check it, and that it is not mounted read-only',
    ],
    ['a damaged page', sqlite(11), 'LEDGER_CORRUPT', 'restore it from a backup'],
    ['a full disk', sqlite(13), 'LEDGER_UNAVAILABLE', 'make room'],
    ['no folder', sqlite(14), 'LEDGER_UNAVAILABLE', 'exists and is writable'],
    ['a row that is there', sqlite(19 | (8 << 8)), 'LEDGER_CONFLICT', 'again'],
    ['a file that is no database', sqlite(26), 'LEDGER_CORRUPT', 'move it away'],
    ['a read-only disk', system('EROFS'), 'LEDGER_UNAVAILABLE', 'check its rights'],
    ['a full disk at the start', system('ENOSPC'), 'LEDGER_UNAVAILABLE', 'make room'],
    ['a row that is there in PostgreSQL', system('23505'), 'LEDGER_CONFLICT', 'again'],
    ['what is too long', sqlite(18), 'LEDGER_UNRECORDABLE', 'does not take'],
    ['a row that is missing a value', sqlite(1299), 'LEDGER_UNRECORDABLE', 'does not take'],
    ['a row of nothing', sqlite(787), 'LEDGER_UNRECORDABLE', 'does not take'],
    ['the same in PostgreSQL', system('23502'), 'LEDGER_UNRECORDABLE', 'does not take'],
    ['text with NUL in PostgreSQL', system('22021'), 'LEDGER_UNRECORDABLE', 'does not take'],
    ['a number out of range', system('22003'), 'LEDGER_UNRECORDABLE', 'does not take'],
    ['what no index takes', system('54000'), 'LEDGER_UNRECORDABLE', 'does not take'],
    ['too many connections', system('53300'), 'LEDGER_UNAVAILABLE', 'again'],
    ['a lost connection', system('ECONNRESET'), 'LEDGER_UNAVAILABLE', 'again'],
  ])('maps %s to its code, with advice on what to do', (_what, error, code, advice) => {
    const told = toLedgerError(error);
    expect(told).toMatchObject({ code, cause: error });
    expect(told.message).toContain(advice);
  });

  it.each([
    ['28P01', 'does not accept the password of this user'],
    ['28000', 'does not let this user in'],
    ['3D000', 'has no database of this name'],
    ['42501', 'may not create or change its tables'],
  ])('says at the start what PostgreSQL refuses with %s', (code, why) => {
    const told = toLedgerError(system(code), { setting: 'DATABASE_URL' });
    expect(told.message).toContain(`${why}; check DATABASE_URL, and start again (`);
  });

  it('says at the start that the server has no TLS', () => {
    const error = new Error('The server does not support SSL connections');
    const { message } = toLedgerError(error, { setting: 'DATABASE_URL' });
    expect(message).toMatch(/does not offer TLS; turn that on there, or set PGSSLMODE to disable/);
  });

  it('calls a host that has no address out of reach', () => {
    const error = Object.assign(system('ENOTFOUND'), { syscall: 'getaddrinfo' });
    const { message } = toLedgerError(error, { setting: 'DATABASE_URL' });
    expect(message).toContain('it cannot be reached; check DATABASE_URL');
  });

  it.each([
    'no pg_hba.conf entry for host "10.0.0.1", user "u", database "d", no encryption',
    'self-signed certificate',
  ])('advises at the start how PostgreSQL is reached over TLS: %s', (message) => {
    const error = Object.assign(new Error(message), { code: '28000' });
    const told = toLedgerError(error, { setting: 'DATABASE_URL' });
    expect(told.message).toContain('set PGSSLMODE to require, or to no-verify');
  });

  it('does not report an unreachable PostgreSQL as an unwritable folder', () => {
    const away = Object.assign(new Error('connect EPERM'), { code: 'EPERM', syscall: 'connect' });
    const { message } = toLedgerError(away, { setting: 'DATABASE_URL' });
    expect(message).toBe(
      'database: it cannot be reached; check DATABASE_URL, and start again (connect EPERM)',
    );
  });

  it.each([
    ['EROFS', /its disk is not mounted read-only/],
    ['EACCES', /DATA_DIR isn’t writable; check its rights/],
    ['ENOENT', /DATA_DIR cannot be made there/],
    ['EIO', /check DATA_DIR, and start again/],
  ])('names the remedy for a folder that fails with %s', (code, words) => {
    const { message } = toLedgerError(Object.assign(new Error(code), { code, syscall: 'mkdir' }), {
      where: '/data',
      setting: 'DATA_DIR',
    });
    expect(message).toMatch(/^\/data: /);
    expect(message).toMatch(words);
    expect(message).not.toContain('tried again');
  });
});

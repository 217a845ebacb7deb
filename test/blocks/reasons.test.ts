import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/base/index.ts';
import { canRetry, reasonFor } from '../../src/blocks/reasons.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

describe('reasonFor', () => {
  it('has words for every code', () => {
    const table = CODES.map((code) => {
      const { why, next } = reasonFor(code);
      return `${code}${canRetry(code) ? ' (retry)' : ''}: ${why}. ${next ?? '–'}`;
    });
    expect(table).toMatchSnapshot();
  });

  it.each(CODES)('%s: a clause, then sentences that fit with whether there is a Retry', (code) => {
    const { why, next } = reasonFor(code);
    expect(why).toMatch(/^([a-z]|I |Pigeonhole|Slack).*[^.!]$/);
    expect(next ?? 'None.').toMatch(/^[A-Z].*[^!]\.$/);
    if (!canRetry(code)) expect(next).not.toMatch(/press retry/i);
  });

  it('puts a note in brackets, clean and short, where it adds something', () => {
    const why = 'the file service didn’t accept it';
    expect(reasonFor('SERVICE_BAD_REQUEST', 'no such type\n').why).toBe(`${why} (no such type)`);
    expect(reasonFor('SERVICE_BAD_REQUEST', ' \n').why).toBe(why);
    expect(reasonFor('SERVICE_BAD_REQUEST', 'x'.repeat(500)).why.length).toBeLessThan(140);
    expect(reasonFor('SLACK_FILE_DENIED', 'F1: answered 403').why).toBe(
      'Slack doesn’t let me read the file',
    );
  });
});

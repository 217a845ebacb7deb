import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../../src/base/index.ts';
import { plainText, say } from '../../../src/surfaces/kit/prose.ts';
import { canRetry, whatNext, whyAndNext, whyOf } from '../../../src/surfaces/kit/reasons.ts';
import { shown } from '../../support/shown-view.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** Returns what people read about an error code. */
function reasonFor(code: ErrorCode, operator: string | null = null) {
  const next = whatNext(code, { operator });
  return { why: whyOf(code), next: next === null ? null : say(next).text };
}

describe('reasons', () => {
  it('cover every error code', () => {
    const table = CODES.map((code) => {
      const { why, next } = reasonFor(code);
      return `${code}${canRetry(code) ? ' (retry)' : ''}: ${why}. ${next ?? '–'}`;
    });
    expect(table).toMatchSnapshot();
  });

  it('speak of several files in the plural', () => {
    const both = (problem: ErrorCode, count: number) =>
      plainText(whyAndNext({ problem }, { operator: null, count }));
    const table = CODES.filter((code) => both(code, 1) !== both(code, 2));
    expect(table.map((code) => `${code}: ${both(code, 2)}`)).toMatchSnapshot();
    const same = CODES.filter((code) => !table.includes(code)).map((code) => both(code, 2));
    expect(same.filter((text) => /\bit\b(?! keeps)|[{}]/.test(text))).toEqual([]);
    const guest = whatNext('SLACK_FILE_HIDDEN', { operator: null, retry: null, count: 2 }) ?? [];
    expect(plainText(guest)).toBe('A full member of this workspace can have them tried again.');
  });

  it.each(CODES)(
    '%s: read as a clause and sentences, with Try again only if it can help',
    (code) => {
      const { why, next } = reasonFor(code);
      expect(why).toMatch(/^([a-z]|I[ ’]|Pigeonhole|Slack).*[^.!]$/);
      expect(next ?? 'None.').toMatch(/^[A-Z].*[^!]\.$/);
      if (!canRetry(code)) expect(next ?? 'None.').not.toMatch(/press retry/i);
    },
  );

  it('name the operator as a mention, a link or plain text', () => {
    const contact = (operator: string | null) => {
      const next = whatNext('LEDGER_CORRUPT', { operator }) ?? [];
      return shown(say(next)).split('\n');
    };
    expect(
      [null, 'U012ABCDEF', 'ops@acme.example', 'https://acme.example/it', 'Ada'].map(contact),
    ).toMatchInlineSnapshot(`
      [
        [
          "text: Contact whoever runs Pigeonhole.",
          "| Contact whoever runs Pigeonhole.",
        ],
        [
          "text: Contact <@U012ABCDEF>.",
          "| Contact @U012ABCDEF.",
        ],
        [
          "text: Contact ops@acme.example.",
          "| Contact [ops@acme.example → mailto:ops@acme.example].",
        ],
        [
          "text: Contact https://acme.example/it.",
          "| Contact [https://acme.example/it → https://acme.example/it].",
        ],
        [
          "text: Contact Ada.",
          "| Contact Ada.",
        ],
      ]
    `);
    const script = whatNext('UNEXPECTED', { operator: 'javascript:alert(1)' });
    expect(shown(say(script ?? []))).not.toContain('→');
  });

  it('add a note in brackets, cleaned and shortened, unless it is blank or technical', () => {
    const why = 'the file service couldn’t process it';
    expect(whyOf('SERVICE_BAD_REQUEST', 'no such type\n')).toBe(`${why} (no such type)`);
    expect(whyOf('SERVICE_BAD_REQUEST', ' \n')).toBe(why);
    for (const technical of [
      'POST /projects/1/folders/2/files answered 422',
      'no application/octet-stream here',
      'F0123ABCDEF is odd',
      '{"code":12}',
      '<html>',
    ])
      expect(whyOf('SERVICE_BAD_REQUEST', technical)).toBe(why);
    expect(whyOf('SERVICE_BAD_REQUEST', 'x'.repeat(500)).length).toBeLessThan(140);
    expect(whyOf('SLACK_FILE_DENIED', 'F1: answered 403')).toBe(
      'Slack doesn’t let me read the file',
    );
  });
});

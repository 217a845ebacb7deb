import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileName } from '../../src/transfers/index.ts';
import { anyName } from '../support/odd-names.ts';

const named = (name: string | null, more: { title?: string; filetype?: string } = {}) =>
  fileName({ id: 'F1', name, title: more.title ?? null, filetype: more.filetype ?? null });

describe('fileName', () => {
  it.each([
    'report.pdf',
    '"a" \'b\'.txt',
    '<!channel>.txt',
    'résumé 📎.pdf',
    '\u202Efdp.exe',
    '.env',
  ])('leaves %j as it is', (name) => {
    expect(named(name)).toBe(name);
  });

  it.each([
    ['a\r\nb.txt', 'a b.txt'],
    ['../../etc/passwd', '..-..-etc-passwd'],
    ['C:\\x', 'C:-x'],
    ['  padded.txt  ', 'padded.txt'],
    ['a\uD800b', 'a\uFFFDb'],
  ])('makes %j one line and no path: %j', (name, made) => {
    expect(named(name)).toBe(made);
  });

  it('takes the title, then the identifier, for want of a name', () => {
    expect(named(null, { title: 'My notes', filetype: 'txt' })).toBe('My notes.txt');
    expect(named(null, { title: 'My notes.TXT', filetype: 'txt' })).toBe('My notes.TXT');
    expect(named('', { filetype: 'pdf' })).toBe('unnamed-F1.pdf');
    for (const filetype of ['auto', 'binary', '../x'])
      expect(named('..', { filetype })).toBe('unnamed-F1');
  });

  it('keeps the extension of a long name', () => {
    const made = named(`${'📎'.repeat(300)}.tar`);
    expect(Array.from(made)).toHaveLength(255);
    expect(made.endsWith('📎.tar')).toBe(true);
  });

  it('of anything is one line, no path, not empty, and 255 characters at the most', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const made = named(name);
        expect(made.isWellFormed()).toBe(true);
        expect(made).not.toMatch(/[\p{Cc}\u2028\u2029/\\]/u);
        expect(made.trim()).not.toMatch(/^\.*$/);
        expect(Array.from(made).length).toBeLessThanOrEqual(255);
      }),
    );
  });
});

import fc from 'fast-check';

/** Names that have broken, spoofed or pinged something somewhere. */
export const ODD_NAMES = [
  '<!channel>.txt',
  '<@U012ABCDEF> & <#C012ABCDEF|general>',
  '<https://evil.example|report.pdf>',
  '<!date^1392734382^{date}|x>',
  '*bold*_it_.pdf',
  '~gone~ `code` :tada:',
  '&lt;!here&gt;',
  'a\nb.txt',
  'a\u2028b\u0000c\u007f.txt',
  'x'.repeat(255),
  `${'📎'.repeat(200)}.tar.gz`,
  '',
  ' \t ',
  '\u200B\u2060',
  '\u2800',
  'résumé 📎.pdf',
  '\u202Efdp.exe',
  'חשבון.pdf',
  'a\uD800b.txt',
  `e${'\u0301'.repeat(90)}.txt`,
  '.pdf',
] as const;

/** Any Unicode scalar value; fast-check’s own `binary` takes a second to set up in each process. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xd7ff }) },
    { weight: 19, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((codePoint) => String.fromCodePoint(codePoint));

/** Any name: an odd one, any Unicode, lone surrogates, or a mixture of them. */
export const anyName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ODD_NAMES),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom('<', '>', '&', '!', '@', '#', '|', '`', '*', '\n', '\uD83D', 'a', '\u202E'),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
);

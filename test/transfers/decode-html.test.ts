import { describe, expect, it } from 'vitest';
import { decodeHtml } from '../../src/transfers/index.ts';

describe('decodeHtml', () => {
  it.each([
    ['R&amp;D', 'R&D'],
    ['&lt;draft&gt; &quot;one&quot;', '<draft> "one"'],
    ['it&#39;s it&#x27;s it&apos;s', "it's it's it's"],
    ['a&nbsp;b', 'a\u00a0b'],
    ['caf&eacute; &#233; &#xE9; &euro;', 'café é é €'],
  ])('reads %j as %j', (escaped, plain) => {
    expect(decodeHtml(escaped)).toBe(plain);
  });

  it.each(['a&copy.pdf', 'x&y', 'R&D', '&;', '&nosuchname;', 'plain', ''])('leaves %j', (text) => {
    expect(decodeHtml(text)).toBe(text);
  });

  it('decodes once, so that what was escaped twice is not taken for markup', () => {
    expect(decodeHtml('&amp;lt;b&amp;gt;')).toBe('&lt;b&gt;');
  });
});

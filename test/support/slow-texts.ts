/** The longest message that Slack takes, in characters. */
const MOST = 40_000;

const fill = (part: string) => part.repeat(Math.ceil(MOST / part.length)).slice(0, MOST);

/** Texts of 40,000 characters that are slow to fold, to match or to split, by what is slow in them. */
export const SLOW_TEXTS: Readonly<Record<string, string>> = {
  'colons that begin no emoji’s name': fill(':a'),
  'names of emoji in one word': fill(':a:'),
  'a word for each name of an emoji': fill(':a: '),
  'names of emoji that differ': Array.from({ length: 8_000 }, (_, nth) => `:${nth}a:`)
    .join('')
    .slice(0, MOST),
  'a sign that becomes 18 letters': fill('\uFDFA'),
  'combining marks on one letter': `a${fill('\u0301')}`.slice(0, MOST),
  'half characters': fill('\uD83D'),
  emoji: fill('\u{1F680}'),
  'emoji that are joined': fill('\u{1F469}\u{1F3FD}\u200D\u{1F680}'),
  'a run of spaces between two letters': `a${fill(' ').slice(2)}b`,
  'a letter and a space again and again': fill('a '),
  'entities of entities': fill('&amp;amp;'),
  'opening brackets': fill('<'),
  bars: `<${fill('|').slice(2)}>`,
  'quotation marks': fill('"'),
  'a path of thousands of names': fill('a/'),
  'an address that goes on': `https://files.example/projects/1/folders/2?${fill('a=1&')}`.slice(
    0,
    MOST,
  ),
};

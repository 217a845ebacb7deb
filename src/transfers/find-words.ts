import { decodeHtml } from './alike-names.ts';

// Accents over Latin, Greek and Cyrillic letters.
const ACCENTS = /[\u0300-\u036f]/g;

/** The form in which people look for names: without case, accents and the forms of one letter. */
function folded(text: string): string {
  const bare = text.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
  // What lower case makes of some letters has accents again.
  return bare.replace(ACCENTS, '').replaceAll('ß', 'ss');
}

/**
 * Whether a name has all the words that somebody typed, in any order and anywhere in it: `plan office`
 * finds `Office-Plans.pdf`. Also where the name is written with HTML escapes. No words find all.
 */
export function findWords(typed: string): (name: string) => boolean {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  const hasAll = (name: string) => words.every((word) => name.includes(word));
  return (name) => hasAll(folded(name)) || (name.includes('&') && hasAll(folded(decodeHtml(name))));
}

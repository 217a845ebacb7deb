import { closest, distance } from 'fastest-levenshtein';

/**
 * Returns the one of some words that a typed word was probably meant to be: one letter off, or two
 * swapped; null if none is. Two steps otherwise lead to words that are in many names, like "final".
 */
export function nearest(word: string, words: readonly string[]): string | null {
  if (words.length === 0) return null;
  const best = closest(word, words);
  const steps = distance(word, best);
  return steps === 1 || (steps === 2 && haveSameLetters(word, best)) ? best : null;
}

// Two swapped letters are one typo, but count as distance 2.
function haveSameLetters(a: string, b: string): boolean {
  return [...a].sort().join('') === [...b].sort().join('');
}

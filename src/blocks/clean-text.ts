const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
// Marks that turn the direction of what follows, and characters that nobody sees.
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const INVISIBLE =
  /[\u00AD\u180E\u200B\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
// A stack of marks on one letter covers the lines above and below.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * Text from a person as one line that shows as what it is: no line breaks, controls, direction
 * marks or invisible characters, no half characters, and no space at its ends. May be empty.
 */
export function cleanText(raw: string): string {
  return raw
    .toWellFormed()
    .replace(LINE_BREAKS_AND_CONTROLS, ' ')
    .replace(DIRECTION_MARKS, '')
    .replace(INVISIBLE, '')
    .replace(STACKED_MARKS, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

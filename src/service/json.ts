/** Fifty folders, each among the `children` of the one before. */
export const MOST_DEPTH = 102;
/** Characters of an answer that is parsed as one value; lists are read record by record. */
const LONGEST_VALUE = 8 * 1024 * 1024;

/** The value of a JSON text; undefined when it is none, or longer or deeper than can be honest. */
export function parseJson(text: string): unknown {
  if (text.length > LONGEST_VALUE || scanValue(text, 0).depth > MOST_DEPTH) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is an object, and no array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A whole number of zero or more, which sometimes comes as text; null for anything else. */
export function asWholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** Where an element of a JSON array stands in its text, and how deeply it nests. */
export interface ElementSpan {
  from: number;
  to: number;
  /** 0 for a number or a text, 1 for a plain object. */
  depth: number;
}

/**
 * The elements of a JSON array, one after the other, without parsing them: a list of any size can
 * be read in slices, and be left at any element.
 *
 * @throws SyntaxError where the text turns out to be no array; what an element holds is not checked
 */
export function* arrayElements(text: string): Generator<ElementSpan> {
  let at = skipSpace(text, 0);
  if (text[at] !== '[') throw new SyntaxError('no array');
  at = skipSpace(text, at + 1);
  if (text[at] === ']') return ensureEnd(text, at + 1);
  for (;;) {
    const span = scanValue(text, at);
    if (span.to === text.length) throw new SyntaxError('the array does not end');
    yield span;
    if (text[span.to] === ']') return ensureEnd(text, span.to + 1);
    at = span.to + 1;
  }
}

/** The value that begins there, up to the comma or bracket after it, or to the end of the text. */
function scanValue(text: string, from: number): ElementSpan {
  let deepest = 0;
  let depth = 0;
  let to = from;
  for (; to < text.length; to++) {
    const mark = text[to];
    if (mark === '"') to = endOfText(text, to);
    else if (mark === '[' || mark === '{') deepest = Math.max(deepest, ++depth);
    else if (depth === 0 && (mark === ',' || mark === ']')) break;
    else if (mark === ']' || mark === '}') depth -= 1;
  }
  return { from, to: Math.min(to, text.length), depth: deepest };
}

function endOfText(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

function ensureEnd(text: string, from: number): void {
  if (skipSpace(text, from) < text.length) throw new SyntaxError('more than an array');
}

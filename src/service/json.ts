import { setImmediate as turn } from 'node:timers/promises';

/** The most elements of an array that are read. */
export const MOST_ELEMENTS = 200_000;
/** The most elements too odd to use: an array of more is not read on. */
export const MOST_ODD = 1_000;
/** Characters of an element. */
const LONGEST_ELEMENT = 1024 * 1024;
/** Characters of a text that is parsed as one value. */
const LONGEST_VALUE = 8 * 1024 * 1024;
/** Fifty folders, each among the `children` of the one before. */
const MOST_DEPTH = 102;
/** Characters that are read before others have their turn: a few milliseconds. */
const SLICE = 256 * 1024;
/** What an element costs beside its characters, counted in characters. */
const COST_OF_ELEMENT = 256;

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

export interface JsonArray<T> {
  /** In order; null for each element that is too odd to use. */
  entries: (T | null)[];
  /** Whether the array was read to its end. */
  whole: boolean;
}

/**
 * Reads a JSON array element by element: those that `read` cannot use never hide the others, and other
 * work has its turn meanwhile, however long the text is.
 *
 * @throws SyntaxError where the text turns out to be no array
 */
export async function readArray<T>(
  text: string,
  read: (value: unknown) => T | null,
): Promise<JsonArray<T>> {
  const entries: (T | null)[] = [];
  let odd = 0;
  let work = 0;
  for (const { from, to, depth } of elementsOf(text)) {
    if (entries.length >= MOST_ELEMENTS || odd >= MOST_ODD) return { entries, whole: false };
    const isUsable = to - from <= LONGEST_ELEMENT && depth < MOST_DEPTH;
    const entry = isUsable ? read(JSON.parse(text.slice(from, to))) : null;
    if (entry === null) odd += 1;
    entries.push(entry);
    work += to - from + COST_OF_ELEMENT;
    if (work < SLICE) continue;
    work = 0;
    await turn();
  }
  return { entries, whole: true };
}

/** Where a value stands in its text, and how deeply it nests: 0 for a number or a text. */
interface Span {
  from: number;
  to: number;
  depth: number;
}

// One after the other, unparsed: reading can stop at any element.
function* elementsOf(text: string): Generator<Span> {
  const opening = /^\s*\[\s*/.exec(text);
  if (!opening) throw new SyntaxError('no array');
  let at = opening[0].length;
  let isEnd = text[at] === ']';
  while (!isEnd) {
    const span = scanValue(text, at);
    if (span.to === text.length) throw new SyntaxError('the array does not end');
    yield span;
    isEnd = text[span.to] === ']';
    at = isEnd ? span.to : span.to + 1;
  }
  if (text.slice(at + 1).trim() !== '') throw new SyntaxError('more than an array');
}

// The value that begins there, up to the comma or bracket after it, or to the end of the text.
function scanValue(text: string, from: number): Span {
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
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

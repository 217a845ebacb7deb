import { setImmediate as turn } from 'node:timers/promises';

/** The most elements read from one array. */
export const MAX_ELEMENTS = 200_000;
/** Reading an array stops after this many unusable elements. */
export const MAX_UNUSABLE = 1_000;
/** The most of each in one text: several times as many as 32 MB of records have. */
const MOST = { '{': 1_000_000, '[': 1_000_000, ',': 5_000_000 };
/** Elements read before yielding to the event loop: a few milliseconds of work. */
const SLICE = 500;

/**
 * Returns the value of a JSON text; undefined if it is not valid JSON, or has so many parts that
 * they would fill the memory and stop the process for long.
 */
export function parseJson(text: string): unknown {
  try {
    return isCrowded(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCrowded(text: string): boolean {
  return Object.entries(MOST).some(([mark, most]) => {
    let at = text.indexOf(mark);
    for (let found = 1; at >= 0 && found <= most; found += 1) at = text.indexOf(mark, at + 1);
    return at >= 0;
  });
}

/** Whether a JSON value is an object and not an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a whole number of at least 0, also from digits in a string; null for anything else. */
export function asWholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

export interface JsonArray<T> {
  /** In order; null for each unusable element. */
  entries: (T | null)[];
  /** Whether the array was read to its end. */
  whole: boolean;
}

/**
 * Reads a JSON array, keeping the usable elements when `read` returns null for others, and yields
 * to the event loop in between. Resolves with null if the text is not an array.
 */
export async function readArray<T>(
  text: string,
  read: (value: unknown) => T | null,
): Promise<JsonArray<T> | null> {
  const values = parseJson(text);
  if (!Array.isArray(values)) return null;
  const entries: (T | null)[] = [];
  let odd = 0;
  for (const value of values) {
    if (entries.length >= MAX_ELEMENTS || odd >= MAX_UNUSABLE) return { entries, whole: false };
    const entry = read(value);
    if (entry === null) odd += 1;
    if (entries.push(entry) % SLICE === 0) await turn();
  }
  return { entries, whole: true };
}

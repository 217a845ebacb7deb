import { setImmediate as turn } from 'node:timers/promises';

/** The most elements of an array that are read. */
export const MOST_ELEMENTS = 200_000;
/** The most elements too odd to use: an array of more is not read on. */
export const MOST_ODD = 1_000;
/** Elements that are read before others have their turn: a few milliseconds. */
const SLICE = 500;

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
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
 * Reads a JSON array: elements that `read` cannot use never hide the others, and other work has its
 * turn between them. Null where the text is no array.
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
    if (entries.length >= MOST_ELEMENTS || odd >= MOST_ODD) return { entries, whole: false };
    const entry = read(value);
    if (entry === null) odd += 1;
    if (entries.push(entry) % SLICE === 0) await turn();
  }
  return { entries, whole: true };
}

import { depthOf } from './json-array.ts';

/** Fifty folders, each among the `children` of the one before. */
export const MOST_DEPTH = 102;
/** Characters of an answer that is parsed as one value; lists are read record by record. */
const LONGEST_VALUE = 8 * 1024 * 1024;

/** The value of a JSON text; undefined when it is none, or longer or deeper than can be honest. */
export function parseJson(text: string): unknown {
  if (text.length > LONGEST_VALUE || depthOf(text) > MOST_DEPTH) return undefined;
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

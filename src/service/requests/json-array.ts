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
    const span = spanOf(text, at);
    yield span;
    if (text[span.to] === ']') return ensureEnd(text, span.to + 1);
    at = span.to + 1;
  }
}

/** How deeply a JSON text nests; 0 for a text or a number. The text need not be whole. */
export function depthOf(text: string): number {
  let deepest = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = text[at];
    if (mark === '"') at = endOfText(text, at);
    else if (mark === '[' || mark === '{') deepest = Math.max(deepest, ++depth);
    else if (mark === ']' || mark === '}') depth -= 1;
  }
  return deepest;
}

function spanOf(text: string, from: number): ElementSpan {
  let deepest = 0;
  let depth = 0;
  for (let to = from; to < text.length; to++) {
    const mark = text[to];
    if (mark === '"') to = endOfText(text, to);
    else if (mark === '[' || mark === '{') deepest = Math.max(deepest, ++depth);
    else if (depth === 0 && (mark === ',' || mark === ']')) return { from, to, depth: deepest };
    else if (mark === ']' || mark === '}') depth -= 1;
  }
  throw new SyntaxError('the array does not end');
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

import { decodeHTMLStrict } from 'entities/decode';

/** A name's end that a service may have added: `(1)`, ` copy`, `-2026`. */
const ADDITION = /[^\p{L}\p{N}]+[\p{L}\p{N}]{1,4}[^\p{L}\p{N}]*$/u;

/**
 * Whether a service kept the name that it was given: the same but for the form of its letters and
 * spaces around, also where the service writes it with HTML escapes (`R&amp;D.pdf`).
 */
export function sameName(given: string, kept: string): boolean {
  const own = nameForm(given);
  return own === nameForm(kept) || own === nameForm(decodeHtml(kept));
}

/** The form in which two names that are the same are equal. */
function nameForm(name: string): string {
  return name.normalize('NFC').trim();
}

/**
 * Whether a service that changes names may have made `kept` of `given`: the same letters and digits
 * in either case (`our plan.pdf`, `our_plan.pdf`), or those with a short addition before the
 * extension (`report (1).pdf`), with HTML escapes or without.
 */
export function alikeNames(given: string, kept: string): boolean {
  if (sameName(given, kept)) return true;
  const own = splitName(given);
  return [kept, decodeHtml(kept)].some((name) => isMadeOf(own, splitName(name)));
}

interface SplitName {
  stem: string;
  extension: string;
}

function isMadeOf(own: SplitName, its: SplitName): boolean {
  const stem = folded(own.stem);
  if (stem === '' || folded(own.extension) !== folded(its.extension)) return false;
  return stem === folded(its.stem) || stem === folded(its.stem.replace(ADDITION, ''));
}

function splitName(name: string): SplitName {
  const text = nameForm(unescaped(name));
  const dot = text.lastIndexOf('.');
  const end = dot > 0 ? dot : text.length;
  return { stem: text.slice(0, end), extension: text.slice(end) };
}

// Forms may write quotes and the like as %22.
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function folded(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * A text without its HTML escapes (`R&amp;D` is `R&D`), as accounts send titles and names (service
 * interface, appendix 2, R6). Named and numeric ones, decoded once, each only with its semicolon:
 * `a&copy.pdf` is left as it is.
 */
export function decodeHtml(text: string): string {
  return decodeHTMLStrict(text);
}

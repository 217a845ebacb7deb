/** A name's end that a service may have added: `(1)`, ` copy`, `-2026`. */
const ADDITION = /[^\p{L}\p{N}]+[\p{L}\p{N}]{1,4}[^\p{L}\p{N}]*$/u;

/** Whether two names are the same but for the form of their letters and spaces around. */
export function sameName(one: string, other: string): boolean {
  return one.normalize('NFC').trim() === other.normalize('NFC').trim();
}

/**
 * Whether a service that changes names may have made `kept` of `given`: the same letters and digits
 * in either case (`our plan.pdf`, `our_plan.pdf`), or those with a short addition before the
 * extension (`report (1).pdf`).
 */
export function alikeNames(given: string, kept: string): boolean {
  if (sameName(given, kept)) return true;
  const [own, its] = [splitName(given), splitName(kept)];
  const stem = folded(own.stem);
  if (stem === '' || folded(own.extension) !== folded(its.extension)) return false;
  return stem === folded(its.stem) || stem === folded(its.stem.replace(ADDITION, ''));
}

function splitName(name: string): { stem: string; extension: string } {
  const text = unescaped(name).normalize('NFC').trim();
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

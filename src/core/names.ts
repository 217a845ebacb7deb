import { decodeHTMLStrict } from 'entities/decode';
import type { SharedFile } from './share.ts';

const MAX_LENGTH = 255;
const MAX_EXTENSION_LENGTH = 20;
/**
 * C0, DEL and C1 controls and the line and paragraph separators: no name needs them, and headers and
 * lines break on them.
 */
export const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
const PATH_SEPARATORS = /[/\\]/g;
const LONE_SURROGATES = /\p{Cs}/gu;

/**
 * Returns the name that a Slack file is filed under: what people see in Slack, but on one line, not
 * a path, never empty, and at most 255 characters with its extension kept. Everything else (quotes,
 * markup, right-to-left marks, emoji) stays; code that shows or sends the name escapes it.
 */
export function fileName(file: Pick<SharedFile, 'id' | 'name' | 'title' | 'filetype'>): string {
  const given = tidy(file.name ?? '');
  const title = tidy(file.title ?? '');
  const [untitled, ending] = UNTITLED.exec(given) ?? [];
  const name = untitled && title ? withExtension(title, ending ?? null) : given;
  return shorten(
    name ||
      withExtension(title, file.filetype) ||
      withExtension(`unnamed-${file.id}`, file.filetype),
  );
}

/** The name of a snippet or canvas that nobody named; people see its title in Slack. */
const UNTITLED = /^-(?:\.(\w+))?$/;

/** Matches a character that shows something; blank and zero-width ones do not. */
export const VISIBLE = /[^\s\p{M}\p{Cf}\u115F\u1160\u2800\u3164\uFFA0]/u;

function tidy(name: string): string {
  const line = name
    .replace(CONTROLS, ' ')
    .replace(LONE_SURROGATES, '\uFFFD')
    .replace(PATH_SEPARATORS, '-')
    .normalize('NFC')
    .trim();
  // A service may strip what is invisible in a name, and dots only would be a path.
  return VISIBLE.test(line.replaceAll('.', '')) ? line : '';
}

// Slack file types that are not file name extensions.
const NO_EXTENSION = new Set(['auto', 'binary', 'undefined']);

function withExtension(name: string, filetype: string | null): string {
  if (!name || !filetype || !/^[a-z0-9]{1,10}$/i.test(filetype)) return name;
  if (NO_EXTENSION.has(filetype.toLowerCase())) return name;
  return name.toLowerCase().endsWith(`.${filetype.toLowerCase()}`) ? name : `${name}.${filetype}`;
}

function shorten(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= MAX_LENGTH) return name;
  const dot = characters.lastIndexOf('.');
  const extension =
    characters.length - dot <= MAX_EXTENSION_LENGTH && dot > 0 ? characters.slice(dot) : [];
  return [...characters.slice(0, MAX_LENGTH - extension.length), ...extension].join('');
}

/**
 * The end of a name that a service may have added: `(1)`, ` copy`, `-2026`. The lookbehind lets it
 * match only at the start of a run of separators, so that a long run is scanned once.
 */
const ADDITION =
  /(?<![^\p{L}\p{M}\p{N}])[^\p{L}\p{M}\p{N}]+[\p{L}\p{M}\p{N}]{1,4}[^\p{L}\p{M}\p{N}]*$/u;

/**
 * Whether a service kept the name that it was given: equal except for Unicode normalization and
 * surrounding whitespace, also if the service wrote it with HTML escapes (`R&amp;D.pdf`).
 */
export function sameName(given: string, kept: string): boolean {
  const own = nameForm(given);
  return own === nameForm(kept) || own === nameForm(decodeHtml(kept));
}

/** Returns the form that a name and its HTML escapes, however often escaped, have in common. */
export function plainForm(name: string): string {
  const plain = decodeHtml(name);
  return plain === name ? nameForm(name) : plainForm(plain);
}

/** Returns the normalized form in which names are compared. */
function nameForm(name: string): string {
  return name.normalize('NFC').trim();
}

/**
 * Whether a service that changes names may have changed `given` to `kept`: the same letters and
 * digits in either case (`our plan.pdf`, `our_plan.pdf`), or those with a short addition before the
 * extension (`report (1).pdf`), with or without HTML escapes.
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

// Multipart forms may percent-encode quotes and other signs (`%22`).
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

// Marks are part of letters: many scripts write vowels with them. Those of emoji are not.
function folded(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{Mn}\p{Mc}\p{N}]|\p{VS}/gu, '');
}

/**
 * Decodes HTML escapes (`R&amp;D` becomes `R&D`), which accounts send in titles and names (service
 * interface, appendix 2, R6). Decodes named and numeric ones, once, and only with a semicolon:
 * `a&copy.pdf` stays.
 */
export const decodeHtml: (text: string) => string = decodeHTMLStrict;

// Accents over Latin, Greek and Cyrillic letters.
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * Returns a text without characters that have no shape, for comparison: texts for people show names
 * without them, or add some around a right-to-left name, and people copy names from there.
 */
export function withoutInvisible(text: string): string {
  return text.replace(/\p{Cf}/gu, '');
}

/**
 * Returns a text as searches compare it: without case, accents, compatibility variants and invisible
 * characters.
 */
export function searchForm(text: string): string {
  const letters = withoutInvisible(text).normalize('NFKD').replace(ACCENTS, '');
  return letters.toLowerCase().replace(/[ßςı]/g, (letter) => SAME_LETTERS[letter] ?? letter);
}

// Letters that an upper case letter becomes in some places, or languages, only.
const SAME_LETTERS: Partial<Record<string, string>> = { ß: 'ss', ς: 'σ', ı: 'i' };

// Slack's names of emoji: `:+1:`, but not the minutes of `12:30:45`.
const EMOJI_NAME = /:(?!\d\d?:)[\p{L}\p{N}_+'\-]+:/gv;
// Any emoji in a text without invisible characters, one of which joins several to one.
const EMOJI = /(?:[\p{ExtPict}\p{EMod}\p{RI}\uFE0F]|[0-9#*]\uFE0F\u20E3)+/gv;

/**
 * Returns how to change a typed text, and names, so that they can be compared although Slack sends a
 * typed emoji by its name (`:rocket:`), and not always by the same
 * (https://github.com/slackapi/bolt-js/issues/1469): one sign stands for each such name in the typed
 * text, and for all emoji. Other colons of a name stay: `Client:Acme:Plans` is another folder. Null
 * if no emoji was typed by its name.
 */
export function emojiAsSigns(typed: string): ((text: string) => string) | null {
  const emoji = new Set<string>(typed.match(EMOJI_NAME));
  if (emoji.size === 0) return null;
  const sign = '☺';
  return (text) =>
    text.replace(EMOJI_NAME, (one) => (emoji.has(one) ? sign : one)).replace(EMOJI, sign);
}

// Keyboards set other marks than the straight ones, by language.
const MARK = '["“”„«»\'‘’]';
const AT_EITHER_END = new RegExp(`^${MARK}|${MARK}$`, 'g');
const AT_BOTH_ENDS = new RegExp(`^${MARK}.*${MARK}$`, 's');

/** Whether what somebody typed is in quotation marks. */
export function isQuoted(typed: string): boolean {
  return AT_BOTH_ENDS.test(typed.trim());
}

/** Returns what somebody typed without a quotation mark at either end. */
export function unquoted(typed: string): string {
  return typed.trim().replace(AT_EITHER_END, '').trim();
}

/**
 * Returns a test of names, given by their search texts, for all words that somebody typed, in any
 * order and anywhere: `plan office` finds `Office-Plans.pdf`. Reads 255 characters of what was typed,
 * as no name is longer. No words find all.
 */
export function nameMatcher(typed: string): (searchText: string) => boolean {
  const { form, words } = readWords(typed);
  const withSigns = emojiAsSigns(form);
  if (!withSigns) return (text) => words.every((word) => text.includes(word));
  const sought = words.map((word) => ({ word, signed: word.match(EMOJI_NAME) && withSigns(word) }));
  return (text) => {
    const name = withSigns(text);
    return sought.every(
      ({ word, signed }) => text.includes(word) || (signed !== null && name.includes(signed)),
    );
  };
}

/** Returns texts that the search text of each name contains that nameMatcher finds. */
export function plainWords(typed: string): string[] {
  return readWords(typed).words.filter((word) => !word.match(EMOJI_NAME));
}

function readWords(typed: string): { form: string; words: string[] } {
  const form = searchForm(typed.slice(0, MAX_LENGTH));
  const given = form.split(/\s+/).filter(Boolean);
  // Without the marks, a name that has them is found too.
  const bare = given.map(unquoted).filter(Boolean);
  return { form, words: [...new Set(bare.length > 0 ? bare : given)] };
}

/**
 * Returns the text of a name that nameMatcher searches, which costs more to build than to search.
 * A name with `&` gets two lines: as it is, and with its HTML escapes decoded.
 */
export function searchText(name: string): string {
  return searchForm(name.includes('&') ? `${name}\n${decodeHtml(name)}` : name);
}

const EXTENSIONS = {
  image: 'png jpg jpeg gif webp svg bmp tif tiff heic heif avif ico psd ai eps raw',
  document: 'pdf doc docx odt rtf txt md tex pages epub html htm',
  spreadsheet: 'xls xlsx xlsm ods csv tsv numbers',
  presentation: 'ppt pptx odp key',
  video: 'mp4 mov m4v avi mkv webm mpg mpeg wmv',
  audio: 'mp3 wav m4a aac ogg oga flac opus aiff wma',
  archive: 'zip tar gz tgz bz2 xz 7z rar zst',
};

export type FileKind = keyof typeof EXTENSIONS | 'other';
/** The kinds of files that people can search for. */
export const FILE_KINDS = [...Object.keys(EXTENSIONS), 'other'] as readonly FileKind[];

const KINDS = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, extensions]) =>
    extensions.split(' ').map((extension) => [extension, kind as FileKind] as const),
  ),
);

/** Returns a file's kind by its name's extension; by the service's type if it has none. */
export function kindOf({ name, fileType }: { name: string; fileType: string | null }): FileKind {
  const [, extension = fileType ?? ''] = /\.(\w{1,10})$/.exec(name) ?? [];
  return KINDS.get(extension.toLowerCase()) ?? 'other';
}

import type { SharedFile } from './share.ts';

const MAX_LENGTH = 255;
const LONGEST_EXTENSION = 20;
// C0, DEL and C1 controls and the line and paragraph separators: no name needs them, and headers break on them.
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;
const PATH_SEPARATORS = /[/\\]/g;
const LONE_SURROGATES = /\p{Cs}/gu;

/**
 * The name that a Slack file is filed under: faithful to what people see in Slack, but one line,
 * no path, never empty, and 255 characters at most with its extension kept. Everything else
 * (quotes, markup, right-to-left marks, emoji) stays as it is; who shows or sends it escapes it.
 */
export function fileName(file: Pick<SharedFile, 'id' | 'name' | 'title' | 'filetype'>): string {
  const name = tidy(file.name ?? '') || withExtension(tidy(file.title ?? ''), file.filetype);
  return shorten(name || withExtension(`unnamed-${file.id}`, file.filetype));
}

function tidy(name: string): string {
  const line = name
    .replace(CONTROLS, ' ')
    .replace(LONE_SURROGATES, '\uFFFD')
    .replace(PATH_SEPARATORS, '-')
    .normalize('NFC')
    .trim();
  // A name of dots alone is a path.
  return /^\.+$/.test(line) ? '' : line;
}

// Types of Slack's that say nothing of a file's name.
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
    characters.length - dot <= LONGEST_EXTENSION && dot > 0 ? characters.slice(dot) : [];
  return [...characters.slice(0, MAX_LENGTH - extension.length), ...extension].join('');
}

import { decodeHtml } from './names.ts';

// Accents over Latin, Greek and Cyrillic letters.
const ACCENTS = /[\u0300-\u036f]/g;

/** The form in which people look for names: without case, accents and the forms of one letter. */
function folded(text: string): string {
  const bare = text.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
  // What lower case makes of some letters has accents again.
  return bare.replace(ACCENTS, '').replaceAll('ß', 'ss');
}

/**
 * Whether a name has all the words that somebody typed, in any order and anywhere in it: `plan office`
 * finds `Office-Plans.pdf`. Also where the name is written with HTML escapes. No words find all.
 */
export function findWords(typed: string): (name: string) => boolean {
  const words = folded(typed).split(/\s+/).filter(Boolean);
  const hasAll = (name: string) => words.every((word) => name.includes(word));
  return (name) => hasAll(folded(name)) || (name.includes('&') && hasAll(folded(decodeHtml(name))));
}

/** The sorts of files that people look for. */
export const FILE_KINDS = [
  ...(['image', 'document', 'spreadsheet', 'presentation'] as const),
  ...(['video', 'audio', 'archive', 'other'] as const),
];
export type FileKind = (typeof FILE_KINDS)[number];

const EXTENSIONS: Record<Exclude<FileKind, 'other'>, string> = {
  image: 'png jpg jpeg gif webp svg bmp tif tiff heic heif avif ico psd ai eps raw',
  document: 'pdf doc docx odt rtf txt md tex pages epub html htm',
  spreadsheet: 'xls xlsx xlsm ods csv tsv numbers',
  presentation: 'ppt pptx odp key',
  video: 'mp4 mov m4v avi mkv webm mpg mpeg wmv',
  audio: 'mp3 wav m4a aac ogg oga flac opus aiff wma',
  archive: 'zip tar gz tgz bz2 xz 7z rar zst',
};

const KINDS = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, extensions]) =>
    extensions.split(' ').map((extension) => [extension, kind as FileKind] as const),
  ),
);

/** What sort of file it is, by the extension of its name, else by the type that the service gives. */
export function kindOf({ name, fileType }: { name: string; fileType: string | null }): FileKind {
  const [, extension = fileType ?? ''] = /\.(\w{1,10})$/.exec(name) ?? [];
  return KINDS.get(extension.toLowerCase()) ?? 'other';
}

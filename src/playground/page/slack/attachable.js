import { notify } from '../base/notices.js';

/** Slack's limit for one file, in bytes; the playground's server enforces it too. */
const LARGEST_FILE = 1024 ** 3;
/** How many go into one message: the playground's server takes no more. */
const MAX_FILES = 200;

/** Returns dropped or pasted files; none, with a notice, if a folder is among them. */
export function filesOf({ items, files }) {
  const hasFolder = [...items].some((item) => item.webkitGetAsEntry()?.isDirectory);
  if (!hasFolder) return [...files];
  notify('Slack takes files, not folders. Nothing was attached.', 'problem');
  return [];
}

/** Returns the files not too large to add to `attached`; none if too many. Shows a notice why. */
export function attachable(files, attached) {
  const tooLarge = files.filter(({ size }) => size > LARGEST_FILE);
  if (tooLarge.length > 0) {
    const what = tooLarge.length === 1 ? `${tooLarge[0].name} is` : `${tooLarge.length} files are`;
    notify(`${what} too large: Slack takes files of up to 1 GB.`, 'problem');
  }
  const taken = files.filter((file) => !tooLarge.includes(file));
  const count = attached.length + taken.length;
  if (count <= MAX_FILES) return taken;
  notify(
    `One message takes up to ${MAX_FILES} files, and these would be ${count}. None was added.`,
    'problem',
  );
  return [];
}

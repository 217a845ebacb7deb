import { notify } from '../base/notices.js';

/** What Slack takes at most, in bytes; the playground's server refuses more as well. */
const LARGEST_FILE = 1024 ** 3;
/** How many go into one message: the playground's server takes no more. */
const MAX_FILES = 200;

/** The files of what was dropped or pasted; where a folder is among them none, having said so. */
export function filesOf({ items, files }) {
  const hasFolder = [...items].some((item) => item.webkitGetAsEntry()?.isDirectory);
  if (!hasFolder) return [...files];
  notify('Slack takes files, not folders. Nothing was attached.', 'problem');
  return [];
}

/** Those of the files that one message takes beside `attached`, having said which it does not. */
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

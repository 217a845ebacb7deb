import { ask, upload } from '../base/api.js';
import { notify } from '../base/notices.js';
import { looking } from '../base/state.js';
import { done } from '../guide/try-this.js';

const COMMAND = /^(\/\S+)(?:\s+(.*))?$/s;
const KNOWN = new Set(['/files', '/folders']);

/** In characters: what Slack, and the playground's server, take at most. */
export const MAX_TEXT_LENGTH = 40_000;

/**
 * Sends what was written to a channel or thread: with its files, else as a text, or as the command
 * that it is. `tell` hears how far the files are. Gives what was not sent, `text` and `files`.
 */
export async function send({ text, files, ...place }, tell) {
  const message = { ...place, text: text.trim() };
  if (files.length > 0) return shareFiles({ message, text, files }, tell);
  return { text: (await isTaken(message)) ? '' : text, files };
}

// One upload after another; what came is shared, what did not is left.
async function shareFiles({ message, text, files }, tell) {
  // Whoever looks may change while files are brought.
  const { person } = looking();
  const uploads = [];
  const left = [];
  for (const [index, file] of files.entries()) {
    tell(`Uploading ${index + 1} of ${files.length}: ${file.name}`);
    const id = await upload(file);
    if (id) uploads.push(id);
    else left.push(file);
  }
  tell('');
  if (uploads.length === 0) return { text, files };
  if (!(await ask('share', { ...message, person, uploads }))) return { text, files };
  done('share');
  return { text: '', files: left };
}

async function isTaken({ text, ...place }) {
  const [, command, rest = ''] = COMMAND.exec(text) ?? [];
  if (!command) return (await ask('say', { ...place, text })) !== null;
  if (command === '/invite') return (await ask('invite', place)) !== null;
  if (!KNOWN.has(command)) {
    notify(`Slack: ${command} is not a valid command.`, 'problem');
    return false;
  }
  const result = await ask('command', { ...place, command, text: rest });
  if (result?.ok && command === '/files' && rest === '') done('list');
  if (result?.ok === false) {
    notify(`Slack: ${command} failed, Pigeonhole did not answer (${result.failure}).`, 'problem');
  }
  return result?.ok === true;
}

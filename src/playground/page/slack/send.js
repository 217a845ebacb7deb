import { ask, askApp, upload } from '../base/api.js';
import { notify } from '../base/notices.js';
import { looking } from '../base/state.js';
import { done } from '../guide/try-this.js';

const COMMAND = /^(\/\S+)(?:\s+(.*))?$/s;
const KNOWN = new Set(['/files', '/folders']);

/** In characters: what Slack, and the playground's server, take at most. */
export const MAX_TEXT_LENGTH = 40_000;

/**
 * Sends a draft to a channel or thread: as a share if it has files, else as a message or a command.
 * Calls `tell` with the progress of uploads. Resolves with the `text` and `files` not sent.
 */
export async function send({ text, files, ...place }, tell) {
  const message = { ...place, text: text.trim() };
  if (files.length > 0) return shareFiles({ message, text, files }, tell);
  return { text: (await isTaken(message)) ? '' : text, files };
}

// Uploads one file after another, shares those that arrived, and returns the others.
async function shareFiles({ message, text, files }, tell) {
  // The visitor may switch to another person during the uploads.
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
  if (command === '/invite') return isInvited(rest, place);
  if (!KNOWN.has(command)) {
    notify(`Slack: ${command} is not a valid command.`, 'problem');
    return false;
  }
  const isAnswered = (await askApp('command', { ...place, command, text: rest })) !== null;
  if (isAnswered && command === '/files' && rest === '') done('list');
  return isAnswered;
}

async function isInvited(whom, place) {
  if (/^(@?pigeonhole)?\s*$/i.test(whom)) return (await ask('invite', place)) !== null;
  notify('Only Pigeonhole can be invited here: /invite @pigeonhole', 'problem');
  return false;
}

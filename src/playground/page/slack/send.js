import { notify } from '../base/notices.js';
import { post, postToApp, upload } from '../base/server.js';
import { viewer } from '../base/state.js';
import { markDone } from '../guide.js';

const COMMAND = /^(\/\S+)(?:\s+(.*))?$/s;
const COMMANDS = new Set(['/files', '/folders']);

/** In characters: what Slack, and the playground's server, take at most. */
export const MAX_TEXT_LENGTH = 40_000;

/**
 * Sends a draft to a channel or thread: as a share if it has files, else as a message or a command.
 * Calls `showProgress` with what is being uploaded. Resolves with the `text` and `files` not sent.
 */
export async function send({ text, files, ...place }, showProgress) {
  const message = { ...place, text: text.trim() };
  if (files.length > 0) return shareFiles({ message, text, files }, showProgress);
  return { text: (await isSent(message)) ? '' : text, files };
}

// Uploads one file after another, shares those that arrived, and returns the others.
async function shareFiles({ message, text, files }, showProgress) {
  // The visitor may switch to another person during the uploads.
  const { person } = viewer();
  const uploads = [];
  const left = [];
  for (const [index, file] of files.entries()) {
    showProgress(`Uploading ${index + 1} of ${files.length}: ${file.name}`);
    const id = await upload(file);
    if (id) uploads.push(id);
    else left.push(file);
  }
  showProgress('');
  if (uploads.length === 0) return { text, files };
  if (!(await post('share', { ...message, person, uploads }))) return { text, files };
  markDone('share');
  return { text: '', files: left };
}

async function isSent({ text, ...place }) {
  const [, command, rest = ''] = COMMAND.exec(text) ?? [];
  if (!command) return (await post('say', { ...place, text })) !== null;
  if (command === '/invite') return isInvited(rest, place);
  if (!COMMANDS.has(command)) {
    notify(`Slack: ${command} is not a valid command.`, 'problem');
    return false;
  }
  const isAnswered = (await postToApp('command', { ...place, command, text: rest })) !== null;
  if (isAnswered && command === '/files' && rest === '') markDone('list');
  return isAnswered;
}

async function isInvited(whom, place) {
  if (/^(@?pigeonhole)?\s*$/i.test(whom)) return (await post('invite', place)) !== null;
  notify('Only Pigeonhole can be invited here: /invite @pigeonhole', 'problem');
  return false;
}

import { ask, upload } from '../base/api.js';
import { notify } from '../base/notices.js';
import { looking } from '../base/state.js';
import { done } from '../guide/try-this.js';

const COMMAND = /^(\/[a-z]+)(?:\s+(.*))?$/s;
const KNOWN = new Set(['/files', '/folders']);

/** Shares files, one upload after another; `tell` hears how far it is. */
export async function sendFiles({ files, ...message }, tell) {
  // Whoever looks may change while files are brought.
  const { person } = looking();
  const uploads = [];
  for (const [index, file] of files.entries()) {
    tell(`Uploading ${index + 1} of ${files.length}: ${file.name}`);
    const id = await upload(file);
    if (id) uploads.push(id);
  }
  tell('');
  if (uploads.length === 0) return;
  done('share');
  await ask('share', { ...message, person, uploads });
}

/** Says a text, or gives the command that it is. */
export async function sendText({ channel, text }) {
  const [, command, rest = ''] = COMMAND.exec(text) ?? [];
  if (!command) return void (await ask('say', { channel, text }));
  if (command === '/invite') return void (await ask('invite', { channel }));
  if (!KNOWN.has(command)) return notify(`Slack: ${command} is not a valid command.`, 'problem');
  if (command === '/files' && rest === '') done('list');
  const result = await ask('command', { channel, command, text: rest });
  if (result?.ok === false) {
    notify(`Slack: ${command} failed, Pigeonhole did not answer (${result.failure}).`, 'problem');
  }
}

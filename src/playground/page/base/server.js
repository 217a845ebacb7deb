import { byId } from './dom.js';
import { notify } from './notices.js';
import { applyUpdate, viewer } from './state.js';

const NO_ANSWER = 'The playground does not answer. Is it still running?';

/** Posts an action as the current person. Shows a notice and resolves with null if it fails. */
export async function post(action, body = {}) {
  return resultOf(
    fetch(`/api/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ person: viewer().person, ...body }),
    }),
  );
}

// Slack's reasons why an app did not answer, in words.
const FAILURES = {
  connection_failed: 'it can’t be reached. Is it running?',
  http_error: 'it reported an error.',
  http_timeout: 'it took longer than 3 seconds.',
  timeout: 'it took longer than 3 seconds.',
};

/** Posts what the app must answer. Resolves with null, after a notice, if it doesn't. */
export async function postToApp(action, body) {
  const result = await post(action, body);
  if (result?.ok !== false) return result;
  const why = FAILURES[result.failure] ?? `${result.failure}.`;
  notify(`Slack: Pigeonhole did not answer: ${why}`, 'problem');
  return null;
}

/** Uploads a file; resolves with its identifier on the server, or null if it fails. */
export async function upload(file) {
  const name = encodeURIComponent(file.name.toWellFormed());
  const headers = { 'content-type': file.type || 'application/octet-stream' };
  const options = { method: 'POST', headers, body: file };
  const request = fetch(`/api/upload?name=${name}`, options);
  return (await resultOf(request, () => uploadFailure(file)))?.upload ?? null;
}

// Browsers report a file that was moved or changed since just like an unreachable server.
async function uploadFailure(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return NO_ANSWER;
  } catch {
    return `${file.name} can’t be read any more. Remove it here, or attach it again.`;
  }
}

async function resultOf(request, whyFailed = () => NO_ANSWER) {
  try {
    const response = await request;
    const body = await response.json();
    if (response.ok) return body;
    notify(body.error, 'problem');
  } catch {
    notify(await whyFailed(), 'problem');
  }
  return null;
}

/**
 * Receives the state from the server. Reconnects when disconnected; meanwhile, shows a note in place
 * of whether the app is running, which is not known then.
 */
export function connect() {
  const note = byId('connection');
  const app = byId('app-control');
  const stream = new EventSource('/events');
  stream.addEventListener('open', () => {
    note.hidden = true;
    app.hidden = false;
  });
  stream.addEventListener('state', (event) => applyUpdate(JSON.parse(event.data)));
  stream.addEventListener('error', () => {
    note.textContent = 'Connection lost. Is the playground still running? Trying again…';
    note.hidden = false;
    app.hidden = true;
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, 2000);
  });
}

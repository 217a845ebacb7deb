import { notify } from './notices.js';
import { looking } from './state.js';

/** Asks the server for something as the person who looks; says what went wrong, and gives null. */
export async function ask(action, body = {}) {
  return answerOf(
    fetch(`/api/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ person: looking().person, ...body }),
    }),
  );
}

/** Brings a file to the server; gives its identifier there, or null. */
export async function upload(file) {
  const name = encodeURIComponent(file.name.toWellFormed());
  const headers = { 'content-type': file.type || 'application/octet-stream' };
  const options = { method: 'POST', headers, body: file };
  return (await answerOf(fetch(`/api/upload?name=${name}`, options)))?.upload ?? null;
}

async function answerOf(request) {
  try {
    const answer = await request;
    const body = await answer.json();
    if (answer.ok) return body;
    notify(body.error, 'problem');
  } catch {
    notify('The playground does not answer. Is it still running?', 'problem');
  }
  return null;
}

import { notify } from './notices.js';
import { looking } from './state.js';

const NO_ANSWER = 'The playground does not answer. Is it still running?';

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
  const request = fetch(`/api/upload?name=${name}`, options);
  return (await answerOf(request, () => whyNotBrought(file)))?.upload ?? null;
}

// A browser tells a file that was moved or changed since as it tells a server that is gone.
async function whyNotBrought(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return NO_ANSWER;
  } catch {
    return `${file.name} can’t be read any more. Remove it here, or attach it again.`;
  }
}

async function answerOf(request, whyNone = () => NO_ANSWER) {
  try {
    const answer = await request;
    const body = await answer.json();
    if (answer.ok) return body;
    notify(body.error, 'problem');
  } catch {
    notify(await whyNone(), 'problem');
  }
  return null;
}

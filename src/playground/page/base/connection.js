import { byId } from './dom.js';
import { receive } from './state.js';

/** Receives parts from the server. Reconnects when disconnected, and shows a note meanwhile. */
export function connect() {
  const note = byId('connection');
  const stream = new EventSource('/events');
  stream.addEventListener('open', () => {
    note.hidden = true;
  });
  stream.addEventListener('state', (event) => receive(JSON.parse(event.data)));
  stream.addEventListener('error', () => {
    note.textContent = 'Connection lost. Is the playground still running? Trying again…';
    note.hidden = false;
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, 2000);
  });
}

import { byId } from './dom.js';
import { receive } from './state.js';

/**
 * Receives parts from the server. Reconnects when disconnected; meanwhile, shows a note in place of
 * whether the app is running, which is not known then.
 */
export function connect() {
  const note = byId('connection');
  const app = byId('app-switch');
  const stream = new EventSource('/events');
  stream.addEventListener('open', () => {
    note.hidden = true;
    app.hidden = false;
  });
  stream.addEventListener('parts', (event) => receive(JSON.parse(event.data)));
  stream.addEventListener('error', () => {
    note.textContent = 'Connection lost. Is the playground still running? Trying again…';
    note.hidden = false;
    app.hidden = true;
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(connect, 2000);
  });
}

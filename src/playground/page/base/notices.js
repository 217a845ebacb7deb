import { byId, h } from './dom.js';

const SHOWN_MS = 6000;

/**
 * Says something for a few seconds, once, however often it is so; `kind` is `problem` or nothing.
 */
export function notify(text, kind = 'note') {
  for (const same of byId('notices').children) if (same.textContent === text) same.remove();
  const notice = h('p', { class: `notice notice-${kind}` }, text);
  byId('notices').append(notice);
  setTimeout(() => notice.remove(), SHOWN_MS);
}

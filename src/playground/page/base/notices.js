import { byId, h } from './dom.js';

const SHOWN_MS = 6000;

/** Says something for a few seconds; `kind` is `problem` or nothing. */
export function notify(text, kind = 'note') {
  const notice = h('p', { class: `notice notice-${kind}` }, text);
  byId('notices').append(notice);
  setTimeout(() => notice.remove(), SHOWN_MS);
}

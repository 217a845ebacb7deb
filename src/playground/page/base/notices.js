import { byId, h } from './dom.js';

const SHOWN_MS = 6000;

let notices;

/**
 * Says something for a few seconds, once, however often it is so; `kind` is `problem` or nothing.
 */
export function notify(text, kind = 'note') {
  notices ??= byId('notices');
  for (const same of notices.children) if (same.textContent === text) same.remove();
  const notice = h('p', { class: `notice notice-${kind}` }, text);
  // Outside an open dialog it would be dimmed, and not be read aloud.
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  (dialog ?? document.body).append(notices);
  dialog?.addEventListener('close', () => document.body.append(notices), { once: true });
  notices.append(notice);
  setTimeout(() => notice.remove(), SHOWN_MS);
}

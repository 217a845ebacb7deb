import { byId, h } from './dom.js';

const SHOWN_MS = 6000;

let notices;

/** Shows a notice for 6 s, in place of one with the same text. `kind` is `note` or `problem`. */
export function notify(text, kind = 'note') {
  notices ??= byId('notices');
  for (const same of notices.children) if (same.textContent === text) same.remove();
  const notice = h(`p.notice.notice-${kind}`, text);
  // Outside an open modal dialog, notices would be dimmed and not read aloud.
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  (dialog ?? document.body).append(notices);
  dialog?.addEventListener('close', () => document.body.append(notices), { once: true });
  notices.append(notice);
  setTimeout(() => notice.remove(), SHOWN_MS);
}

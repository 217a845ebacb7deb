import { h, icon } from '../base/dom.js';
import { shownSize } from '../base/shown.js';

const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** Draws a message's files, with thumbnails of pictures. */
export function attachments(files) {
  if (!files?.length) return null;
  return h('ul', { class: 'attachments', 'aria-label': 'Files' }, ...files.map(attachment));
}

function attachment({ id, name, size, mimetype = '' }) {
  const shown = name ?? 'A file without a name';
  const facts = h(
    'span',
    { class: 'attachment-facts' },
    [kindOf(shown), shownSize(size)].filter(Boolean).join(' · '),
  );
  const words = h('span', { class: 'attachment-words' }, h('b', { title: shown }, shown), facts);
  return h(
    'li',
    { class: 'attachment' },
    PICTURE.test(mimetype) ? thumbnail(id) : icon('file'),
    words,
  );
}

function thumbnail(id) {
  const image = h('img', {
    class: 'thumbnail',
    src: `/pictures/${encodeURIComponent(id)}`,
    alt: '',
  });
  image.addEventListener('error', () => image.replaceWith(icon('file')), { once: true });
  return image;
}

function kindOf(name) {
  return /\.(\w{1,6})$/.exec(name)?.[1].toUpperCase();
}

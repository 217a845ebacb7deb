import { h } from '../base/dom.js';
import { notify } from '../base/notices.js';
import { look, part, visibleChannels } from '../base/state.js';

/**
 * Draws a link to a web or mail address; any other address becomes text. A link to a file of the
 * service downloads it from the playground, because the service requires a key. A link to a message
 * shows the message in this page, because its address is on slack.com.
 */
export function link(url, label) {
  const fileId = fileAt(url);
  if (fileId) return h('a', { href: `/service-files/${fileId}`, download: true }, label);
  const message = messageAt(url);
  if (message) return messageLink(message, label);
  if (!/^(?:https?:\/\/|mailto:)/i.test(url)) return document.createTextNode(label);
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, label);
}

function fileAt(url) {
  const account = part('account');
  if (!account || !url.startsWith(`${account}/`)) return null;
  return /^\/files\/(\d+)\/download$/.exec(url.slice(account.length))?.[1];
}

// https://docs.slack.dev/reference/methods/chat.getPermalink
function messageAt(url) {
  const [, channel, seconds, rest] =
    /^https:\/\/[\w-]+\.slack\.com\/archives\/(\w+)\/p(\d+)(\d{6})(?:\?|$)/.exec(url) ?? [];
  const isHere = part('workspace')?.channels.some(({ id }) => id === channel);
  return isHere ? { channel, ts: `${seconds}.${rest}` } : null;
}

function messageLink({ channel, ts }, label) {
  const go = (event) => {
    event.preventDefault();
    if (!visibleChannels().some(({ id }) => id === channel))
      return notify('You aren’t in the channel of that message.', 'problem');
    look({ channel });
    const row = document.querySelector(`[data-message="${CSS.escape(ts)}"]`);
    if (!row) return notify('That message isn’t there any more.', 'problem');
    show(row);
  };
  return h('a', { href: `#${channel}/${ts}`, on: { click: go } }, label);
}

// The focus highlights the message; `unfold` opens its thread.
function show(row) {
  row.dispatchEvent(new Event('unfold', { bubbles: true }));
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'center' });
}

import { h } from '../base/dom.js';
import { notify } from '../base/notices.js';
import { entry, setViewer, visibleChannels } from '../base/state.js';

/** Returns how to show an author: the app or a person. */
export function authorOf(userId) {
  const workspace = entry('workspace');
  if (userId === workspace?.appId) return { name: 'Pigeonhole', isApp: true, tone: 'app' };
  const index = workspace?.people.findIndex(({ id }) => id === userId) ?? -1;
  if (index < 0) return { name: 'Somebody', isApp: false, tone: 'other' };
  return { name: workspace.people[index].shownName, isApp: false, tone: String(index) };
}

/** Draws a square with the author's initial. */
export function avatar(userId) {
  const { name, tone } = authorOf(userId);
  return h(`span.avatar.avatar-${tone}`, { 'aria-hidden': 'true' }, name.slice(0, 1));
}

export function personMention(userId) {
  return h('span.mention', `@${authorOf(userId).name}`);
}

export function channelMention(channelId) {
  const channel = entry('workspace')?.channels.find(({ id }) => id === channelId);
  return h('span.mention', `#${channel?.name ?? 'channel'}`);
}

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
  const account = entry('account');
  if (!account || !url.startsWith(`${account}/`)) return null;
  return /^\/files\/(\d+)\/download$/.exec(url.slice(account.length))?.[1];
}

// https://docs.slack.dev/reference/methods/chat.getPermalink
function messageAt(url) {
  const [, channel, seconds, rest] =
    /^https:\/\/[\w-]+\.slack\.com\/archives\/(\w+)\/p(\d+)(\d{6})(?:\?|$)/.exec(url) ?? [];
  const isHere = entry('workspace')?.channels.some(({ id }) => id === channel);
  return isHere ? { channel, ts: `${seconds}.${rest}` } : null;
}

function messageLink({ channel, ts }, label) {
  const go = (event) => {
    event.preventDefault();
    if (!visibleChannels().some(({ id }) => id === channel))
      return notify('You aren’t in the channel of that message.', 'problem');
    setViewer({ channel });
    const row = document.querySelector(`[data-message="${CSS.escape(ts)}"]`);
    if (!row) return notify('That message isn’t there any more.', 'problem');
    highlight(row);
  };
  return h('a', { href: `#${channel}/${ts}`, on: { click: go } }, label);
}

// The focus highlights the message; `unfold` opens its thread.
function highlight(row) {
  row.dispatchEvent(new Event('unfold', { bubbles: true }));
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'center' });
}

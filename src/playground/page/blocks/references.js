import { byId, h } from '../base/dom.js';
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
 * Draws a link to a web or mail address, with `classes` as in `h`; any other address becomes text. A
 * link to a file of the service downloads it from the playground, because the service requires a
 * key. Links to folders and messages show them in this page, where they are.
 */
export function link(url, label, classes = '') {
  const anchor = (props) => h(`a${classes}`, props, label);
  const [, kind, id] = inAccount(url);
  if (kind === 'files') return anchor({ href: `/service-files/${id}`, download: true });
  if (kind === 'folders') return anchor({ href: `#${id}`, on: { click: showFolder(Number(id)) } });
  const message = messageAt(url);
  if (message) return anchor(messageLink(message));
  if (!/^(?:https?:\/\/|mailto:)/i.test(url)) return document.createTextNode(label);
  return anchor({ href: url, target: '_blank', rel: 'noopener noreferrer' });
}

const IN_ACCOUNT = /\/(?:(files)\/(\d+)\/download|(folders)\/(\d+)(?:\/files)?)$/;

// Returns what an address of the account names: a file or a folder, and its number.
function inAccount(url) {
  const account = entry('account');
  if (!account || !url.startsWith(`${account}/`)) return [];
  return (IN_ACCOUNT.exec(url) ?? []).filter((part) => part !== undefined);
}

/** Returns a listener that shows a folder's files, and scrolls to them. */
export function showFolder(folder) {
  return (event) => {
    event.preventDefault();
    setViewer({ folder, pane: 'files' });
    byId('service').scrollIntoView({ block: 'nearest' });
  };
}

// https://docs.slack.dev/reference/methods/chat.getPermalink
function messageAt(url) {
  const [, channel, seconds, rest] =
    /^https:\/\/[\w-]+\.slack\.com\/archives\/(\w+)\/p(\d+)(\d{6})(?:\?|$)/.exec(url) ?? [];
  const isHere = entry('workspace')?.channels.some(({ id }) => id === channel);
  return isHere ? { channel, ts: `${seconds}.${rest}` } : null;
}

function messageLink({ channel, ts }) {
  const go = (event) => {
    event.preventDefault();
    if (!visibleChannels().some(({ id }) => id === channel))
      return notify('You aren’t in the channel of that message.', 'problem');
    setViewer({ channel, tab: 'messages' });
    const row = document.querySelector(`[data-message="${CSS.escape(ts)}"]`);
    if (!row) return notify('That message isn’t there any more.', 'problem');
    highlight(row);
  };
  return { href: `#${channel}/${ts}`, on: { click: go } };
}

// The focus highlights the message; `unfold` opens its thread.
function highlight(row) {
  row.dispatchEvent(new Event('unfold', { bubbles: true }));
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'center' });
}

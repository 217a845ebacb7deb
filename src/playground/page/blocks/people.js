import { h } from '../base/dom.js';
import { part } from '../base/state.js';

/** Returns how to show an author: the app or a person. */
export function authorOf(userId) {
  const workspace = part('workspace');
  if (userId === workspace?.appId) return { name: 'Pigeonhole', isApp: true, tone: 'app' };
  const index = workspace?.people.findIndex(({ id }) => id === userId) ?? -1;
  if (index < 0) return { name: 'Somebody', isApp: false, tone: 'other' };
  return { name: workspace.people[index].shownName, isApp: false, tone: String(index) };
}

/** Returns a channel's name by its identifier. */
export function channelName(channelId) {
  return part('workspace')?.channels.find(({ id }) => id === channelId)?.name ?? 'channel';
}

/** Draws a square with the author's initial. */
export function avatar(userId) {
  const { name, tone } = authorOf(userId);
  return h('span', { class: `avatar avatar-${tone}`, 'aria-hidden': 'true' }, name.slice(0, 1));
}

export function personMention(userId) {
  return h('span', { class: 'mention' }, `@${authorOf(userId).name}`);
}

export function channelMention(channelId) {
  return h('span', { class: 'mention' }, `#${channelName(channelId)}`);
}

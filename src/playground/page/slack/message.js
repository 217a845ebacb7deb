import { h } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { shownTime } from '../base/shown.js';
import { part } from '../base/state.js';
import { actWithin } from '../blocks/act.js';
import { drawBlocks } from '../blocks/block-kit.js';
import { emoji } from '../blocks/emoji.js';
import { mrkdwn } from '../blocks/mrkdwn.js';
import { authorOf, avatar } from '../blocks/people.js';
import { attachments } from './attachments.js';
import { messageMenu } from './message-menu.js';

/**
 * Draws a message as a row, with its author, time, content, files, reactions and menu;
 * `update(message)` redraws what changed.
 */
export function messageRow(channel) {
  const node = h('div', { class: 'message' });
  const menu = messageMenu(channel);
  const draw = redraw(node, (message) => [avatar(authorIdOf(message)), body(message, channel)]);
  const row = h('div', { class: 'message-row' }, node, menu.node);
  return {
    node: row,
    update: (message) => {
      // Links to the message find its row by this.
      row.dataset.message = message.ts;
      node.classList.toggle('message-private', isPrivate(message));
      // As in Slack, private messages have no menu. A recording has no `shortcuts`, and no menus.
      menu.node.hidden = isPrivate(message) || !part('shortcuts');
      menu.update(message);
      return draw(message);
    },
  };
}

// The `user` of a private message is its recipient; its author is always the app.
function authorIdOf(message) {
  return isPrivate(message) ? part('workspace').appId : message.user;
}

function isPrivate(message) {
  return 'edits' in message;
}

function body(message, channel) {
  const { ts, edited, files, reactions } = message;
  const { name, isApp } = authorOf(authorIdOf(message));
  return h(
    'div',
    { class: 'message-body' },
    isPrivate(message) && h('p', { class: 'only-you' }, 'Only visible to you'),
    h(
      'div',
      { class: 'message-head' },
      h('b', {}, name),
      isApp && h('span', { class: 'app-badge' }, 'APP'),
      h('time', {}, shownTime(ts)),
      edited && h('span', { class: 'edited' }, '(edited)'),
    ),
    ...content(message, channel),
    attachments(files),
    reactionList(reactions),
  );
}

// As in Slack, the text shows only if there are no blocks.
function content(message, channel) {
  const { blocks, text } = message;
  if (!blocks?.length) return text ? [h('div', { class: 'message-text' }, ...mrkdwn(text))] : [];
  const container = isPrivate(message) ? { ephemeral: message.ts } : { channel, ts: message.ts };
  const scene = actWithin(container, ['message', 'ephemeral', 'views']);
  return [h('div', { class: 'blocks' }, ...drawBlocks(blocks, scene))];
}

function reactionList(reactions) {
  if (!reactions?.length) return null;
  const shown = reactions.map(({ name, users }) => {
    const who = users.map((user) => authorOf(user).name).join(', ');
    const label = `${who} reacted with ${name}`;
    return h(
      'li',
      { class: 'reaction', title: label, data: { reaction: name } },
      h('span', { role: 'img', 'aria-label': label }, emoji(name)),
      h('span', { 'aria-hidden': 'true' }, String(users.length)),
    );
  });
  return h('ul', { class: 'reactions', 'aria-label': 'Reactions' }, ...shown);
}

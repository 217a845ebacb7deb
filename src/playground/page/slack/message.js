import { h, icon } from '../base/dom.js';
import { drawOnChange } from '../base/dom-updates.js';
import { formatSize, formatTime } from '../base/format.js';
import { entry } from '../base/state.js';
import { appHandlers } from '../blocks/actions.js';
import { drawBlocks } from '../blocks/blocks.js';
import { authorOf, avatar } from '../blocks/references.js';
import { emoji, mrkdwn } from '../blocks/text.js';
import { messageMenu } from './message-menu.js';

/**
 * Draws a message as a row, with its author, time, content, files, reactions and menu;
 * `update(message)` redraws what changed.
 */
export function messageRow(channel) {
  const node = h('div.message');
  const menu = messageMenu(channel);
  const draw = drawOnChange(node, (message) => [
    avatar(authorIdOf(message)),
    body(message, channel),
  ]);
  const row = h('div.message-row', node, menu.node);
  return {
    node: row,
    update: (message) => {
      // Links to the message find its row by this.
      row.dataset.message = message.ts;
      node.classList.toggle('message-private', isPrivate(message));
      // As in Slack, private messages have no menu. A recording has no `shortcuts`, and no menus.
      menu.node.hidden = isPrivate(message) || !entry('shortcuts');
      menu.update(message);
      draw(message);
    },
  };
}

// The `user` of a private message is its recipient; its author is always the app.
function authorIdOf(message) {
  return isPrivate(message) ? entry('workspace').appId : message.user;
}

function isPrivate(message) {
  return 'edits' in message;
}

function body(message, channel) {
  const { ts, edited, files, unfurls, reactions } = message;
  const { name, isApp } = authorOf(authorIdOf(message));
  return h(
    'div',
    isPrivate(message) && h('p.fine-print.only-you', 'Only visible to you'),
    h(
      'div.message-head',
      h('b', name),
      isApp && h('span.app-badge', 'APP'),
      h('time.fine-print', formatTime(ts)),
      edited && h('span.fine-print', '(edited)'),
    ),
    content(message, channel),
    attachments(files),
    unfurls?.map((one) => unfurl(one, { channel, ts })),
    reactionList(reactions),
  );
}

// As in Slack, the text shows only if there are no blocks.
function content(message, channel) {
  const { blocks, text } = message;
  if (!blocks?.length) return text ? h('div.message-text', mrkdwn(text)) : null;
  const container = isPrivate(message) ? { ephemeral: message.ts } : { channel, ts: message.ts };
  const handlers = appHandlers(container, ['message', 'ephemeral', 'views']);
  return h('div.blocks', drawBlocks(blocks, handlers));
}

function unfurl({ url, blocks }, { channel, ts }) {
  const handlers = appHandlers({ channel, ts, unfurl: url }, ['message', 'ephemeral', 'views']);
  return h(
    'div.blocks.unfurl',
    { 'aria-label': 'Preview', role: 'group' },
    drawBlocks(blocks, handlers),
  );
}

function attachments(files) {
  if (!files?.length) return null;
  return h('ul.attachments', { 'aria-label': 'Files' }, files.map(attachment));
}

function attachment({ id, name, size, mimetype = '' }) {
  const shown = name ?? 'A file without a name';
  const extension = /\.(\w{1,6})$/.exec(shown)?.[1].toUpperCase();
  const facts = [extension, formatSize(size)].filter(Boolean).join(' · ');
  return h(
    'li.attachment.card',
    PICTURE.test(mimetype) ? thumbnail(id) : icon('file'),
    h('span.attachment-text', h('b.clipped', { title: shown }, shown), h('span.fine-print', facts)),
  );
}

const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/;

function thumbnail(id) {
  const src = `/pictures/${encodeURIComponent(id)}`;
  const showIcon = () => image.replaceWith(icon('file'));
  const image = h('img.thumbnail', { src, alt: '', on: { error: showIcon } });
  return image;
}

function reactionList(reactions) {
  if (!reactions?.length) return null;
  const shown = reactions.map(({ name, users }) => {
    const who = users.map((user) => authorOf(user).name).join(', ');
    const label = `${who} reacted with ${name}`;
    return h(
      'li.reaction',
      { title: label, data: { reaction: name } },
      h('span', { role: 'img', 'aria-label': label }, emoji(name)),
      h('span', { 'aria-hidden': 'true' }, String(users.length)),
    );
  });
  return h('ul.reactions', { 'aria-label': 'Reactions' }, shown);
}

import { ask, askApp } from '../base/api.js';
import { h } from '../base/dom.js';
import { looking, part } from '../base/state.js';
import { confirmed } from '../blocks/confirm.js';

/**
 * Draws the menu of a message: the app's shortcuts and, for the person's own message, deleting it
 * or one of its files in Slack. `update(message)` sets the message.
 */
export function messageMenu(channel) {
  let message;
  const summary = h('summary', { 'aria-label': 'Message actions', title: 'Message actions' }, '⋯');
  const items = h('div', { class: 'overflow-menu' });
  const node = h('details', { class: 'overflow message-menu' }, summary, items);
  const close = () => {
    node.open = false;
    summary.focus();
  };
  const item = ({ label, act }) => {
    const pick = () => {
      close();
      act();
    };
    return h('button', { type: 'button', on: { click: pick } }, label);
  };
  summary.addEventListener('click', () => {
    const all = [...shortcuts(channel, message), ...deletions(channel, message)];
    items.replaceChildren(...all.map(item));
  });
  node.addEventListener('toggle', () => {
    if (node.open) items.scrollIntoView({ block: 'nearest' });
    else items.replaceChildren();
  });
  node.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && node.open) close();
  });
  node.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !node.contains(relatedTarget)) node.open = false;
  });
  return {
    node,
    update: (given) => {
      message = given;
    },
  };
}

function shortcuts(channel, { ts }) {
  return (part('shortcuts') ?? []).map(({ name, callbackId }) => ({
    label: name,
    act: () => askApp('shortcut', { channel, ts, callbackId }),
  }));
}

function deletions(channel, { ts, user, files }) {
  if (user !== looking().person) return [];
  const ofFiles = (files ?? []).map(({ id, name }) => deletion(name ?? 'the file', { file: id }));
  return [...ofFiles, deletion('message', { channel, ts })];
}

function deletion(what, body) {
  const plain = (text) => ({ type: 'plain_text', text });
  const question = {
    title: plain(`Delete ${what}?`),
    text: plain('This deletes it in Slack, for everyone.'),
    confirm: plain('Delete'),
    deny: plain('Cancel'),
    style: 'danger',
  };
  return {
    label: `Delete ${what}`,
    act: async () => {
      if (await confirmed(question)) ask('deleteInSlack', body);
    },
  };
}

import { button, h } from '../base/dom.js';
import { post, postToApp } from '../base/server.js';
import { entry, viewer } from '../base/state.js';
import { confirmed } from '../blocks/actions.js';

/**
 * Draws the menu of a message: the app's shortcuts and, for the person's own message, deleting it
 * or one of its files in Slack. `update(message)` sets the message.
 */
export function messageMenu(channel) {
  let message;
  const summary = h('summary', { 'aria-label': 'Message actions', title: 'Message actions' }, '⋯');
  const items = h('div.overflow-menu.card');
  const node = h('details.overflow.message-menu', summary, items);
  const close = () => {
    node.open = false;
    summary.focus();
  };
  const item = ({ label, act }) => {
    const pick = () => {
      close();
      act();
    };
    return button(pick, '', label);
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
  return (entry('shortcuts') ?? []).map(({ name, callbackId }) => ({
    label: name,
    act: () => postToApp('shortcut', { channel, ts, callbackId }),
  }));
}

function deletions(channel, { ts, user, files }) {
  if (user !== viewer().person) return [];
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
      if (await confirmed(question)) await post('deleteInSlack', body);
    },
  };
}

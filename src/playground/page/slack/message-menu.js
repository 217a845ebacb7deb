import { ask } from '../base/ask.js';
import { menuButton } from '../base/menu-button.js';
import { post, postToApp } from '../base/server.js';
import { entry, viewer } from '../base/state.js';

/**
 * Draws the menu of a message: the app's shortcuts and, for the person's own message, deleting it
 * or one of its files in Slack. `update(message)` sets the message.
 */
export function messageMenu(channel) {
  let message;
  const items = () => [...shortcuts(channel, message), ...deletions(channel, message)];
  const node = menuButton({ face: '⋯', label: 'Message actions', items });
  node.classList.add('message-menu');
  return {
    node,
    update: (given) => {
      message = given;
    },
  };
}

function shortcuts(channel, { ts }) {
  return appShortcuts('message').map(({ name, callbackId }) => ({
    label: name,
    act: () => postToApp('shortcut', { callbackId, message: { channel, ts } }),
  }));
}

/** Returns the app's shortcuts of a type: `message` or `global`. */
export function appShortcuts(type) {
  return (entry('shortcuts') ?? []).filter((shortcut) => shortcut.type === type);
}

function deletions(channel, { ts, user, files }) {
  if (user !== viewer().person) return [];
  const ofFiles = (files ?? []).map(({ id, name }) => deletion(name ?? 'the file', { file: id }));
  return [...ofFiles, deletion('message', { channel, ts })];
}

function deletion(what, body) {
  const question = {
    title: `Delete ${what}?`,
    content: 'This deletes it in Slack, for everyone.',
    agree: 'Delete',
    deny: 'Cancel',
    isDanger: true,
  };
  return {
    label: `Delete ${what}`,
    act: async () => {
      if (await ask(question)) await post('deleteInSlack', body);
    },
  };
}

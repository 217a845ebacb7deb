import { byId, h } from '../base/dom.js';
import { textObject } from './text-object.js';

/** Shows an element's `confirm` dialog; resolves with whether the person agreed. */
export function confirmed({ title, text, confirm, deny, style }) {
  return new Promise((resolve) => {
    const answer = (yes) => () => {
      dialog.close();
      dialog.remove();
      resolve(yes);
    };
    const heading = h('h2', { id: 'confirm-title' }, ...textObject(title));
    const agree = `button ${style === 'danger' ? 'button-danger-fill' : 'button-primary'}`;
    const dialog = h(
      'dialog',
      { class: 'confirm', 'aria-labelledby': 'confirm-title', on: { cancel: answer(false) } },
      heading,
      h('div', { class: 'confirm-text' }, ...textObject(text)),
      h(
        'div',
        { class: 'dialog-buttons' },
        h(
          'button',
          { class: 'button', type: 'button', on: { click: answer(false) } },
          ...textObject(deny),
        ),
        h(
          'button',
          { class: agree, type: 'button', on: { click: answer(true) } },
          ...textObject(confirm),
        ),
      ),
    );
    byId('dialogs').append(dialog);
    dialog.showModal();
  });
}

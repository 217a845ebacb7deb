import { button, byId, h } from './dom.js';

/**
 * Asks in a modal dialog; resolves with whether the person agreed. `title`, `agree` and `deny` are
 * words, `content` the nodes between them. `isDanger`: agreeing destroys something.
 */
export function ask({ title, content, agree, deny, isDanger }) {
  return new Promise((resolve) => {
    const answer = (isAgreed) => (event) => {
      event.preventDefault();
      dialog.close();
      dialog.remove();
      resolve(isAgreed);
    };
    const agreeing = isDanger ? 'button.button.button-danger-fill' : 'button.button.button-primary';
    const form = h(
      'form',
      { on: { submit: answer(true) } },
      h('h2', { id: 'question' }, title),
      h('div.confirm-text', content),
      h(
        'div.dialog-buttons',
        button(answer(false), '.button', deny),
        h(agreeing, { type: 'submit' }, agree),
      ),
    );
    const props = { 'aria-labelledby': 'question', on: { cancel: answer(false) } };
    const dialog = h('dialog.confirm.card', props, form);
    byId('dialogs').append(dialog);
    dialog.showModal();
  });
}

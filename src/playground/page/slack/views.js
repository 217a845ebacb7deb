import { button, byId, h, iconButton } from '../base/dom.js';
import { drawOnChange } from '../base/dom-updates.js';
import { post, postToApp } from '../base/server.js';
import { currentChannel, entry, setViewer, subscribe, viewer } from '../base/state.js';
import { tabList } from '../base/tab-list.js';
import { appHandlers } from '../blocks/actions.js';
import { drawBlocks } from '../blocks/blocks.js';
import { plainText } from '../blocks/text.js';

/** Shows the app's conversation as two tabs: its Home and its messages. */
export function startAppTabs() {
  const [node, home, messages] = ['app-tabs', 'home', 'messages'].map(byId);
  let opened = '';
  const tabs = [
    { id: 'home', label: 'Home', panel: home },
    { id: 'messages', label: 'Messages', panel: messages },
  ];
  const show = tabList(node, { label: 'Pigeonhole', tabs, choose: (tab) => setViewer({ tab }) });
  const draw = drawOnChange(home, (view) => {
    if (!view) return h('p.empty', 'Pigeonhole has not filled this yet.');
    const handlers = appHandlers({ view: view.id }, ['home', 'views']);
    return h('div.blocks', drawBlocks(view.blocks, handlers));
  });
  subscribe(['viewer', 'workspace', 'home'], () => {
    const { person, channel, tab } = viewer();
    const isDirect = currentChannel()?.kind === 'direct';
    const place = isDirect ? `${channel} ${tab}` : '';
    if (place && place !== opened) void post('home', { tab });
    opened = place;
    node.hidden = !isDirect;
    show(isDirect ? tab : 'messages');
    draw(isDirect ? (entry(`home/${person}`) ?? null) : null);
  });
}

/** Shows the topmost of the app's modals to the current person. */
export function startModals() {
  // Only this child is redrawn, because the dialog may also hold notices.
  const content = h('div');
  // Takes the focus itself when it opens: its first control is the one that closes it.
  const props = { 'aria-labelledby': 'modal-title', tabindex: -1 };
  const dialog = h('dialog.modal.card', { ...props, on: { cancel: closeAll } }, content);
  // A view below the topmost keeps what was written into it.
  const forms = new Map();
  const draw = drawOnChange(content, (view) => {
    const open = forms.get(view.id) ?? { written: {}, isSending: false, form: h('form') };
    forms.set(view.id, open);
    const form = modal(view, open);
    keepWritten(open.form, form, open.written);
    open.form = form;
    return form;
  });
  byId('dialogs').append(dialog);
  subscribe(['views', 'viewer'], () => {
    const views = entry(`views/${viewer().person}`) ?? [];
    for (const id of forms.keys()) if (views.every((view) => view.id !== id)) forms.delete(id);
    const view = views.at(-1);
    if (!view) return dialog.close();
    draw(view);
    if (dialog.open) return;
    dialog.showModal();
    dialog.focus();
  });
}

// As in Slack, the view's own button goes back to the view below; the cross closes all.
const close = () => post('close', { all: false });

function closeAll(event) {
  event.preventDefault();
  void post('close', { all: true });
}

/**
 * Draws a view as a form. `open` lasts as long as the view: `written` are the values of its fields
 * by `action_id`, `isSending` says that a submission has no response yet, `form` and `body` are what
 * was drawn.
 */
function modal(view, open) {
  const handlers = {
    ...appHandlers({ view: view.id }, ['views']),
    remember: (actionId, choice) => {
      open.written[actionId] = choice;
    },
  };
  open.body = h('div.modal-body', drawBlocks(view.blocks, handlers));
  const submit = async (event) => {
    event.preventDefault();
    const { submitter } = event;
    // One submission at a time: presses before the app's response are ignored.
    if (!submitter || open.isSending) return;
    open.isSending = true;
    submitter.ariaBusy = 'true';
    const result = await postToApp('submit', { values: withoutEmpty(open.written) });
    open.isSending = false;
    submitter.ariaBusy = null;
    // Uses `open.body`, because the app may have updated the view meanwhile.
    if (Object.keys(result?.errors ?? {}).length > 0) showErrors(open.body, result.errors);
  };
  const title = h('h2', { id: 'modal-title' }, plainText(view.title));
  return h(
    'form',
    { on: { submit } },
    h('header', title, iconButton('close', 'Close', closeAll)),
    open.body,
    h(
      'footer.dialog-buttons',
      button(close, '.button', plainText(view.close) || 'Close'),
      view.submit && h('button.button.button-primary', { type: 'submit' }, plainText(view.submit)),
    ),
  );
}

/**
 * Keeps what was, or is being, written into fields that the view has before and after the update
 * (https://docs.slack.dev/reference/methods/views.update, "Preserving input entry").
 */
function keepWritten(old, form, written) {
  const kept = fieldsOf(old).filter(
    (field) => field.dataset.action in written || field.contains(document.activeElement),
  );
  const stay = new Set();
  for (const field of fieldsOf(form)) {
    const { block, action } = field.dataset;
    const same = kept.find(({ dataset }) => dataset.block === block && dataset.action === action);
    if (!same) continue;
    field.replaceWith(same);
    stay.add(action);
  }
  for (const action of Object.keys(written)) if (!stay.has(action)) delete written[action];
}

function fieldsOf(node) {
  return [...node.querySelectorAll('.block-input [data-action]')];
}

// Adds each error to its field instead of redrawing, which keeps what the person wrote.
function showErrors(body, errors) {
  for (const old of body.querySelectorAll('.field-error')) old.remove();
  for (const [blockId, message] of Object.entries(errors)) {
    const field = body.querySelector(`#${CSS.escape(`input-${blockId}`)}`)?.closest('.block-input');
    (field ?? body).append(h('p.field-error', { role: 'alert' }, message));
  }
}

function withoutEmpty(values) {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value != null && value !== ''),
  );
}

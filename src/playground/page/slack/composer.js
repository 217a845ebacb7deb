import { byId, h, icon } from '../base/dom.js';
import { currentChannel, onChange } from '../base/state.js';
import { attachedFiles } from './attached-files.js';
import { commandHints } from './command-hints.js';
import { keepDrafts } from './drafts.js';
import { acceptDrops } from './drop-zone.js';
import { MAX_TEXT_LENGTH, send } from './send.js';

const TALLEST_PX = 160;

/** Shows the message box, with files to attach, paste or drop, and suggested commands. */
export function startComposer() {
  const input = h('textarea', {
    rows: 1,
    maxlength: MAX_TEXT_LENGTH,
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'command-hints',
    'aria-autocomplete': 'list',
  });
  const button = h('button', { type: 'submit', class: 'send', 'aria-label': 'Send' }, icon('send'));
  const progress = h('p', { class: 'progress', role: 'status', hidden: true });
  const files = attachedFiles(input, 'Attach files');
  const hints = commandHints(input);

  const grow = () => {
    input.style.height = 'auto';
    input.style.height = `${Math.min(TALLEST_PX, input.scrollHeight)}px`;
  };
  const tell = (text) => {
    progress.textContent = text;
    progress.hidden = text === '';
  };
  const show = (draft) => {
    input.value = draft.text;
    files.put(draft.files);
    grow();
    // Only typing opens the suggestions: a restored draft must not cover the messages.
    hints.close();
  };
  const take = () => {
    const draft = { text: input.value, files: files.take() };
    show({ text: '', files: [] });
    return draft;
  };
  const drafts = keepDrafts({ take, show });
  const sendDraft = async (event) => {
    event.preventDefault();
    if (!input.value.trim() && files.isEmpty()) return;
    const { draft, putBack } = drafts.takeToSend();
    putBack(await send({ channel: currentChannel().id, ...draft }, tell));
  };

  input.addEventListener('input', () => {
    grow();
    hints.update();
  });
  input.addEventListener('blur', hints.close);
  input.addEventListener('keydown', (event) => {
    if (hints.takesKey(event)) return event.preventDefault();
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) sendDraft(event);
  });
  acceptDrops(byId('slack'), files.add);

  const form = h(
    'form',
    { class: 'composer', on: { submit: sendDraft } },
    files.node,
    h('div', { class: 'composer-row' }, files.picker, input, button),
  );
  byId('composer').append(hints.node, progress, form);
  onChange(['viewer', 'workspace'], () => {
    drafts.follow();
    const { name, kind } = currentChannel() ?? {};
    const label = kind === 'direct' ? `Message ${name}` : `Message #${name}`;
    input.setAttribute('aria-label', label);
    input.placeholder = `${label} or type /`;
  });
}

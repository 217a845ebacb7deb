import { byId, h, icon } from '../base/dom.js';
import { currentChannel, looking, onChange } from '../base/state.js';
import { attachedFiles } from './attached-files.js';
import { commandHints } from './command-hints.js';
import { acceptDrops } from './drop-zone.js';
import { sendFiles, sendText } from './send.js';

const TALLEST_PX = 160;

/** The box to write in, with files to attach, paste or drop, and suggestions for commands. */
export function startComposer() {
  const input = h('textarea', {
    rows: 1,
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
    hints.update();
    input.setAttribute('aria-expanded', String(!hints.node.hidden));
  };
  const tell = (text) => {
    progress.textContent = text;
    progress.hidden = text === '';
  };
  const send = async (event) => {
    event?.preventDefault();
    const { id: channel } = currentChannel();
    const text = input.value.trim();
    if (!text && files.isEmpty()) return;
    input.value = '';
    grow();
    if (files.isEmpty()) await sendText({ channel, text });
    else await sendFiles({ channel, text, files: files.take() }, tell);
  };

  input.addEventListener('input', grow);
  input.addEventListener('blur', hints.close);
  input.addEventListener('keydown', (event) => {
    if (hints.takesKey(event)) return event.preventDefault();
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event);
  });
  acceptDrops(byId('slack'), files.add);

  const form = h(
    'form',
    { class: 'composer', on: { submit: send } },
    files.node,
    h('div', { class: 'composer-row' }, files.picker, input, button),
  );
  byId('composer').append(hints.node, progress, form);
  const showDraft = draftSwitch(({ text, files: waiting }) => {
    const draft = { text: input.value, files: files.take(waiting) };
    input.value = text;
    grow();
    return draft;
  });
  onChange(['viewer', 'cast'], () => {
    showDraft();
    const { name, kind } = currentChannel() ?? {};
    const label = kind === 'direct' ? `Message ${name}` : `Message #${name}`;
    input.setAttribute('aria-label', label);
    input.placeholder = `${label}, or type / for commands`;
  });
}

// What is not sent yet belongs to whoever wrote it, and to the channel: `swap` shows the draft of
// another person or channel, and gives the one that was shown.
function draftSwitch(swap) {
  const drafts = new Map();
  let shown;
  return () => {
    const { person, channel } = looking();
    const next = `${person} ${channel}`;
    if (next === shown) return;
    const left = swap(drafts.get(next) ?? { text: '', files: [] });
    drafts.set(shown, left);
    shown = next;
  };
}

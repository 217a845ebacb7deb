import { byId, h, icon } from '../base/dom.js';
import { menuButton } from '../base/menu-button.js';
import { postToApp } from '../base/server.js';
import { currentChannel, subscribe, viewerByName } from '../base/state.js';
import { acceptDrops, attachedFiles } from './attached-files.js';
import { commandHints } from './command-hints.js';
import { appShortcuts } from './message-menu.js';
import { MAX_TEXT_LENGTH, send } from './send.js';

const MAX_HEIGHT_PX = 160;

/** Shows the message box, with files to attach, paste or drop, and suggested commands. */
export function startComposer() {
  const input = h('textarea', {
    id: 'message-box',
    rows: 1,
    maxlength: MAX_TEXT_LENGTH,
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'command-hints',
    'aria-autocomplete': 'list',
  });
  const button = h('button.send', { type: 'submit', 'aria-label': 'Send' }, icon('send'));
  const progress = h('p.progress', { role: 'status', hidden: true });
  const files = attachedFiles(input, 'Attach files');
  const hints = commandHints(input);

  const grow = () => {
    input.style.height = 'auto';
    // While the app's Home hides it, it has no height that could be measured.
    if (input.checkVisibility())
      input.style.height = `${Math.min(MAX_HEIGHT_PX, input.scrollHeight)}px`;
  };
  const showProgress = (text) => {
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
    putBack(await send({ channel: currentChannel().id, ...draft }, showProgress));
  };

  input.addEventListener('input', () => {
    grow();
    hints.update();
  });
  input.addEventListener('blur', hints.close);
  input.addEventListener('keydown', (event) => {
    if (hints.handleKey(event)) return event.preventDefault();
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void sendDraft(event);
  });
  acceptDrops(byId('slack'), files.add);

  const form = h(
    'form.composer',
    { on: { submit: sendDraft } },
    files.node,
    h('div.composer-row', files.picker, globalShortcuts(), input, button),
  );
  byId('composer').append(hints.node, progress, form);
  subscribe(['viewer', 'workspace'], () => {
    drafts.showCurrent();
    const { name, kind } = currentChannel() ?? {};
    const label = kind === 'direct' ? `Message ${name}` : `Message #${name}`;
    input.setAttribute('aria-label', label);
    input.placeholder = `${label} or type /`;
  });
}

function globalShortcuts() {
  const items = () =>
    appShortcuts('global').map(({ name, callbackId }) => ({
      label: name,
      act: () => postToApp('shortcut', { callbackId }),
    }));
  const node = menuButton({ face: icon('bolt'), label: 'Shortcuts', items });
  subscribe(['shortcuts'], () => {
    node.hidden = appShortcuts('global').length === 0;
  });
  return node;
}

const EMPTY = { text: '', files: [] };

/**
 * Keeps one unsent draft per person and channel. `take()` empties the message box and returns its
 * draft, the text and files; `show(draft)` puts a draft into the box.
 */
function keepDrafts({ take, show }) {
  const drafts = new Map();
  let shown;
  return {
    /** Shows the draft of the current person and channel. */
    showCurrent: () => {
      const next = JSON.stringify(viewerByName());
      if (next === shown) return;
      drafts.set(shown, take());
      shown = next;
      show(drafts.get(next) ?? EMPTY);
    },
    /** Takes the shown draft, to send it; `putBack(left)` restores what could not be sent. */
    takeToSend: () => {
      const from = shown;
      const putBack = (left) => {
        if (left.text === '' && left.files.length === 0) return;
        if (from === shown) show(joined(left, take()));
        else drafts.set(from, joined(left, drafts.get(from) ?? EMPTY));
      };
      return { draft: take(), putBack };
    },
  };
}

// The text written meanwhile goes after the one that was not sent.
function joined(left, later) {
  const text = [left.text, later.text].filter(Boolean).join('\n');
  return { text, files: [...left.files, ...later.files] };
}

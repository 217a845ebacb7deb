import { h, icon } from '../base/dom.js';
import { notify } from '../base/notices.js';
import { keepRows } from '../base/rows.js';
import { attachedFiles } from './attached-files.js';
import { messageRow } from './message.js';
import { MAX_TEXT_LENGTH, send } from './send.js';

/** The replies below a message, foldable, with a box to reply in. */
export function threadOf(channel, ts) {
  const list = h('ol', { class: 'replies' });
  const showReplies = keepRows(list, () => messageRow(channel));
  const toggle = h('button', { type: 'button', class: 'thread-toggle', 'aria-expanded': 'true' });
  const reply = h('button', { type: 'button', class: 'reply-button' }, icon('reply'), 'Reply');
  const form = replyForm(channel, ts);
  const node = h('div', { class: 'thread' }, toggle, list, form, reply);

  const fold = (isFolded) => {
    list.hidden = isFolded;
    toggle.setAttribute('aria-expanded', String(!isFolded));
  };
  toggle.addEventListener('click', () => fold(!list.hidden));
  node.addEventListener('unfold', () => fold(false));
  reply.addEventListener('click', () => {
    form.hidden = false;
    reply.hidden = true;
    form.querySelector('[type=text]').focus();
  });
  form.addEventListener('close', () => {
    form.hidden = true;
    reply.hidden = false;
    reply.focus();
  });
  return {
    node,
    update: (replies) => {
      const isEmpty = replies.length === 0;
      toggle.hidden = isEmpty;
      toggle.textContent = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
      node.classList.toggle('thread-empty', isEmpty);
      showReplies(replies, (one) => one.ts);
    },
  };
}

function replyForm(channel, threadTs) {
  const input = h('input', {
    type: 'text',
    class: 'text-input',
    maxlength: MAX_TEXT_LENGTH,
    placeholder: 'Reply…',
    'aria-label': 'Reply in the thread',
  });
  const files = attachedFiles(input, 'Add files to the reply');
  const progress = h('p', { class: 'progress', role: 'status' });
  const tell = (text) => {
    progress.textContent = text;
  };
  const sendReply = async (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text && files.isEmpty()) return;
    if (text.startsWith('/')) return explainCommands(text);
    input.value = '';
    const left = await send({ channel, threadTs, text, files: files.take() }, tell);
    if (left.text) input.value = [left.text, input.value].filter(Boolean).join(' ');
    files.put([...left.files, ...files.take()]);
  };
  const form = h(
    'form',
    { class: 'reply-form', hidden: true, on: { submit: sendReply } },
    files.node,
    progress,
    h(
      'div',
      { class: 'reply-row' },
      files.picker,
      input,
      h('button', { class: 'button', type: 'submit' }, 'Send reply'),
    ),
  );
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') form.dispatchEvent(new Event('close'));
  });
  return form;
}

function explainCommands(text) {
  const [command] = text.split(/\s/, 1);
  notify(`Slack has no commands in threads. Type ${command} in the channel’s own box below.`);
}

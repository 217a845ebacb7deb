import { button, byId, h, icon } from '../base/dom.js';
import { keyedList } from '../base/dom-updates.js';
import { notify } from '../base/notices.js';
import { oneTabStop } from '../base/one-tab-stop.js';
import { entriesUnder, subscribe, viewer } from '../base/state.js';
import { attachedFiles } from './attached-files.js';
import { messageRow } from './message.js';
import { MAX_TEXT_LENGTH, send } from './send.js';

const NEAR_END_PX = 120;

/** Shows the current channel's messages, including the current person's private ones. */
export function startTimeline() {
  const list = byId('timeline');
  const scroll = byId('timeline-scroll');
  let shown = '';
  let ownTs = 0;
  // Rows are kept per place, so that half-written replies and folded threads survive a switch.
  const kept = new Map();

  const draw = () => {
    const { person, channel, tab } = viewer();
    if (!channel) return;
    const place = `${channel} ${person}`;
    const isElsewhere = shown !== `${place} ${tab}`;
    if (isElsewhere) list.replaceChildren();
    shown = `${place} ${tab}`;
    if (!kept.has(place)) kept.set(place, keyedList(list, entryRow));
    const show = kept.get(place);
    const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END_PX;
    const entries = entriesOf(channel, person);
    show(entries, ({ ts, edits }) => `${ts} ${edits === undefined}`);
    const own = newestOwn(entries, person);
    if (isElsewhere || isAtEnd || own > ownTs) scroll.scrollTop = scroll.scrollHeight;
    ownTs = own;
  };
  subscribe(['viewer', 'workspace', 'message', 'ephemeral'], draw);
  oneTabStop(list, '.entry', (entries) => entries.at(-1));
}

// The `user` of a private message is its recipient, so what the app tells the person counts too.
function newestOwn(entries, person) {
  return Number(entries.findLast(({ user }) => user === person)?.ts ?? 0);
}

function entriesOf(channel, person) {
  const messages = entriesUnder(`message/${channel}/`);
  const ephemerals = entriesUnder(`ephemeral/${channel}/${person}/`);
  const inThreads = ephemerals.filter(({ threadTs }) => threadTs);
  const withThreads = messages.map((message) => {
    const own = inThreads.filter(({ threadTs }) => threadTs === message.ts);
    return { ...message, replies: [...message.replies, ...own].sort(byTime) };
  });
  const inChannel = ephemerals.filter(({ threadTs }) => !threadTs);
  return [...withThreads, ...inChannel].sort(byTime);
}

function byTime(one, other) {
  return Number(one.ts) - Number(other.ts);
}

function entryRow({ ts, edits }) {
  const channel = viewer().channel;
  const message = messageRow(channel);
  const node = h('li.entry', message.node);
  if (edits !== undefined) return { node, update: message.update };
  const thread = threadBelow(channel, ts);
  node.append(thread.node);
  return {
    node,
    update: ({ replies, ...rest }) => {
      message.update(rest);
      thread.update(replies);
    },
  };
}

// The foldable replies below a message, with a box to reply in.
function threadBelow(channel, ts) {
  const list = h('ol.replies');
  const showReplies = keyedList(list, () => messageRow(channel));
  const form = replyForm(channel, ts);

  const fold = (isFolded) => {
    list.hidden = isFolded;
    toggle.setAttribute('aria-expanded', String(!isFolded));
  };
  const openForm = () => {
    form.hidden = false;
    reply.hidden = true;
    form.querySelector('[type=text]').focus();
  };
  const toggled = () => fold(!list.hidden);
  const toggle = button(toggled, '.thread-toggle', { 'aria-expanded': 'true' });
  const reply = button(openForm, '.reply-button', icon('reply'), 'Reply');
  const node = h('div.thread', toggle, list, form, reply);
  node.addEventListener('unfold', () => fold(false));
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
  const input = h('input.text-input', {
    type: 'text',
    maxlength: MAX_TEXT_LENGTH,
    placeholder: 'Reply…',
    'aria-label': 'Reply in the thread',
  });
  const files = attachedFiles(input, 'Add files to the reply');
  const progress = h('p.progress', { role: 'status' });
  const showProgress = (text) => {
    progress.textContent = text;
  };
  const sendReply = async (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text && files.isEmpty()) return;
    if (text.startsWith('/')) return explainCommands(text);
    input.value = '';
    const left = await send({ channel, threadTs, text, files: files.take() }, showProgress);
    if (left.text) input.value = [left.text, input.value].filter(Boolean).join(' ');
    files.put([...left.files, ...files.take()]);
  };
  const form = h(
    'form.reply-form',
    { hidden: true, on: { submit: sendReply } },
    files.node,
    progress,
    h('div.reply-row', files.picker, input, h('button.button', { type: 'submit' }, 'Send reply')),
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

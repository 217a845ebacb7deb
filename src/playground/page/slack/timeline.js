import { byId, h } from '../base/dom.js';
import { keepRows } from '../base/rows.js';
import { looking, onChange, partsBelow } from '../base/state.js';
import { messageRow } from './message.js';
import { threadOf } from './thread.js';

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
    const { person, channel } = looking();
    if (!channel) return;
    const place = `${channel} ${person}`;
    const isElsewhere = shown !== place;
    if (isElsewhere) list.replaceChildren();
    shown = place;
    if (!kept.has(place)) kept.set(place, keepRows(list, entry));
    const show = kept.get(place);
    const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END_PX;
    const entries = entriesOf(channel, person);
    show(entries, ({ ts, edits }) => `${ts} ${edits === undefined}`);
    const own = newestOwn(entries, person);
    if (isElsewhere || isAtEnd || own > ownTs) scroll.scrollTop = scroll.scrollHeight;
    ownTs = own;
  };
  onChange(['viewer', 'workspace', 'message', 'ephemeral'], draw);
}

// The `user` of a private message is its recipient, so what the app tells the person counts too.
function newestOwn(entries, person) {
  return Number(entries.findLast(({ user }) => user === person)?.ts ?? 0);
}

function entriesOf(channel, person) {
  const messages = partsBelow(`message/${channel}/`);
  const whispers = partsBelow(`ephemeral/${channel}/${person}/`);
  const inThreads = whispers.filter(({ threadTs }) => threadTs);
  const withThreads = messages.map((message) => {
    const own = inThreads.filter(({ threadTs }) => threadTs === message.ts);
    return { ...message, replies: [...message.replies, ...own].sort(byTime) };
  });
  const loose = whispers.filter(({ threadTs }) => !threadTs);
  return [...withThreads, ...loose].sort(byTime);
}

function byTime(one, other) {
  return Number(one.ts) - Number(other.ts);
}

function entry({ ts, edits }) {
  const channel = looking().channel;
  const message = messageRow(channel);
  const node = h('li', { class: 'entry' }, message.node);
  if (edits !== undefined) return { node, update: message.update };
  const thread = threadOf(channel, ts);
  node.append(thread.node);
  return {
    node,
    update: ({ replies, ...rest }) => {
      message.update(rest);
      thread.update(replies);
    },
  };
}

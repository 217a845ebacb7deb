import { button, byId, h, icon } from '../base/dom.js';
import { drawOnChange } from '../base/dom-updates.js';
import { post } from '../base/server.js';
import {
  currentChannel,
  entry,
  folderPath,
  setViewer,
  subscribe,
  switchPerson,
  viewer,
  visibleChannels,
} from '../base/state.js';
import { avatar, link as drawLink, showFolder } from '../blocks/references.js';
import { plainText } from '../blocks/text.js';

/** Shows the person that the visitor acts as, and the conversations that this person can see. */
export function startSidebar() {
  const draw = drawOnChange(byId('sidebar'), ({ people, person, named, direct }) => [
    h('p.workspace-name', 'Harbour & Pine'),
    personSwitch(people, person),
    ...channelList('Channels', named),
    ...channelList('Direct messages', direct),
  ]);
  subscribe(['viewer', 'workspace', 'app'], () => {
    const { person, channel } = viewer();
    // A recording has no app to stop.
    const isAway = (entry('app') ?? 'running') !== 'running';
    const rows = visibleChannels().map(({ id, name, kind }) => {
      return { id, name, kind, isCurrent: id === channel, isAway };
    });
    draw({
      people: entry('workspace').people,
      person,
      named: rows.filter(({ kind }) => kind !== 'direct'),
      direct: rows.filter(({ kind }) => kind === 'direct'),
    });
  });
}

function personSwitch(people, person) {
  const options = people.map(({ id, shownName, role }) =>
    h('option', { value: id, selected: id === person }, `${shownName} (${role})`),
  );
  const change = (event) => switchPerson(event.currentTarget.value);
  return h(
    'div.person-switch',
    avatar(person),
    h('label', { for: 'person' }, 'You are'),
    h('select', { id: 'person', on: { change } }, options),
  );
}

function channelList(title, channels) {
  if (channels.length === 0) return [];
  const rows = channels.map((channel) => h('li', channelButton(channel)));
  return [h('h2', title), h('ul', { 'aria-label': title }, rows)];
}

function channelButton({ id, name, kind, isCurrent, isAway }) {
  const mark =
    kind === 'direct'
      ? h(isAway ? 'span.presence.presence-away' : 'span.presence')
      : icon(kind === 'private' ? 'lock' : 'hash');
  const show = () => setViewer({ channel: id });
  return button(show, '.row-button', { 'aria-current': isCurrent ? 'page' : null }, mark, name);
}

/**
 * Shows the channel's name, its bookmarks, and its linked folder, or a button to add the app if it is
 * not a member.
 */
export function startChannelHead() {
  const draw = drawOnChange(byId('channel-head'), ({ channel, link, hasApp, bookmarks }) => {
    const mark = { public: 'hash', private: 'lock' }[channel.kind];
    return [
      h('h2', mark && icon(mark), channel.name),
      hasApp ? destination(channel, link) : inviteButton(channel),
      bookmarks.length > 0 &&
        h('ul.bookmarks', { 'aria-label': 'Bookmarks' }, bookmarks.map(bookmark)),
    ];
  });
  subscribe(['viewer', 'workspace', 'links', 'project', 'bookmarks'], () => {
    const channel = currentChannel();
    if (!channel) return;
    const link = entry('links')?.[channel.id];
    draw({
      channel,
      link: link && { ...link, path: folderPath(link) },
      hasApp: channel.members.includes(entry('workspace').appId),
      bookmarks: entry(`bookmarks/${channel.id}`) ?? [],
    });
  });
}

function destination({ kind }, link) {
  if (link) {
    const words = [h('span', 'Files go to '), h('b', link.path)];
    return button(
      showFolder(link.folderId),
      '.destination',
      { title: 'Show the folder' },
      icon('folder'),
      words,
    );
  }
  const hint = kind === 'direct' ? 'Direct message' : 'Not linked to a folder yet';
  return h('p.destination-none', hint);
}

function bookmark({ title, link, emoji }) {
  const text = [emoji, title].filter(Boolean).join(' ');
  return h('li', drawLink(link, plainText({ text })));
}

function inviteButton({ id }) {
  const invite = () => post('invite', { channel: id });
  return h(
    'p.destination-none',
    'Pigeonhole is not in this channel. ',
    button(invite, '.button.button-small', 'Add Pigeonhole'),
  );
}

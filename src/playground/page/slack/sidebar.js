import { byId, h, icon } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { become, look, looking, onChange, part, visibleChannels } from '../base/state.js';
import { avatar } from '../blocks/people.js';

/** Shows the person that the visitor acts as, and the conversations that this person can see. */
export function startSidebar() {
  const draw = redraw(byId('sidebar'), ({ people, person, named, direct }) => [
    h('p', { class: 'workspace-name' }, 'Harbour & Pine'),
    personSwitch(people, person),
    ...channelList('Channels', named),
    ...channelList('Direct messages', direct),
  ]);
  onChange(['viewer', 'workspace', 'app'], () => {
    const { person, channel } = looking();
    // A recording has no app to stop.
    const isAway = (part('app') ?? 'running') !== 'running';
    const rows = visibleChannels().map(({ id, name, kind }) => {
      return { id, name, kind, isCurrent: id === channel, isAway };
    });
    draw({
      people: part('workspace').people,
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
  const changed = (event) => become(event.currentTarget.value);
  return h(
    'div',
    { class: 'person-switch' },
    avatar(person),
    h('label', { for: 'person' }, 'You are'),
    h('select', { id: 'person', on: { change: changed } }, ...options),
  );
}

function channelList(title, channels) {
  if (channels.length === 0) return [];
  return [
    h('h2', {}, title),
    h(
      'ul',
      { 'aria-label': title },
      ...channels.map((channel) => h('li', {}, channelButton(channel))),
    ),
  ];
}

function channelButton({ id, name, kind, isCurrent, isAway }) {
  const sign =
    kind === 'direct'
      ? h('span', { class: isAway ? 'presence presence-away' : 'presence' })
      : icon(kind === 'private' ? 'lock' : 'hash');
  const props = {
    type: 'button',
    'aria-current': isCurrent ? 'page' : null,
    on: { click: () => look({ channel: id }) },
  };
  return h('button', props, sign, name);
}

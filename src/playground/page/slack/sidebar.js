import { byId, h, icon } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { become, look, looking, onChange, part, visibleChannels } from '../base/state.js';
import { avatar } from '../blocks/people.js';

/** Shows the person that the visitor acts as, and the conversations that this person can see. */
export function startSidebar() {
  const draw = redraw(byId('sidebar'), ({ people, channels, person, channel }) => [
    h('p', { class: 'workspace-name' }, 'Harbour & Pine'),
    personSwitch(people, person),
    h('h2', { id: 'channels-title' }, 'Channels'),
    channelList(
      channels.filter(({ kind }) => kind !== 'direct'),
      channel,
      'channels-title',
    ),
    h('h2', { id: 'direct-title' }, 'Direct messages'),
    channelList(
      channels.filter(({ kind }) => kind === 'direct'),
      channel,
      'direct-title',
    ),
  ]);
  onChange(['viewer', 'cast'], () => {
    const { person, channel } = looking();
    const channels = visibleChannels().map(({ id, name, kind }) => ({ id, name, kind }));
    draw({ people: part('cast').people, channels, person, channel });
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

function channelList(channels, current, labelledBy) {
  const rows = channels.map(({ id, name, kind }) => {
    const sign =
      kind === 'direct'
        ? h('span', { class: 'presence' })
        : icon(kind === 'private' ? 'lock' : 'hash');
    const props = { type: 'button', 'aria-current': id === current ? 'page' : null };
    return h(
      'li',
      {},
      h('button', { ...props, on: { click: () => look({ channel: id }) } }, sign, name),
    );
  });
  return h('ul', { 'aria-labelledby': labelledBy }, ...rows);
}

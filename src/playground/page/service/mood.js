import { ask } from '../base/api.js';
import { byId, h } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { onChange, part } from '../base/state.js';

/** The switch that makes the service go wrong, with what to expect meanwhile. */
export function startMood() {
  const draw = redraw(byId('mood'), ({ moods, mood }) => {
    const options = moods.map(({ id, label }) =>
      h('option', { value: id, selected: id === mood }, label),
    );
    const set = (event) => ask('mood', { mood: event.currentTarget.value });
    return [
      h('label', { for: 'mood-choice' }, 'Make the service'),
      h(
        'select',
        {
          id: 'mood-choice',
          class: mood === 'works' ? 'select' : 'select mood-bad',
          on: { change: set },
        },
        ...options,
      ),
      h('p', { class: 'mood-expect' }, moods.find(({ id }) => id === mood)?.expect),
    ];
  });
  onChange(['moods', 'mood'], () => draw({ moods: part('moods'), mood: part('mood') }));
}

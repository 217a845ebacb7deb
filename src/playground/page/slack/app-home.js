import { ask } from '../base/api.js';
import { byId, h } from '../base/dom.js';
import { redraw } from '../base/rows.js';
import { currentChannel, looking, onChange, part } from '../base/state.js';
import { actWithin } from '../blocks/act.js';
import { drawBlocks } from '../blocks/block-kit.js';

/** Shows the app's Home tab above its direct messages, if the app has published one. */
export function startAppHome() {
  const node = byId('home');
  let opened = '';
  const draw = redraw(node, (view) => {
    const scene = actWithin({ view: view.id }, ['home', 'views']);
    return [h('h3', {}, 'Home'), h('div', { class: 'blocks' }, ...drawBlocks(view.blocks, scene))];
  });
  onChange(['viewer', 'workspace', 'home'], () => {
    const { person, channel } = looking();
    const isDirect = currentChannel()?.kind === 'direct';
    if (isDirect && opened !== channel) ask('home');
    opened = channel;
    const view = isDirect ? part(`home/${person}`) : undefined;
    node.hidden = !view;
    if (view) draw(view);
  });
}

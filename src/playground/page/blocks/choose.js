import { confirmed } from './confirm.js';

/**
 * Hands on what was chosen: a form keeps it, elsewhere the app hears of it at once, unless it has
 * still to answer the press before.
 */
export async function choose(element, { blockId, scene, isInput }, { choice, control }) {
  scene.remember?.(element.action_id, choice);
  if (isInput) return;
  if (control.ariaBusy === 'true') return;
  if (element.confirm && !(await confirmed(element.confirm))) return;
  scene.act({ actionId: element.action_id, blockId, value: element.value, choice }, control);
}

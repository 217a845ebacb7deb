import { confirmed } from './confirm.js';

/**
 * Handles a choice: a form remembers it; elsewhere it goes to the app at once, unless the app has
 * yet to respond to the last press, or the person declines the confirmation.
 */
export async function choose(element, { blockId, scene, isInput }, { choice, control }) {
  scene.remember?.(element.action_id, choice);
  if (isInput) return;
  if (control.ariaBusy === 'true') return;
  if (element.confirm && !(await confirmed(element.confirm))) return;
  scene.act({ actionId: element.action_id, blockId, value: element.value, choice }, control);
}

import { ask } from '../base/ask.js';
import { post, postToApp } from '../base/server.js';
import { subscribe } from '../base/state.js';
import { textObject } from './text.js';

const MAX_WAIT_MS = 10_000;

/**
 * Returns the handlers of an app's message or view, which `container` identifies: `press` sends an
 * action, `suggest` resolves with the options of an external select. A control that acts is pending
 * until an entry of `kinds` changes, which the app's response does, or for 10 s.
 */
export function appHandlers(container, kinds) {
  return {
    press: async (action, control) => {
      const release = markPending(control, kinds);
      if (!(await postToApp('press', { container, ...action }))) release();
    },
    suggest: async (actionId, typed) => {
      const result = await post('suggest', { container, actionId, typed });
      return result?.answer?.options ?? [];
    },
  };
}

/**
 * Marks a control as pending until one of `kinds` changes; returns a function that ends it sooner.
 * Does not disable the control, because that would take the focus away.
 */
function markPending(control, kinds) {
  control.setAttribute('aria-busy', 'true');
  const release = () => {
    clearTimeout(timer);
    unsubscribe();
    control.removeAttribute('aria-busy');
  };
  const timer = setTimeout(release, MAX_WAIT_MS);
  const unsubscribe = subscribe(kinds, release);
  return release;
}

/**
 * Handles a choice: a form remembers it; elsewhere it goes to the app at once, unless the app has
 * yet to respond to the last press, or the person declines the confirmation.
 */
export async function choose(element, { blockId, handlers, isInput }, { choice, control }) {
  handlers.remember?.(element.action_id, choice);
  if (isInput || control.ariaBusy === 'true') return;
  if (element.confirm && !(await confirmed(element.confirm))) return;
  handlers.press({ actionId: element.action_id, blockId, value: element.value, choice }, control);
}

// https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object
function confirmed({ title, text, confirm, deny, style }) {
  return ask({
    title: textObject(title),
    content: textObject(text),
    agree: textObject(confirm),
    deny: textObject(deny),
    isDanger: style === 'danger',
  });
}

import { ask, askApp } from '../base/api.js';
import { onChange } from '../base/state.js';

const MAX_WAIT_MS = 10_000;

/**
 * Returns the `act` and `suggest` of an app's message or view, which `container` identifies. A control
 * that acts is pending until a part of `kinds` changes, which the app's response does, or for 10 s.
 */
export function actWithin(container, kinds) {
  return {
    act: async (action, control) => {
      const release = hold(control, kinds);
      if (!(await askApp('press', { container, ...action }))) release();
    },
    suggest: async (place, typed) => {
      const { actionId } = place;
      const result = await ask('suggest', { container, actionId, typed });
      const { options, option_groups: groups } = result?.answer ?? {};
      return options ?? (groups ?? []).flatMap((group) => group.options);
    },
  };
}

/**
 * Marks a control as pending until one of `kinds` changes; returns a function that ends it sooner.
 * Does not disable the control, because that would take the focus away.
 */
function hold(control, kinds) {
  control.setAttribute('aria-busy', 'true');
  const release = () => {
    clearTimeout(timer);
    unlisten();
    control.removeAttribute('aria-busy');
  };
  const timer = setTimeout(release, MAX_WAIT_MS);
  const unlisten = onChange(kinds, release);
  return release;
}

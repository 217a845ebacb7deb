import { ask } from '../base/api.js';
import { notify } from '../base/notices.js';
import { onChange } from '../base/state.js';

const MAX_WAIT_MS = 10_000;

/**
 * What happens in an app's message or view: `within` says which it is, `kinds` whose change shows
 * that the app's answer has come. Until then, or for 10 s, the control is pending.
 */
export function actWithin(within, kinds) {
  return {
    act: async (action, control) => {
      const release = hold(control, kinds);
      const result = await ask('press', { within, ...action });
      if (!result) return release();
      if (result.ok) return;
      release();
      notify(`Slack: Pigeonhole did not answer (${result.failure}).`, 'problem');
    },
    suggest: async (place, typed) => {
      const { actionId } = place;
      const result = await ask('suggest', { within, actionId, typed });
      const { options, option_groups: groups } = result?.answer ?? {};
      return options ?? (groups ?? []).flatMap((group) => group.options);
    },
  };
}

/**
 * Marks a control as pending until one of `kinds` changes; returns what ends it sooner. It is not
 * disabled: that would take the focus away.
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

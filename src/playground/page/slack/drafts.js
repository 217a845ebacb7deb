import { lookingByName } from '../base/state.js';

const NOTHING = { text: '', files: [] };

/**
 * What is written in a box and not sent yet belongs to whoever wrote it, and to the channel. `take()`
 * empties the box and gives the draft that was in it, its text and files; `show(draft)` puts one there.
 */
export function keepDrafts({ take, show }) {
  const drafts = new Map();
  let shown;
  return {
    /** Shows the draft of the person and channel that are looked at now. */
    follow: () => {
      const next = JSON.stringify(lookingByName());
      if (next === shown) return;
      drafts.set(shown, take());
      shown = next;
      show(drafts.get(next) ?? NOTHING);
    },
    /** Takes the draft that is shown, to be sent; `putBack(left)` is for what of it could not be. */
    takeToSend: () => {
      const from = shown;
      const putBack = (left) => {
        if (left.text === '' && left.files.length === 0) return;
        if (from === shown) show(joined(left, take()));
        else drafts.set(from, joined(left, drafts.get(from) ?? NOTHING));
      };
      return { draft: take(), putBack };
    },
  };
}

// What was written meanwhile comes after it.
function joined(left, later) {
  const text = [left.text, later.text].filter(Boolean).join('\n');
  return { text, files: [...left.files, ...later.files] };
}

import { lookingByName } from '../base/state.js';

const NOTHING = { text: '', files: [] };

/**
 * Keeps one unsent draft per person and channel. `take()` empties the message box and returns its
 * draft, the text and files; `show(draft)` puts a draft into the box.
 */
export function keepDrafts({ take, show }) {
  const drafts = new Map();
  let shown;
  return {
    /** Shows the draft of the current person and channel. */
    follow: () => {
      const next = JSON.stringify(lookingByName());
      if (next === shown) return;
      drafts.set(shown, take());
      shown = next;
      show(drafts.get(next) ?? NOTHING);
    },
    /** Takes the shown draft, to send it; `putBack(left)` restores what could not be sent. */
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

// The text written meanwhile goes after the one that was not sent.
function joined(left, later) {
  const text = [left.text, later.text].filter(Boolean).join('\n');
  return { text, files: [...left.files, ...later.files] };
}

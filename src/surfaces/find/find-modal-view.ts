import { claimWith, MAX_FILTER_LENGTH } from '../kit/claims.ts';
import { button, plain, type View } from '../kit/layout.ts';
import { ask, line, say } from '../kit/prose.ts';
import { field, type Modal } from '../link/folder-form-view.ts';

/** Opens the modal. */
export const OPEN_FIND = { id: 'open_find', ...claimWith({}) };

/** The `callback_id` of the shortcut that opens the modal, and of the modal. */
export const FIND_FILES = 'find_files';

/** The `block_id` and `action_id` of the field for the words. */
export const WORDS_FIELD = 'find_words';

interface FindModalInput {
  /** What was searched for; empty before a search. */
  words: string;
  /** What was found; null before a search. */
  found: View | null;
}

/** The modal that searches from anywhere, also in threads. */
export function findModal({ words, found }: FindModalInput): Modal {
  const element = {
    type: 'plain_text_input' as const,
    action_id: WORDS_FIELD,
    max_length: MAX_FILTER_LENGTH,
    placeholder: plain('invoice 2024', 150),
    ...(words === '' ? {} : { initial_value: words }),
  };
  return {
    type: 'modal',
    callback_id: FIND_FILES,
    title: plain('Find files', 24),
    submit: plain('Search', 24),
    close: plain('Close', 24),
    blocks: [field(WORDS_FIELD, 'Words in the name', { element }), ...(found?.blocks ?? [])],
  };
}

/** The answer to “Find files” in the App Home when Slack does not open the modal. */
export const SEARCH_NOT_OPENED = ask(
  [line`Slack didn’t let me open the search. Press the button to try again.`],
  [button({ action: OPEN_FIND, label: 'Find files', claim: {} })],
);

/** Shown until a search has ended. */
export const SEARCHING = say(line`Searching your channels…`);

import type {
  Asking,
  Ephemeral,
  Modal,
  SlackFile,
  SlackMessage,
  SlackState,
} from '../slack/state.ts';
import { createFormAnswers, isToldTo, type SentForm } from './form-responses.ts';
import { wordsShown } from './lines.ts';
import type { KnownShare } from './oracle.ts';

/** A person's request to have the files of a message in a folder. */
export interface Saved {
  share: KnownShare;
  folder: number;
  user: string;
}

/** Checks files that people save by hand against what they asked for. */
export interface SaveTruth {
  /** Returns the message whose files a form saves, as the form names it; undefined: none. */
  messageOf(modal: Modal): KnownShare | undefined;
  /** Notes that the form was submitted. */
  formSent(form: SentForm): void;
  /** Notes that somebody sees the form, or its result. */
  modalShows(modal: Modal): void;
  /** Notes what the app tells one person, in the channel or in their direct messages. */
  told(shown: Ephemeral): void;
  /** Returns whether somebody with the right to save wanted the message's files in a folder. */
  mayHold(folder: number, share: KnownShare): boolean;
  /** Returns whether this person wanted the message's files in a folder. */
  isSavedBy(user: string, folder: number, share: KnownShare): boolean;
  /** Returns the number of folders that such people wanted them in. */
  foldersOf(share: KnownShare): number;
  /** Returns for how many pairs of message and folder people were told that the files are saved. */
  count(): number;
  /**
   * Returns each save once that people were told of and that is not in its folder. `unheardToo`:
   * also saves whose form was closed without any word of the result, if the app acknowledged the
   * form. If it did not, Slack shows an error.
   */
  unkept(which: { unheardToo: boolean }): Saved[];
  /** Returns whether a form was closed, so that a good result need not be reported. */
  isClosed(asking: Asking): boolean;
}

interface SaveTruthOptions {
  state(): SlackState;
  shares: readonly KnownShare[];
  /** Returns how often our key created a file with these bytes in a folder. */
  createdIn(folder: number, file: SlackFile): number;
  /** Returns the folders that a text may name. */
  foldersNamed(text: string): number[];
  fail(property: string, what: string): void;
}

/** Whether a line is about files that somebody saved by hand. */
export function isOfSaved(line: Pick<SlackMessage, 'text' | 'blocks'>): boolean {
  return /^Saved (from .*)?by <@\w+>\.$/m.test(wordsShown(line));
}

/** The `callback_id` of the form. */
export const SAVE_FORM = 'save_files';

const SAVED = /(?:is|are) on the way to |(?:is|are) already in /;

export function createSaveTruth(options: SaveTruthOptions): SaveTruth {
  const { state, shares, createdIn, foldersNamed, fail } = options;
  const forms = createFormAnswers();
  const wanted: (Saved & { form: SentForm })[] = [];
  const promised: Saved[] = [];
  const modals = new Set<Modal>();
  const mayUser = (user: string) => state().users.get(user)?.admin === true;
  const allowed = () => wanted.filter(({ user }) => mayUser(user));
  const messageOf = ({ view }: Modal) => {
    const { channel, ts } = JSON.parse(String(view['private_metadata'] ?? '{}'));
    return shares.find((share) => share.channel === channel && share.message.ts === ts);
  };

  function mayHold(folder: number, share: KnownShare): boolean {
    return allowed().some((one) => one.share === share && one.folder === folder);
  }

  // Of several submissions in the same modal, the text is about the one whose folder it names.
  function promise(modal: Modal, sent: readonly SentForm[]): void {
    const text = wordsOf(modal);
    if (!SAVED.test(text)) return;
    const own = wanted.filter(({ form }) => sent.includes(form));
    const folders = foldersNamed(text);
    const named = own.findLast(({ folder }) => folders.includes(folder));
    if (named && mayUser(named.user)) promised.push(named);
    else fail('a form says what becomes of what was asked', `${modal.user}: ${text}`);
  }

  const unheard = () =>
    allowed().filter(({ form: { modal, asking } }) => {
      return asking.acknowledged && !modal.isOpen && asking.answers.length === 0;
    });
  const isKept = ({ share, folder }: Saved) =>
    share.message.files.every(
      // An edit may have added the file after the form was submitted.
      (file) => createdIn(folder, file) > 0 || share.added.some((one) => one.file === file),
    );

  return {
    messageOf,
    formSent: (form) => {
      forms.sent(form);
      const share = messageOf(form.modal);
      const { user } = form.asking;
      if (share && form.folder !== null) wanted.push({ share, folder: form.folder, user, form });
    },
    modalShows: (modal) => {
      if (modal.view['callback_id'] === SAVE_FORM) modals.add(modal);
      if (!modals.has(modal)) return;
      if (!mayUser(modal.user)) fail('only who may save is given the form', modal.user);
      promise(modal, forms.shows(modal));
    },
    told: (shown) =>
      forms.told(shown, ({ modal, asking }) => {
        return !modal.isOpen && !isOfSaved(shown) && isToldTo(asking, shown);
      }),
    mayHold,
    isSavedBy: (user, folder, share) =>
      wanted.some((one) => one.user === user && one.folder === folder && one.share === share),
    foldersOf: (share) =>
      new Set(allowed().flatMap((one) => (one.share === share ? one.folder : []))).size,
    count: () => eachOnce(promised).length,
    unkept: ({ unheardToo }) => {
      const all = unheardToo ? [...promised, ...unheard()] : promised;
      return eachOnce(all.filter((one) => !isKept(one)));
    },
    isClosed: forms.isClosed,
  };
}

// The text is spread over several blocks.
function wordsOf({ view }: Modal): string {
  const pieces = JSON.stringify(view['blocks'] ?? []).matchAll(/"text":("(?:[^"\\]|\\.)*")/g);
  return [...pieces].map(([, piece]) => JSON.parse(piece ?? '""')).join('');
}

function eachOnce(all: readonly Saved[]): Saved[] {
  const isSame = (a: Saved, b: Saved) => a.share === b.share && a.folder === b.folder;
  return all.filter((one, nth) => all.findIndex((other) => isSame(one, other)) === nth);
}

import type { Ephemeral, Modal, SlackFile, UserRequest } from '../slack/state.ts';
import {
  createFormResponses,
  isResponseTo,
  type OracleTools,
  type SubmittedForm,
} from './requests.ts';
import { type ExpectedShare, isSaveLine } from './shares.ts';

/** A person's request to have the files of a message in a folder. */
export interface Save {
  share: ExpectedShare;
  folder: number;
  user: string;
}

interface SaveOracleOptions extends OracleTools {
  shares: readonly ExpectedShare[];
  /** Returns how often our key created a file with these bytes in a folder. */
  createdIn(folder: number, file: SlackFile): number;
}

/** The `callback_id` of the form. */
export const SAVE_FORM = 'save_files';

const SAVED = /^Saving .* to |(?:is|are) already in /m;

/** Checks files that people save by hand against what they asked for. */
export function createSaveOracle(options: SaveOracleOptions) {
  const { state, shares, createdIn, foldersNamed, fail } = options;
  const forms = createFormResponses();
  const requested: (Save & { form: SubmittedForm })[] = [];
  const promised: Save[] = [];
  const modals = new Set<Modal>();
  const maySave = (user: string) => state().users.get(user)?.admin === true;
  const allowed = () => requested.filter(({ user }) => maySave(user));

  /** Returns the message whose files a form saves, as the form names it; undefined: none. */
  function messageOf({ view }: Modal): ExpectedShare | undefined {
    const { channel, ts } = JSON.parse(String(view['private_metadata'] ?? '{}'));
    return shares.find((share) => share.channel === channel && share.message.ts === ts);
  }

  // Of several submissions in the same modal, the text is about the one whose folder it names.
  function notePromise(modal: Modal, submitted: readonly SubmittedForm[]): void {
    const text = textOf(modal);
    if (!SAVED.test(text)) return;
    const own = requested.filter(({ form }) => submitted.includes(form));
    const folders = foldersNamed(text);
    const named = own.findLast(({ folder }) => folders.includes(folder));
    if (named && maySave(named.user)) promised.push(named);
    else fail('a form says what becomes of what was asked', `${modal.user}: ${text}`);
  }

  const closedWithoutResponse = () =>
    allowed().filter(({ form: { modal, request } }) => {
      return request.acknowledged && !modal.isOpen && request.responses.length === 0;
    });
  const isDone = ({ share, folder }: Save) =>
    share.message.files.every(
      // An edit may have added the file after the form was submitted.
      (file) => createdIn(folder, file) > 0 || share.added.some((one) => one.file === file),
    );

  return {
    messageOf,
    formSent: (form: SubmittedForm): void => {
      forms.add(form);
      const share = messageOf(form.modal);
      const { user } = form.request;
      if (share && form.folder !== null) requested.push({ share, folder: form.folder, user, form });
    },
    /** Notes that somebody sees the form, or its result. */
    modalChanged: (modal: Modal): void => {
      if (modal.view['callback_id'] === SAVE_FORM) modals.add(modal);
      if (!modals.has(modal)) return;
      if (!maySave(modal.user)) fail('only who may save is given the form', modal.user);
      notePromise(modal, forms.modalChanged(modal));
    },
    /** Notes what the app tells one person, in the channel or in their direct messages. */
    notified: (shown: Ephemeral): void =>
      forms.messageShown(shown, ({ modal, request }) => {
        return !modal.isOpen && !isSaveLine(shown) && isResponseTo(request, shown);
      }),
    /** Returns whether somebody with the right to save wanted the message's files in a folder. */
    mayContain: (folder: number, share: ExpectedShare): boolean =>
      allowed().some((one) => one.share === share && one.folder === folder),
    /** Returns whether this person wanted the message's files in a folder. */
    isSavedBy: (user: string, folder: number, share: ExpectedShare): boolean =>
      requested.some((one) => one.user === user && one.folder === folder && one.share === share),
    /** Returns whether this person wanted the message's files in any folder. */
    isSavedByHand: (user: string, share: ExpectedShare): boolean =>
      allowed().some((one) => one.user === user && one.share === share),
    /** Returns the number of folders that people with the right to save wanted them in. */
    countFolders: (share: ExpectedShare): number =>
      new Set(allowed().flatMap((one) => (one.share === share ? one.folder : []))).size,
    /** Returns for how many pairs of message and folder people were told that the files are saved. */
    count: (): number => withoutRepeats(promised).length,
    /**
     * Returns each save once that people were told of and that is not in its folder.
     * `alsoUnreported`: also saves whose form was closed without any word of the result, if the app
     * acknowledged the form. If it did not, Slack shows an error.
     */
    unfulfilled: ({ alsoUnreported }: { alsoUnreported: boolean }): Save[] => {
      const all = alsoUnreported ? [...promised, ...closedWithoutResponse()] : promised;
      return withoutRepeats(all.filter((one) => !isDone(one)));
    },
    /** Returns whether a form was closed, so that a good result need not be reported. */
    isClosed: (request: UserRequest): boolean => forms.isClosed(request),
  };
}

// The text is spread over several blocks.
function textOf({ view }: Modal): string {
  const pieces = JSON.stringify(view['blocks'] ?? []).matchAll(/"text":("(?:[^"\\]|\\.)*")/g);
  return [...pieces].map(([, piece]) => JSON.parse(piece ?? '""')).join('');
}

function withoutRepeats(all: readonly Save[]): Save[] {
  const isSame = (a: Save, b: Save) => a.share === b.share && a.folder === b.folder;
  return all.filter((one, nth) => all.findIndex((other) => isSame(one, other)) === nth);
}

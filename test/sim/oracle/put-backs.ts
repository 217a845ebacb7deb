import { virtualNow } from '../kernel/virtual-time.ts';
import { type Ephemeral, isMember, type SlackFile, type UserRequest } from '../slack/state.ts';
import { PUTTING_BACK, SAVING_AGAIN } from './app-words.ts';
import type { OracleTools, Press } from './requests.ts';
import { type ExpectedShare, isNamed, textOf } from './shares.ts';

const PUTS_BACK = new Set(['put_back', 'save_again']);

/** A file that a person had put back; `at`: when they read that, in milliseconds since the epoch. */
export interface PutBack {
  share: ExpectedShare;
  file: SlackFile;
  /** The folder, as the button names it; null: only the app knows it. */
  folder: number | null;
  at: number;
}

interface PutBackOptions extends Pick<OracleTools, 'state'> {
  /** Whether files keep the names that they are created with. */
  keepsNames: boolean;
  shares: readonly ExpectedShare[];
  /** Whether somebody had the app delete a file with these bytes. */
  wasDeleted(file: SlackFile): boolean;
  /** Whether this person saved the share's files by hand. */
  isSavedBy(user: string, share: ExpectedShare): boolean;
}

/** Notes which deleted files people had put back, or saved again to where they were. */
export function createPutBackOracle(options: PutBackOptions) {
  const { state, shares, keepsNames, wasDeleted, isSavedBy } = options;
  /** How often people who may do so asked for it, by the file's bytes. */
  const asked = new Map<string, number>();
  const promised: PutBack[] = [];

  // Only the app knows the share of a button, but the words around it name the files.
  function filesOf({ value, words }: Press): Omit<PutBack, 'at'>[] {
    const [, ts] = /"ts":"([\d.]+)"/.exec(value) ?? [];
    const folder = Number(/"f":(\d+)/.exec(value)?.[1]) || null;
    const isMeant = (file: SlackFile) =>
      ts !== undefined || !keepsNames || isNamed(words, file) || / and \d+ more\b/.test(words);
    return shares
      .filter(({ message }) => ts === undefined || message.ts === ts)
      .flatMap((share) => share.message.files.map((file) => ({ share, file, folder })))
      .filter(({ file }) => wasDeleted(file) && isMeant(file));
  }

  // As who may delete a copy; only admins save by hand.
  function mayPutBack(user: string, share: ExpectedShare): boolean {
    const known = state().users.get(user);
    return isMember(known) && (known?.admin || share.user === user || isSavedBy(user, share));
  }

  return {
    pressed: (press: Press, request: UserRequest): void => {
      if (!PUTS_BACK.has(press.actionId)) return;
      const files = filesOf(press).filter(({ share }) => mayPutBack(press.user, share));
      for (const { sha256 } of new Set(files.map(({ file }) => file)))
        asked.set(sha256, (asked.get(sha256) ?? 0) + 1);
      request.onResponse = (shown: Ephemeral) => {
        const text = textOf(shown);
        const [, count] = PUTTING_BACK.exec(text) ?? SAVING_AGAIN.exec(text) ?? [];
        if (count === undefined) return;
        const isAlone = ({ file }: { file: SlackFile }) =>
          files.filter((one) => one.file.name === file.name).length === 1;
        const named = files.filter((one) => isNamed(text, one.file) && isAlone(one));
        const all = named.length === 0 && Number(count) === files.length ? files : named;
        for (const one of all) promised.push({ ...one, at: virtualNow() });
        delete request.onResponse;
      };
    },
    /** Returns how often files with these bytes may have been put back. */
    countOf: (sha256: string): number => asked.get(sha256) ?? 0,
    /** The files that people were told are put back. */
    promised: promised as readonly PutBack[],
  };
}

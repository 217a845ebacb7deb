import { ACCOUNT_URL, FOLDERS } from '../service/account.ts';
import type { Ephemeral, SlackState } from '../slack/state.ts';
import type { Oracle } from './oracle.ts';

const CHANNEL = /"channel_id":"(\w+)"|<#(\w+)/g;
const MESSAGE = /archives\/(\w+)\/p/g;
const NAMED_CHANNEL = /#channel-(\d+)/g;
const RECORD = new RegExp(`${ACCOUNT_URL.replaceAll('.', '\\.')}/files/(\\d+)/`, 'g');

interface PrivacyOptions {
  state: SlackState;
  oracle: Oracle;
  hasDefaultFolder: boolean;
  /** Begins the names of files that are shared where not everybody is. */
  privateName: string;
  /** Whether the account lists this deleted folder, with all files of the account. */
  listsAll(folder: number): boolean;
}

/** Checks that what one person reads names nothing of channels that they are not in. */
export function createPrivacyCheck(options: PrivacyOptions) {
  const { state, oracle, hasDefaultFolder, privateName, listsAll } = options;
  const isIn = (user: string, channel: string) =>
    state.channels.get(channel)?.members.has(user) === true;
  const isInLinked = (user: string, folder?: number) =>
    [...state.channels.keys()].some(
      (channel) => isIn(user, channel) && oracle.links.mayBeLinked(channel, folder),
    );

  // A person may see every file in a folder that is linked to one of their channels, whoever filed
  // it. If the account lists every file there, no record shows which folder it is in.
  function maySee(user: string, fileId: number): boolean {
    const record = oracle.recordOf(fileId);
    if (!record || record.sharedIn.some((channel) => isIn(user, channel))) return true;
    const { folder } = record;
    if (FOLDERS.some((one) => listsAll(one) && isInLinked(user, one))) return true;
    if (hasDefaultFolder && folder === FOLDERS[0]) return false;
    return isInLinked(user, folder);
  }

  // A person may know such a name if they are in a channel where it was shared, or in a channel
  // that may be linked, where they can come across it.
  function mayKnowPrivateNames(user: string): boolean {
    const hasSeen = oracle.shares.some(
      ({ channel, message }) =>
        isIn(user, channel) && message.files.some(({ name }) => name.startsWith(privateName)),
    );
    return hasSeen || isInLinked(user);
  }

  function leaksIn(text: string, user: string): string[] {
    const isAdmin = state.users.get(user)?.admin === true;
    const named = matches(text, CHANNEL).filter((channel) => !isAdmin && !isIn(user, channel));
    const linked = matches(text, MESSAGE).filter((channel) => !isIn(user, channel));
    const byName = matches(text, NAMED_CHANNEL).filter((nth) => !isIn(user, `C0000000${nth}`));
    const files = matches(text, RECORD).filter((id) => !maySee(user, Number(id)));
    const hasPrivateName = text.includes(privateName) && !mayKnowPrivateNames(user);
    return [
      ...named.map((channel) => `that ${channel} is there`),
      ...linked.map((channel) => `of a message in ${channel}`),
      ...byName.map((nth) => `that a channel is called channel-${nth}`),
      ...files.map((id) => `of the file ${id}`),
      ...(hasPrivateName ? ['the name of a file that is not theirs'] : []),
    ];
  }

  return ({ user, channel, text, blocks }: Ephemeral): void => {
    const [first] = leaksIn(`${text} ${JSON.stringify(blocks)}`, user);
    const property = 'nobody learns of channels that they are not in';
    if (first !== undefined) oracle.fail(property, `${user} in ${channel}: ${first}`);
  };
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? '');
}

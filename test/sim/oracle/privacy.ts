import { FOLDERS } from '../service/account.ts';
import { ACCOUNT_URL } from '../service/service-model.ts';
import type { Ephemeral, SlackState } from '../slack/state.ts';
import { ONLY_HERE } from '../world/users.ts';
import type { Truth } from './oracle.ts';

const CHANNEL = /"channel_id":"(\w+)"|<#(\w+)/g;
const MESSAGE = /archives\/(\w+)\/p/g;
const NAMED_CHANNEL = /#channel-(\d+)/g;
const RECORD = new RegExp(`${ACCOUNT_URL.replaceAll('.', '\\.')}/files/(\\d+)/`, 'g');

interface DiscretionOptions {
  state: SlackState;
  truth: Truth;
  hasDefault: boolean;
  /** Whether the account lists this deleted folder, with all files of the account. */
  listsAll(folder: number): boolean;
}

/** Checks that what one person reads names nothing of channels that they are not in. */
export function createDiscretion({ state, truth, hasDefault, listsAll }: DiscretionOptions) {
  const isIn = (user: string, channel: string) =>
    state.channels.get(channel)?.members.has(user) === true;

  // A person may see every file in a folder that is linked to one of their channels, whoever filed
  // it. If the account lists every file there, no record shows which folder it is in.
  function maySee(user: string, fileId: number): boolean {
    const record = truth.recordOf(fileId);
    if (!record || record.sharedIn.some((channel) => isIn(user, channel))) return true;
    const { folder } = record;
    if (FOLDERS.some((one) => listsAll(one) && hasLinked(user, one))) return true;
    if (hasDefault && folder === FOLDERS[0]) return false;
    return hasLinked(user, folder);
  }

  const hasLinked = (user: string, folder: number) =>
    [...state.channels.keys()].some(
      (channel) => isIn(user, channel) && truth.links.mayBeLinked(channel, folder),
    );

  // A person may know such a name if they are in a channel where it was shared, or in a channel
  // that may be linked, where they can come across it.
  function mayKnowNames(user: string): boolean {
    return (
      truth.shares.some(
        ({ channel, message }) =>
          isIn(user, channel) && message.files.some(({ name }) => name.startsWith(ONLY_HERE)),
      ) ||
      [...state.channels.keys()].some(
        (channel) => isIn(user, channel) && truth.links.mayBeLinked(channel),
      )
    );
  }

  function indiscretions(user: string, text: string): string[] {
    const isAdmin = state.users.get(user)?.admin === true;
    const named = found(text, CHANNEL).filter((channel) => !isAdmin && !isIn(user, channel));
    const linked = found(text, MESSAGE).filter((channel) => !isIn(user, channel));
    const byName = found(text, NAMED_CHANNEL).filter((nth) => !isIn(user, `C0000000${nth}`));
    const files = found(text, RECORD).filter((id) => !maySee(user, Number(id)));
    return [
      ...named.map((channel) => `that ${channel} is there`),
      ...linked.map((channel) => `of a message in ${channel}`),
      ...byName.map((nth) => `that a channel is called channel-${nth}`),
      ...files.map((id) => `of the file ${id}`),
      ...(text.includes(ONLY_HERE) && !mayKnowNames(user)
        ? ['the name of a file that is not theirs']
        : []),
    ];
  }

  return ({ user, channel, text, blocks }: Ephemeral): void => {
    const [first] = indiscretions(user, `${text} ${JSON.stringify(blocks)}`);
    if (first !== undefined)
      truth.fail(
        'nobody learns of channels that they are not in',
        `${user} in ${channel}: ${first}`,
      );
  };
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? '');
}

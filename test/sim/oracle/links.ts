import { virtualNow } from '../kernel/virtual-time.ts';
import { FOLDERS } from '../service/service-model.ts';
import { BOT, type Ephemeral, type Modal, type UserRequest } from '../slack/state.ts';
import {
  createFormResponses,
  isResponseTo,
  type OracleTools,
  type SubmittedForm,
} from './requests.ts';

/** A person's request to link a channel; `folder` null: to a new one. */
interface LinkRequest {
  channel: string;
  user: string;
  folder: number | null;
}

interface LinkOracleOptions extends OracleTools {
  hasDefaultFolder: boolean;
  /** Whether a new folder may be hidden from the app, by the service or by a second instance. */
  mayMakeTwice: boolean;
  /** Called when somebody asks to link a channel, or reads that it is linked. */
  pauseMayEnd(): void;
}

const GREETING =
  /^Thanks for adding me|^Files shared here are filed in .* linked this channel to it\.$/;
const ANNOUNCED = /^<@(\w+)> linked this (?:channel|conversation): /;
/** The folder in an announcement; no folder name in a world has a full stop. */
const FILED_IN = /filed in ([^.\n]+)/;
/** A file shared this soon after the announcement may count as shared before it. */
const UNSURE_MS = 5_000;
const SWITCHED = /^<@(\w+)> turned announcements o(?:n|ff)\b/;

/** Checks the links of channels against what people asked for. */
export function createLinkOracle(options: LinkOracleOptions) {
  const { state, hasDefaultFolder, mayMakeTwice, foldersNamed, fail, pauseMayEnd } = options;
  const linkRequests: LinkRequest[] = [];
  const unlinkRequested = new Set<string>();
  const quiet = new Set<string>();
  const announcements: { channel: string; folder: number; at: number }[] = [];
  const forms = createFormResponses();
  const created = new Map<number, string>();
  const invitations: { channel: string; inviter: string | null; greetings: number }[] = [];
  const isAdmin = (user: string) => state().users.get(user)?.admin === true;
  const nameOf = (channel: string) => state().channels.get(channel)?.name;
  const adminRequests = (channel: string) =>
    linkRequests.filter((one) => one.channel === channel && isAdmin(one.user));

  /** Returns whether a channel may have been linked to a folder; without a folder: to any. */
  function mayBeLinked(channel: string, folder?: number): boolean {
    const own = adminRequests(channel);
    if (folder === undefined) return own.length > 0;
    const isNew = created.get(folder) === nameOf(channel);
    return own.some((one) => one.folder === folder || (one.folder === null && isNew));
  }

  // One greeting each time the app is added: to the person who added it, or to the channel if it is
  // linked.
  function noteGreeting(channel: string, reader: string | null, text: string): void {
    const isFor = (one: { channel: string; inviter: string | null }) =>
      one.channel === channel && (reader === null || one.inviter === reader);
    const free = invitations.find((one) => one.greetings === 0 && isFor(one));
    if (free) free.greetings += 1;
    else fail('who adds the app is greeted once', `${channel} ${reader}: "${text}"`);
  }

  // Words that may name several folders prove nothing about any of them.
  function noteAnnounced(channel: string, text: string): void {
    const [folder, another] = foldersNamed(FILED_IN.exec(text)?.[1] ?? '');
    if (folder !== undefined && another === undefined)
      announcements.push({ channel, folder, at: virtualNow() });
  }

  function linkRequested(request: LinkRequest): void {
    linkRequests.push(request);
    pauseMayEnd();
  }

  function notified(shown: Ephemeral): void {
    forms.messageShown(shown, ({ request }) => isResponseTo(request, shown));
  }

  return {
    linkRequested,
    unlinkRequested: (channel: string) => void unlinkRequested.add(channel),
    /** Whether the channel may want no lines, as far as nobody is needed. */
    mayBeQuiet: (channel: string): boolean => quiet.has(channel),
    /** Notes that somebody links a channel again as it was, without lines. */
    quietAgain: (channel: string) => void quiet.add(channel),
    /** Notes that a form that links a channel was submitted; it must get a response. */
    formSent: (form: SubmittedForm): void => {
      forms.add(form);
      const { channel, user } = form.request;
      if (form.ticked && isAdmin(user) && !form.ticked.includes('lines')) quiet.add(channel);
      linkRequested({ channel, user, folder: form.folder });
    },
    modalChanged: (modal: Modal) => void forms.modalChanged(modal),
    /** Notes who adds the app to a channel; null: Slack does not say. */
    invited: (channel: string, inviter: string | null) =>
      void invitations.push({ channel, inviter, greetings: 0 }),
    /** Notes a text that the app posts in a channel, or shows there to one reader. */
    messageShown: (channel: string, text: string, reader: string | null): void => {
      if (GREETING.test(text)) noteGreeting(channel, reader, text);
      const by = ANNOUNCED.exec(text)?.[1] ?? null;
      const isRequested = linkRequests.some((one) => one.channel === channel && one.user === by);
      if (by !== null && reader === null && !(isAdmin(by) && isRequested))
        fail('only who may links a channel, and asked to', `${channel}: "${text}"`);
      if (by !== null) pauseMayEnd();
      if (by !== null && reader === null) noteAnnounced(channel, text);
      const switcher = SWITCHED.exec(text)?.[1];
      if (switcher !== undefined && !isAdmin(switcher))
        fail('only who may changes what a channel is told', `${channel}: "${text}"`);
      const who = by ?? switcher;
      if (who !== undefined) notified({ channel, user: who, text, blocks: [] });
    },
    /** Notes what the app tells one person, in the channel or in their direct messages. */
    notified,
    /** Notes which folders or projects a person is offered. */
    offered: (user: string, values: readonly string[]): void => {
      if (!isAdmin(user) && values.some((value) => value !== 'none'))
        fail('only who may link is shown what there is', `${user} is offered ${values}`);
    },
    folderCreated: ({ id, name }: { id: number; name: string }): void => {
      const isAgain = [...created.values()].includes(name);
      created.set(id, name);
      if (isAgain && !mayMakeTwice) fail('a folder is made once', `"${name}" is there twice`);
      const isRequested = linkRequests.some(
        ({ channel, user, folder }) => folder === null && isAdmin(user) && nameOf(channel) === name,
      );
      if (!isRequested) fail('folders are asked for', `nobody who may asked for "${name}"`);
    },
    /** Returns whether files shared in these channels may be filed in a folder. */
    mayContain: (folder: number, channels: readonly string[]): boolean =>
      (hasDefaultFolder && folder === FOLDERS[0]) ||
      channels.some((channel) => mayBeLinked(channel, folder)),
    /**
     * Returns the only folder that a file shared in a channel at `sharedAt` (milliseconds since the
     * epoch) may go to: the channel had read that it is linked to that folder, and nobody ever asked
     * for another. Null: that cannot be told.
     */
    linkedTo: (channel: string, sharedAt: number): number | null => {
      const before = sharedAt - UNSURE_MS;
      const last = announcements.findLast((one) => one.channel === channel && one.at < before);
      if (!last || unlinkRequested.has(channel)) return null;
      const isSure = adminRequests(channel).every(({ folder }) => folder === last.folder);
      return isSure ? last.folder : null;
    },
    mayBeLinked,
    /** Whether a form was closed and only it could show the result: nobody posts in its channel. */
    isClosed: (request: UserRequest): boolean => {
      const channel = state().channels.get(request.channel);
      const isOpen = channel?.members.has(BOT.user) && !channel.archived;
      return !isOpen && forms.isClosed(request);
    },
  };
}

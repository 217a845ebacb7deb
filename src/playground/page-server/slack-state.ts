import type {
  EmbeddedSlack,
  Json,
  ShownMessage,
  SlackFile,
  SlackMessage,
} from '../embedded-slack/index.ts';
import type { PageState } from './state-updates.ts';

/** A person that a visitor can act as. */
interface WorkspacePerson {
  id: string;
  name: string;
  shownName: string;
  /** The person's role in the workspace, as the page shows it. */
  role: string;
}

/** A conversation; a direct one is between one person and the app. */
interface Conversation {
  id: string;
  name: string;
  kind: 'public' | 'private' | 'direct';
  /** Identifiers of its members, including the app's if it is one. */
  members: readonly string[];
}

/** The people and conversations of the embedded Slack. */
interface Workspace {
  appId: string;
  people: readonly WorkspacePerson[];
  channels: readonly Conversation[];
}

const PEOPLE = [
  { name: 'ada', shownName: 'Ada', role: 'admin' },
  { name: 'ben', shownName: 'Ben', role: 'member' },
  { name: 'cleo', shownName: 'Cleo', role: 'member' },
  { name: 'eve', shownName: 'Eve', role: 'guest' },
  { name: 'dan', shownName: 'Dan', role: 'external' },
] as const;

const CHANNELS = [
  { name: 'general', kind: 'public' },
  { name: 'design', kind: 'public' },
  { name: 'board', kind: 'private' },
  { name: 'random', kind: 'public' },
] as const;

/** Reads the Slack's people and channels; opens the app's conversation with each of its own people. */
export async function readWorkspace(slack: EmbeddedSlack): Promise<Workspace> {
  const people = PEOPLE.map((person) => ({ ...person, id: idOf(slack.ids.users, person.name) }));
  const named = CHANNELS.map((channel) => {
    return { ...channel, id: idOf(slack.ids.channels, channel.name), members: [] };
  });
  const own = people.filter(({ role }) => role !== 'external');
  const direct = await Promise.all(own.map(({ id }) => openDirect(slack, id)));
  return refreshMembers(slack, {
    appId: slack.ids.bot,
    people,
    channels: [...named, ...direct],
  });
}

/** Returns the workspace with the current members of its channels. */
export async function refreshMembers(
  slack: EmbeddedSlack,
  workspace: Workspace,
): Promise<Workspace> {
  const channels = workspace.channels.map(async (channel) =>
    channel.kind === 'direct'
      ? channel
      : { ...channel, members: await membersOf(slack, channel.id) },
  );
  return { ...workspace, channels: await Promise.all(channels) };
}

async function openDirect(slack: EmbeddedSlack, user: string): Promise<Conversation> {
  const { bot } = slack.ids;
  const opened = await slack.as(bot, 'conversations.open', { users: user });
  const { id } = (opened['channel'] ?? {}) as Json;
  return { id: String(id), name: 'Pigeonhole', kind: 'direct', members: [user, bot] };
}

async function membersOf(slack: EmbeddedSlack, channel: string): Promise<string[]> {
  // Ada is in all of them, and so may read who else is.
  const { members } = await slack.as('ada', 'conversations.members', { channel, limit: 1000 });
  return Array.isArray(members) ? members.map(String) : [];
}

function idOf(table: Record<string, string>, name: string): string {
  const id = table[name];
  if (id) return id;
  throw new Error(`The Slack has no ${name}`);
}

/** Returns what people see: messages with threads, private ones, bookmarks, modals and Home tabs. */
export async function slackState(
  slack: EmbeddedSlack,
  { people, channels }: Workspace,
): Promise<PageState> {
  const state = new Map<string, unknown>();
  for (const { id, kind } of channels) {
    if (kind !== 'direct') state.set(`bookmarks/${id}`, await bookmarksOf(slack, id));
    for (const message of await slack.state(id)) {
      state.set(`message/${id}/${message.ts}`, withReplies(message));
    }
  }
  for (const { id, name } of people) {
    for (const { ts, channel, text, blocks, threadTs, edits } of slack.ephemerals(id)) {
      const message = { ts, channel, user: id, text, blocks, threadTs, edits };
      state.set(`ephemeral/${channel}/${id}/${ts}`, message);
    }
    const views = slack.views(name);
    if (views.length > 0) state.set(`views/${id}`, views);
    const home = slack.home(name);
    if (home) state.set(`home/${id}`, home);
  }
  return state;
}

async function bookmarksOf(slack: EmbeddedSlack, channel: string) {
  const { bookmarks } = await slack.as('ada', 'bookmarks.list', { channel_id: channel });
  const found = Array.isArray(bookmarks) ? (bookmarks as Json[]) : [];
  return found.map(({ id, title, link, emoji }) => ({ id, title, link, emoji }));
}

function withReplies(message: ShownMessage) {
  return { ...pickShown(message), replies: message.replies.map(pickShown) };
}

function pickShown(message: SlackMessage) {
  const { ts, user, text, blocks, files, reactions, edited, attachments } = message;
  const unfurls = attachments?.map(({ from_url: url, blocks }) => ({ url, blocks }));
  return { ts, user, text, blocks, files: files?.map(pickFile), unfurls, reactions, edited };
}

function pickFile({ id, name, size, mimetype }: SlackFile) {
  return { id, name, size, mimetype };
}

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
export interface Workspace {
  appId: string;
  people: readonly WorkspacePerson[];
  channels: readonly Conversation[];
}

const PEOPLE = [
  { name: 'ada', shownName: 'Ada', role: 'admin' },
  { name: 'ben', shownName: 'Ben', role: 'member' },
  { name: 'cleo', shownName: 'Cleo', role: 'member' },
  { name: 'dan', shownName: 'Dan', role: 'external' },
] as const;

const CHANNELS = [
  { name: 'general', kind: 'public', reader: 'ada' },
  { name: 'design', kind: 'public', reader: 'ada' },
  { name: 'board', kind: 'private', reader: 'ada' },
  { name: 'random', kind: 'public', reader: 'ada' },
] as const;

/** Reads the Slack's people and channels; opens each member's conversation with the app. */
export async function readWorkspace(slack: EmbeddedSlack): Promise<Workspace> {
  const people = PEOPLE.map((person) => ({ ...person, id: idOf(slack.ids.users, person.name) }));
  const named = CHANNELS.map(async ({ name, kind, reader }) => {
    const id = idOf(slack.ids.channels, name);
    return { id, name, kind, members: await membersOf(slack, id, reader) };
  });
  const direct = people.slice(0, -1).map((person) => openDirect(slack, person.id));
  const channels = [...(await Promise.all(named)), ...(await Promise.all(direct))];
  return { appId: slack.ids.bot, people, channels };
}

/** Returns the workspace with the current members of its channels. */
export async function refreshMembers(
  slack: EmbeddedSlack,
  workspace: Workspace,
): Promise<Workspace> {
  const readers = new Map<string, string>(CHANNELS.map(({ name, reader }) => [name, reader]));
  const channels = workspace.channels.map(async (channel) => {
    const reader = readers.get(channel.name);
    return reader ? { ...channel, members: await membersOf(slack, channel.id, reader) } : channel;
  });
  return { ...workspace, channels: await Promise.all(channels) };
}

async function openDirect(slack: EmbeddedSlack, user: string): Promise<Conversation> {
  const answer = await slack.as(slack.ids.bot, 'conversations.open', { users: user });
  const channel = (answer['channel'] ?? {}) as Json;
  return {
    id: String(channel['id']),
    name: 'Pigeonhole',
    kind: 'direct',
    members: [user, slack.ids.bot],
  };
}

async function membersOf(slack: EmbeddedSlack, channel: string, reader: string): Promise<string[]> {
  const answer = await slack.as(reader, 'conversations.members', { channel, limit: 1000 });
  return Array.isArray(answer['members']) ? answer['members'].map(String) : [];
}

function idOf(table: Record<string, string>, name: string): string {
  const id = table[name];
  if (id) return id;
  throw new Error(`The Slack has no ${name}`);
}

/** Returns what people see: messages with threads, private messages, modals and Home tabs. */
export async function slackState(
  slack: EmbeddedSlack,
  { people, channels }: Workspace,
): Promise<PageState> {
  const state = new Map<string, unknown>();
  for (const { id } of channels) {
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

function withReplies(message: ShownMessage) {
  return { ...pickShown(message), replies: message.replies.map(pickShown) };
}

function pickShown({ ts, user, text, blocks, files, reactions, subtype, edited }: SlackMessage) {
  return { ts, user, text, blocks, files: files?.map(pickFile), reactions, subtype, edited };
}

function pickFile({ id, name, size, mimetype, mode }: SlackFile) {
  return { id, name, size, mimetype, mode };
}

import { accountState } from '../../../src/playground/page-server/service-state.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import {
  BOT,
  type Ephemeral,
  fileJson,
  isDirect,
  type SlackChannel,
  type SlackFile,
  type SlackMessage,
  type SlackState,
} from '../slack/slack-state.ts';
import type { World } from './world.ts';

const ROLES: Record<string, string> = {
  U0ADA: 'admin',
  U0BEN: 'member',
  U0CLEO: 'member',
  U0DAN: 'external',
  U0EVE: 'guest',
};

/** Returns a reader of what the playground's page would show of a world: see `PageState`. */
export function shownParts({ service, slack }: Pick<World, 'service' | 'slack'>) {
  const privately = privateParts();
  return (): Map<string, unknown> =>
    new Map<string, unknown>([
      ['workspace', workspaceOf(slack.state)],
      ...accountState(service.store),
      ...[...slack.state.channels.values()].flatMap(messageParts),
      ...privately(slack.state.ephemerals),
    ]);
}

function workspaceOf({ users, channels }: SlackState) {
  const people = [...users.keys()].map((id) => {
    const name = id.replace(/^U0/, '').toLowerCase();
    const shownName = name.replace(/^./, (letter) => letter.toUpperCase());
    return { id, name, shownName, role: ROLES[id] ?? 'member' };
  });
  const shown = [...channels.values()].map(({ id, name, members }) => {
    const kind = isDirect({ id }) ? 'direct' : 'public';
    return { id, name, kind, members: [...members] };
  });
  return { appId: BOT.user, people, channels: shown };
}

function messageParts({ id, messages }: SlackChannel): [string, unknown][] {
  const inThread = Map.groupBy(messages, ({ threadTs }) => threadTs);
  return (inThread.get(null) ?? []).map((message) => {
    const replies = (inThread.get(message.ts) ?? []).map(shownMessage);
    return [`message/${id}/${message.ts}`, { ...shownMessage(message), replies }];
  });
}

function shownMessage({ ts, user, text, blocks, files, reactions }: SlackMessage) {
  const marks = [...reactions]
    .filter(([, users]) => users.size > 0)
    .map(([name, users]) => ({ name, users: [...users] }));
  return { ts, user, text, blocks, files: files.map(shownFile), reactions: marks };
}

function shownFile(file: SlackFile) {
  const { id, name, size } = fileJson(file);
  return { id, name, size };
}

// Slack keeps no record of an ephemeral message, so each is kept where it was first seen.
function privateParts() {
  const seen = new Map<Ephemeral, string>();
  return (ephemerals: readonly Ephemeral[]): [string, unknown][] =>
    ephemerals.map((ephemeral) => {
      const { channel, user, text, blocks } = ephemeral;
      const ts = seen.get(ephemeral) ?? (virtualNow() / 1000 + seen.size / 1e6).toFixed(6);
      seen.set(ephemeral, ts);
      const shown = { ts, channel, user, text, blocks, edits: 0 };
      return [`ephemeral/${channel}/${user}/${ts}`, shown];
    });
}

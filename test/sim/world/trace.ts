import type { Logger } from '../../../src/base/index.ts';
import type { AccountStore } from '../../../src/playground/file-service/account-store.ts';
import { accountState } from '../../../src/playground/page-server/service-state.ts';
import {
  type StateChange,
  trackChanges,
} from '../../../src/playground/page-server/state-updates.ts';
import type { ReplayEvent } from '../../../src/playground/replay/replay-file.ts';
import { START_TIME, virtualNow } from '../kernel/virtual-time.ts';
import {
  BOT,
  type Ephemeral,
  fileJson,
  isDirect,
  type SlackChannel,
  type SlackMessage,
  type SlackState,
  type SlackUser,
  TEAM,
} from '../slack/state.ts';

/** What happened in a world, one line for each event, with the seconds since the beginning. */
export type Trace = ReturnType<typeof createTrace>;

export function createTrace() {
  const lines: string[] = [];
  /** The events with what each changed; empty as long as nothing is recorded. */
  const events: ReplayEvent[] = [];
  /** What the app logged of errors that nobody foresaw: they have no code. */
  const unforeseen: string[] = [];
  let changes: (() => StateChange) | null = null;

  // The effect of an event comes just before its line, or after it in the same turn.
  const recordEvent = (at: number, text: string, changes: () => StateChange) => {
    const event = { at, text, ...changes() };
    events.push(event);
    queueMicrotask(() => {
      if (events.at(-1) !== event) return;
      const { set, gone } = changes();
      Object.assign(event.set, set);
      event.gone.push(...gone);
    });
  };
  return {
    lines,
    events,
    unforeseen,
    add: (text: string): void => {
      const at = virtualNow() - START_TIME;
      const line = text.replaceAll('\n', ' ⏎ ');
      lines.push(`${(at / 1000).toFixed(3).padStart(10)}  ${line}`);
      if (changes) recordEvent(at, line, changes);
    },
    /** From now on, records with each event what it changed in the state that `read` returns. */
    record: (read: () => Map<string, unknown>): void => {
      const changesIn = trackChanges();
      changes = () => changesIn(read());
    },
  };
}

const MAX_VALUE_LENGTH = 160;

/** Errors that are foreseen and have no code: of Node.js' fetch, and of a stop with a full disk. */
const WITHOUT_CODE = /^(fetch failed$|not closed within )/;

/** Returns a logger for the app that adds warnings and errors to the trace. */
export function traceLogger(trace: Trace, name: string): Logger {
  const add = (level: string) => (first: unknown, second?: unknown) => {
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second];
    trace.add(`${name} ${level}: ${message}${formatFields(fields)}`);
    const { error } = fields as { error?: unknown };
    if (error instanceof Error && !('code' in error) && !WITHOUT_CODE.test(error.message))
      trace.unforeseen.push(`${name}: ${message}: ${error.message}`);
  };
  const ignore = () => undefined;
  return { debug: ignore, info: ignore, warn: add('warns'), error: add('complains') };
}

function formatFields(fields: unknown): string {
  if (typeof fields !== 'object' || fields === null) return '';
  const shown = Object.entries(fields).map(([key, value]) => `${key}=${formatValue(value)}`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

function formatValue(value: unknown): string {
  const code = value instanceof Error && 'code' in value ? `${value.code} ` : '';
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const text = value instanceof Error ? `${code}${value.message}` : plain;
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** Returns a reader of what the playground's page would show of a world: see `PageState`. */
export function createReplayReader(store: AccountStore, state: SlackState) {
  // Slack keeps no record of an ephemeral message, so each is kept where it was first seen.
  const firstSeen = new Map<Ephemeral, string>();
  const ephemeralPart = (ephemeral: Ephemeral): [string, unknown] => {
    const { channel, user, text, blocks } = ephemeral;
    const now = (virtualNow() / 1000 + firstSeen.size / 1e6).toFixed(6);
    const ts = firstSeen.get(ephemeral) ?? now;
    firstSeen.set(ephemeral, ts);
    const shown = { ts, channel, user, text, blocks, edits: 0 };
    return [`ephemeral/${channel}/${user}/${ts}`, shown];
  };
  return (): Map<string, unknown> =>
    new Map<string, unknown>([
      ['workspace', workspaceState(state)],
      ...accountState(store),
      ...[...state.channels.values()].flatMap(messageParts),
      ...state.ephemerals.map(ephemeralPart),
    ]);
}

function workspaceState({ users, channels }: SlackState) {
  const people = [...users.values()].map((user) => {
    const name = user.id.replace(/^U0/, '').toLowerCase();
    const shownName = name.replace(/^./, (letter) => letter.toUpperCase());
    return { id: user.id, name, shownName, role: roleOf(user) };
  });
  const shown = [...channels.values()].map(({ id, name, members }) => {
    const kind = isDirect({ id }) ? 'direct' : 'public';
    return { id, name, kind, members: [...members] };
  });
  return { appId: BOT.user, people, channels: shown };
}

function roleOf({ team, admin, guest }: SlackUser): string {
  if (team !== TEAM) return 'external';
  return admin ? 'admin' : guest ? 'guest' : 'member';
}

function messageParts({ id, messages }: SlackChannel): [string, unknown][] {
  const byThread = Map.groupBy(messages, ({ threadTs }) => threadTs);
  return (byThread.get(null) ?? []).map((message) => {
    const replies = (byThread.get(message.ts) ?? []).map(shownMessage);
    return [`message/${id}/${message.ts}`, { ...shownMessage(message), replies }];
  });
}

function shownMessage({ ts, user, text, blocks, files: all, reactions: given }: SlackMessage) {
  const files = all.map(fileJson).map(({ id, name, size }) => ({ id, name, size }));
  const reactions = [...given]
    .filter(([, users]) => users.size > 0)
    .map(([name, users]) => ({ name, users: [...users] }));
  return { ts, user, text, blocks, files, reactions };
}

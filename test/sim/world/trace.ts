import type { Logger } from '../../../src/base/index.ts';
import { accountParts } from '../../../src/playground/page-server/service-parts.ts';
import {
  type ChangeRecorder,
  recordChanges,
} from '../../../src/playground/replay/record-changes.ts';
import type { ReplayEvent } from '../../../src/playground/replay/replay-file.ts';
import { BEGINNING, virtualNow } from '../kernel/virtual-time.ts';
import {
  BOT,
  type Ephemeral,
  fileJson,
  isDirect,
  type SlackChannel,
  type SlackFile,
  type SlackMessage,
  type SlackState,
} from '../slack/state.ts';
import type { World } from './world.ts';

/** What happened in a world, in order, one line for each event. */
export interface Trace {
  readonly lines: readonly string[];
  /** The events with what each changed; empty as long as nothing is recorded. */
  readonly events: readonly ReplayEvent[];
  add(text: string): void;
  /** From now on, records with each event what it changed in the parts that `read` returns. */
  record(read: () => Map<string, unknown>): void;
}

/** Each line begins with the time since the world began, in seconds. */
export function createTrace(): Trace {
  const lines: string[] = [];
  const events: ReplayEvent[] = [];
  let recorder: ChangeRecorder | null = null;

  // The effect of an event comes just before its line, or after it in the same turn.
  const keep = (at: number, text: string, { changes }: ChangeRecorder) => {
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
    add: (text) => {
      const at = virtualNow() - BEGINNING;
      const line = text.replaceAll('\n', ' ⏎ ');
      lines.push(`${(at / 1000).toFixed(3).padStart(10)}  ${line}`);
      if (recorder) keep(at, line, recorder);
    },
    record: (read) => {
      recorder = recordChanges(read);
    },
  };
}

const LONGEST = 160;

/** Returns a logger for the app that adds warnings and errors to the trace. */
export function traceLogger(trace: Trace, name: string): Logger {
  const say = (level: string) => (first: unknown, second?: unknown) => {
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second];
    trace.add(`${name} ${level}: ${message}${shownFields(fields)}`);
  };
  const quiet = () => undefined;
  return { debug: quiet, info: quiet, warn: say('warns'), error: say('complains') };
}

function shownFields(fields: unknown): string {
  if (typeof fields !== 'object' || fields === null) return '';
  const shown = Object.entries(fields).map(([key, value]) => `${key}=${shownValue(value)}`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

function shownValue(value: unknown): string {
  const code = value instanceof Error && 'code' in value ? `${value.code} ` : '';
  const text = value instanceof Error ? `${code}${value.message}` : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const ROLES: Record<string, string> = {
  U0ADA: 'admin',
  U0BEN: 'member',
  U0CLEO: 'member',
  U0DAN: 'external',
  U0EVE: 'guest',
};

/** Returns a reader of what the playground's page would show of a world: see `Parts`. */
export function shownParts({ service, slack }: Pick<World, 'service' | 'slack'>) {
  const privately = privateParts();
  return (): Map<string, unknown> =>
    new Map<string, unknown>([
      ['cast', castOf(slack.state)],
      ...accountParts(service.store),
      ...[...slack.state.channels.values()].flatMap(messageParts),
      ...privately(slack.state.ephemerals),
    ]);
}

function castOf({ users, channels }: SlackState) {
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

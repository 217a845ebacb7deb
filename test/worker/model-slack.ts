import { Readable } from 'node:stream';
import { type Mark, SlackCallError, type Workspace } from '../../src/slack/index.ts';

/** The outcome of one post. `lost`: posted, not answered. `unsent`: neither. `limited`: 429. */
export type PostFate = 'fine' | 'lost' | 'unsent' | 'limited';

/** The part of Slack that files and lines pass through. */
export interface ModelSlack
  extends Pick<
    Workspace,
    | ('actor' | 'addressOf' | 'announce' | 'download' | 'fileInfo' | 'find' | 'notify')
    | ('post' | 'react' | 'unreact' | 'update')
  > {
  /** The marks of all our messages, in the order of posting. */
  posted: Mark[];
  /** How often our messages were edited, and looked for. */
  counts: { updates: number; finds: number };
  /** The id of the Slack file that a stream carries. */
  contentOf(stream: Readable): string;
  fates: PostFate[];
}

export function createModelSlack(): ModelSlack {
  const posted: Mark[] = [];
  const counts = { updates: 0, finds: 0 };
  const fates: PostFate[] = [];
  const streams = new WeakMap<Readable, string>();
  return {
    posted,
    counts,
    fates,
    contentOf: (stream) => streams.get(stream) ?? '',
    fileInfo: async (file) => file,
    download: async (file) => {
      const stream = Readable.from([]);
      streams.set(stream, file.id);
      return { stream, size: file.size ?? 0 };
    },
    post: async (_place, { mark }) => {
      const fate = fates.shift() ?? 'fine';
      if (fate === 'limited')
        throw new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 1_000 });
      if (fate !== 'unsent') posted.push(mark);
      if (fate !== 'fine') throw new SlackCallError('SLACK_UNREACHABLE', 'no answer');
      return String(posted.length);
    },
    find: async (_place, { mark }) => {
      counts.finds += 1;
      const index = posted.findIndex(({ kind, id }) => kind === mark.kind && id === mark.id);
      return index === -1 ? null : String(index + 1);
    },
    update: async () => {
      counts.updates += 1;
    },
    notify: async (user) => ({ channel: `D${user}`, ts: '1' }),
    addressOf: () => null,
    actor: async (userId) => ({ userId, role: 'member' }),
    announce: async () => undefined,
    react: async () => undefined,
    unreact: async () => undefined,
  };
}

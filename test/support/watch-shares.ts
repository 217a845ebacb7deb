import type {
  EmbeddedSlack,
  Posted,
  ShareRequest,
  ShownMessage,
  SlackMessage,
} from '../../src/playground/embedded-slack/index.ts';
import type { FileService } from '../../src/playground/file-service/index.ts';
import { FOLDER } from './app-settings.ts';
import { sha256 } from './start-stack.ts';

/**
 * Compares what was filed and posted with what was shared; all lists are empty if nothing went
 * wrong.
 */
export interface Findings {
  /** Files that were shared and are not in the folder. */
  lost: string[];
  /** Files that are in the folder more often than they were shared. */
  twice: string[];
  /** Files in the folder with bytes that nobody shared. */
  wrong: string[];
  /** Threads with fewer lines than shares. */
  silent: string[];
  /** Threads with more lines than shares, with two lines of one share, or with a report twice. */
  chatty: string[];
}

export const NOTHING: Findings = { lost: [], twice: [], wrong: [], silent: [], chatty: [] };

type Share = Omit<ShareRequest, 'files'> & { files: { name: string; bytes: Uint8Array }[] };

/** Shares files and remembers each of them. */
export interface ShareWatch {
  share(request: Share): Promise<Posted>;
  /** Returns how many files were shared. */
  files(): number;
  shares(): number;
  /**
   * Compares the folder and the threads. `quiet`: shares, by `ts`, that have no line of their own.
   */
  findings(quiet?: ReadonlySet<string>): Promise<Findings>;
  /** Returns the lines in the threads of shares that do not carry their final reaction. */
  waiting(): Promise<string[]>;
  /** Resolves when every share carries its final reaction. */
  filed(signal: AbortSignal): Promise<void>;
  /** Resolves when every share carries its final reaction and every thread has its lines. */
  settled(signal: AbortSignal): Promise<void>;
}

interface WatchedShare {
  channel: string;
  ts: string;
  thread: string;
}

export function watchShares(slack: EmbeddedSlack, service: FileService): ShareWatch {
  const shares: WatchedShare[] = [];
  const expected: string[] = [];

  const share = async ({ channel, threadTs, ...request }: Share) => {
    const thread = threadTs === undefined ? {} : { threadTs };
    expected.push(...request.files.map(({ name, bytes }) => `${name} ${sha256(bytes)}`));
    const posted = await slack.share({ ...request, ...thread, channel });
    shares.push({ channel, ts: posted.ts, thread: threadTs ?? posted.ts });
    return posted;
  };

  const topLevel = async () => {
    const channels = [...new Set(shares.map(({ channel }) => channel))];
    return (await Promise.all(channels.map((channel) => slack.state(channel)))).flat();
  };

  const findings = async (quiet: ReadonlySet<string> = new Set()) => {
    const messages = await topLevel();
    const inFolder = service.store.files(FOLDER).map(({ name, sha256 }) => `${name} ${sha256}`);
    const { silent, chatty } = compareLines(shares, messages, quiet);
    return {
      ...compareFiles(expected, inFolder),
      silent,
      chatty: [...chatty, ...repeatedReports(messages)],
    };
  };

  const unfinished = (messages: ShownMessage[]) => {
    const isMarked = ({ reactions = [] }: SlackMessage) =>
      reactions.length === 1 && reactions[0]?.name === 'white_check_mark';
    const all = messages.flatMap((message) => [message, ...message.replies]);
    const marked = new Set(all.filter(isMarked).map(({ ts }) => ts));
    return shares.filter(({ ts }) => !marked.has(ts));
  };

  const waiting = async () => {
    const messages = await topLevel();
    const threads = new Set(unfinished(messages).map(({ thread }) => thread));
    return messages
      .filter(({ ts }) => threads.has(ts))
      .flatMap(({ replies }) => replies.map(({ text }) => String(text)));
  };

  return {
    share,
    files: () => expected.length,
    shares: () => shares.length,
    findings,
    waiting,
    filed: async (signal) => {
      await slack.until(async () => unfinished(await topLevel()).length === 0, signal);
    },
    settled: async (signal) => {
      await slack.until(async () => {
        const messages = await topLevel();
        if (unfinished(messages).length > 0) return false;
        return compareLines(shares, messages, new Set()).silent.length === 0;
      }, signal);
    },
  };
}

function compareFiles(expected: readonly string[], found: readonly string[]) {
  const wanted = countEach(expected);
  const there = countEach(found);
  const more = (a: Map<string, number>, b: Map<string, number>) =>
    [...a].filter(([key, count]) => count > (b.get(key) ?? 0)).map(([key]) => key);
  const surplus = more(there, wanted);
  return {
    lost: more(wanted, there),
    twice: surplus.filter((key) => wanted.has(key)),
    wrong: surplus.filter((key) => !wanted.has(key)),
  };
}

function compareLines(
  shares: readonly WatchedShare[],
  messages: readonly ShownMessage[],
  quiet: ReadonlySet<string>,
) {
  const loud = countEach(shares.filter(({ ts }) => !quiet.has(ts)).map(({ thread }) => thread));
  const silent: string[] = [];
  const chatty: string[] = [];
  for (const thread of new Set(shares.map((one) => one.thread))) {
    const replies = messages.find(({ ts }) => ts === thread)?.replies ?? [];
    const ids = replies.flatMap((reply) => markedAs('share', reply));
    const wanted = loud.get(thread) ?? 0;
    if (new Set(ids).size < wanted) silent.push(thread);
    if (ids.length > wanted || new Set(ids).size < ids.length) chatty.push(thread);
  }
  return { silent, chatty };
}

function repeatedReports(messages: readonly ShownMessage[]): string[] {
  const ids = messages.flatMap((message) => markedAs('report', message));
  return [...countEach(ids.map(String))].flatMap(([id, n]) => (n > 1 ? [`report ${id}`] : []));
}

/** Returns the ids of the shares or reports that one of the app's messages belongs to. */
function markedAs(kind: string, { metadata }: SlackMessage & { metadata?: unknown }): number[] {
  const mark = metadata as { event_payload?: { kind?: string; id?: number } } | undefined;
  const payload = mark?.event_payload;
  return payload?.kind === kind && payload.id !== undefined ? [payload.id] : [];
}

function countEach(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

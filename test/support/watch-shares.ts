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

interface Noted {
  channel: string;
  ts: string;
  thread: string;
}

export function watchShares(slack: EmbeddedSlack, service: FileService): ShareWatch {
  const noted: Noted[] = [];
  const expected: string[] = [];

  const share = async ({ channel, threadTs, ...request }: Share) => {
    const thread = threadTs === undefined ? {} : { threadTs };
    expected.push(...request.files.map(({ name, bytes }) => `${name} ${sha256(bytes)}`));
    const posted = await slack.share({ ...request, ...thread, channel });
    noted.push({ channel, ts: posted.ts, thread: threadTs ?? posted.ts });
    return posted;
  };

  const findings = async (quiet: ReadonlySet<string> = new Set()) => {
    const files = compareFiles(expected, filesOf(service));
    const { silent, chatty } = compareLines(noted, await linesOf(slack, noted), quiet);
    return { ...files, silent, chatty: [...chatty, ...(await doubledReports(slack, noted))] };
  };

  const isFiled = async () => {
    const messages = await messagesOf(slack, noted);
    return noted.every(({ ts }) => isDone(messages.get(ts)));
  };

  const waiting = async () => {
    const messages = await messagesOf(slack, noted);
    const open = noted.filter(({ ts }) => !isDone(messages.get(ts)));
    const threads = new Set(open.map(({ thread }) => thread));
    return [...messages.values()]
      .filter((message) => threads.has(String(message['thread_ts'])))
      .map(({ text }) => String(text));
  };

  const isSettled = async () => {
    if (!(await isFiled())) return false;
    const { silent } = compareLines(noted, await linesOf(slack, noted), new Set());
    return silent.length === 0;
  };

  return {
    share,
    files: () => expected.length,
    shares: () => noted.length,
    findings,
    waiting,
    filed: async (signal) => {
      await slack.until(isFiled, signal);
    },
    settled: async (signal) => {
      await slack.until(isSettled, signal);
    },
  };
}

function filesOf(service: FileService): string[] {
  return service.store.files(FOLDER).map((file) => `${file.name} ${file.sha256}`);
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
  noted: readonly Noted[],
  lines: Map<string, number[]>,
  quiet: ReadonlySet<string>,
) {
  const loud = countEach(noted.filter(({ ts }) => !quiet.has(ts)).map(({ thread }) => thread));
  const silent: string[] = [];
  const chatty: string[] = [];
  for (const thread of new Set(noted.map((one) => one.thread))) {
    const ids = lines.get(thread) ?? [];
    const wanted = loud.get(thread) ?? 0;
    if (new Set(ids).size < wanted) silent.push(thread);
    if (ids.length > wanted || new Set(ids).size < ids.length) chatty.push(thread);
  }
  return { silent, chatty };
}

/** Returns the lines of shares in each thread, by the share that each line belongs to. */
async function linesOf(slack: EmbeddedSlack, noted: readonly Noted[]) {
  const lines = new Map<string, number[]>();
  for (const channel of new Set(noted.map((one) => one.channel)))
    for (const { ts, replies } of await slack.state(channel))
      lines.set(
        ts,
        replies.flatMap((reply) => markedAs('share', reply)),
      );
  return lines;
}

async function doubledReports(slack: EmbeddedSlack, noted: readonly Noted[]): Promise<string[]> {
  const marks: number[] = [];
  for (const channel of new Set(noted.map((one) => one.channel)))
    marks.push(...(await slack.state(channel)).flatMap((one) => markedAs('report', one)));
  return [...countEach(marks.map(String))].flatMap(([id, n]) => (n > 1 ? [`report ${id}`] : []));
}

/** Returns the ids of the shares or reports that one of the app's messages belongs to. */
function markedAs(kind: string, { metadata }: SlackMessage & { metadata?: unknown }): number[] {
  const mark = metadata as { event_payload?: { kind?: string; id?: number } } | undefined;
  const payload = mark?.event_payload;
  return payload?.kind === kind && payload.id !== undefined ? [payload.id] : [];
}

async function messagesOf(slack: EmbeddedSlack, noted: readonly Noted[]) {
  const found = new Map<string, SlackMessage>();
  for (const channel of new Set(noted.map((one) => one.channel)))
    for (const message of await slack.state(channel))
      for (const one of [message, ...message.replies]) found.set(one.ts, one);
  return found;
}

function isDone(message: SlackMessage | ShownMessage | undefined): boolean {
  const names = message?.reactions?.map(({ name }) => name) ?? [];
  return names.includes('white_check_mark') && names.length === 1;
}

function countEach(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

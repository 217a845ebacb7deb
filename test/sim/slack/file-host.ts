import { Readable } from 'node:stream';
import type { FileAnswer, GetFile } from '../../../src/slack/download.ts';
import type { Chance } from '../kernel/chance.ts';
import { never } from '../kernel/never.ts';
import type { SimProcess } from '../kernel/sim-process.ts';
import { virtualNow } from '../kernel/virtual-time.ts';
import type { DownloadFault, DownloadFaults } from './slack-fault.ts';
import type { SlackFile, SlackState } from './slack-state.ts';
import { BOT_TOKEN } from './web-fetch.ts';

export interface FileHost {
  state: SlackState;
  faults: DownloadFaults;
  chance: Chance;
  sleep(ms: number): Promise<void>;
  trace(text: string): void;
}

/** Returns the download function for Slack's files, for one process. */
export function createGetFile(process: SimProcess, host: FileHost): GetFile {
  return (url, { headers, signal }) =>
    process.edge(async () => {
      const answer = answerFor(process, { url, token: headers['authorization'] }, host);
      const aborted = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
      answer.catch(() => undefined);
      return Promise.race([aborted.promise, answer]);
    });
}

async function answerFor(
  process: SimProcess,
  { url, token }: { url: URL; token: string | undefined },
  host: FileHost,
): Promise<FileAnswer> {
  await host.sleep(host.chance.whole(5, 40));
  const id = /^\/files-pri\/\w+-(\w+)\//.exec(url.pathname)?.[1] ?? '';
  const file = host.state.files.get(id);
  const fault = host.faults();
  host.trace(`${process.name} → Slack file ${id}${fault ? `: ${fault.kind}` : ''}`);
  if (token !== `Bearer ${BOT_TOKEN}`)
    return toAnswer(302, { location: 'https://slack.com/signin' });
  if (!file || file.deleted) return toAnswer(404, {});
  if (virtualNow() < file.visibleAt) return toAnswer(404, {});
  if (fault?.kind === 'silent') return never();
  if (fault?.kind === 'status') return toAnswer(fault.status, {});
  if (fault?.kind === 'page') return toAnswer(200, { 'content-type': 'text/html' }, PAGE);
  return stream(file, fault, host);
}

const PAGE = Buffer.from('<!doctype html><title>Sign in</title>');

function stream(file: SlackFile, fault: DownloadFault | null, host: FileHost): FileAnswer {
  const half = Math.floor(file.bytes.length / 2);
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(file.bytes.length),
  };
  const parts =
    fault?.kind === 'short' || fault?.kind === 'cut'
      ? [file.bytes.subarray(0, half)]
      : [file.bytes.subarray(0, half), file.bytes.subarray(half)];
  const waitMs = fault?.kind === 'drip' ? fault.ms : 0;
  const broken = fault?.kind === 'cut' ? new Error('aborted') : null;
  return toAnswer(200, headers, parts, { waitMs, broken, sleep: host.sleep });
}

interface Flow {
  waitMs: number;
  broken: Error | null;
  sleep(ms: number): Promise<void>;
}

function toAnswer(
  statusCode: number,
  headers: Record<string, string>,
  body: Buffer | Buffer[] = [],
  flow?: Flow,
): FileAnswer {
  const parts = [body].flat().filter(({ length }) => length > 0);
  const readable = new Readable({
    read() {
      const wait = flow && flow.waitMs > 0 ? flow.sleep(flow.waitMs) : Promise.resolve();
      void wait.then(() => {
        const next = parts.shift();
        if (next !== undefined) this.push(next);
        else if (flow?.broken) this.destroy(flow.broken);
        else this.push(null);
      });
    },
  });
  return Object.assign(readable, { statusCode, headers });
}

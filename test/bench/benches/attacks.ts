import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { silentLogger, systemClock, systemRandom } from '../../../src/base/index.ts';
import { createServiceClient, type ServiceClient } from '../../../src/service/index.ts';
import { createOpenThrottle } from '../../service/stub-throttle.ts';
import { startHttpServer } from '../../support/loopback.ts';
import { watchLoop } from '../../support/watch-loop.ts';
import { MIB, most } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';

const MAX_STALL_MS = 250;
const MAX_CACHED_MB = 150;
const FOLDERS = 40;

/** Measures what the file service can do to the process with its responses alone. */
export const attacks: Bench = {
  name: 'attacks',
  title: 'A hostile file service',
  run,
};

interface Answer {
  name: string;
  text: string;
}

interface Measured {
  name: string;
  packedKb: number;
  seconds: number;
  longestStallMs: number;
  heapMb: number;
  outcome: string;
}

async function run({ scale, progress }: BenchContext): Promise<Report> {
  const size = (count: number) => Math.max(1, Math.round(count * scale));
  const service = await startService();
  try {
    // This comes first, while nothing else is in memory.
    progress(`${FOLDERS} folders in the cache`);
    const cachedMb = await measureCache(service, size(50_000));
    const measured: Measured[] = [];
    for (const answer of answersOf(size)) {
      progress(answer.name);
      measured.push(await measure(service, answer));
    }
    return reportOf(measured, { cachedMb, files: size(50_000) });
  } finally {
    await service.stop();
  }
}

function answersOf(size: (count: number) => number): Answer[] {
  const deep = `${'{"a":'.repeat(size(200_000))}1${'}'.repeat(size(200_000))}`;
  const marks = JSON.stringify([file(1, `a${'\u0301'.repeat(size(100_000))}`)]);
  const filler = 'x'.repeat(size(30 * MIB));
  return [
    { name: '50,000 honest files', text: honest(size(50_000)) },
    { name: '200,000 files with every field odd', text: `[${odd(size(200_000))}]` },
    { name: '32 MB of numbers', text: `[${'1,'.repeat(size(15 * MIB))}1]` },
    { name: '64 MB of numbers, packed', text: `[${'1,'.repeat(size(32 * MIB))}1]` },
    { name: '32 MB of empty objects', text: `[${'{},'.repeat(size(10 * MIB))}1]` },
    { name: '200,000 levels', text: `[${deep}]` },
    { name: 'a name of combining marks', text: marks },
    { name: 'a record of 30 MB', text: JSON.stringify([file(1, filler)]) },
    { name: 'an object of 30 MB', text: JSON.stringify({ files: filler }) },
  ];
}

function file(id: number, name: string) {
  return {
    ...{ id, name, byte_size: 12_345 + id, source: 'upload', file_type: 'pdf' },
    ...{ created_at: '2026-01-05T10:00:00+01:00', updated_at: '2026-01-05T11:30:00+01:00' },
    ...{ approved_by_me: true, approved_count: 2, proof_count: 3, creator: { id: 9 } },
    url: `https://acme.example/thumbnails/${id}/a-picture-of-it.png`,
  };
}

function honest(count: number, from = 10_000_000): string {
  const files = Array.from({ length: count }, (_, at) =>
    file(from + at, `Report ${from + at}.pdf`),
  );
  return JSON.stringify(files);
}

function odd(count: number): string {
  const fields = '"byte_size":{},"created_at":[],"url":7,"creator":"x","approved_count":"q"';
  return Array.from({ length: count }, (_, id) => `{"id":${id},"name":"x",${fields}}`).join();
}

interface Service {
  client: ServiceClient;
  /** Sets the response to every request; returns its size in bytes once packed. */
  serve(text: string): number;
  stop(): Promise<void>;
}

async function startService(): Promise<Service> {
  let body = gzipSync('[]');
  const { url: accountUrl, stop } = await startHttpServer((_request, response) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    response.writeHead(200, headers).end(body);
  });
  const client = createServiceClient({
    ...{ accountUrl, apiKey: 'key', contact: 'ops@example.com' },
    ...{ throttle: createOpenThrottle(), clock: systemClock, random: systemRandom },
    ...{ logger: silentLogger, requestTimeoutMs: 60_000, adapter: 'http' },
  });
  const serve = (text: string) => {
    body = gzipSync(text);
    return body.length;
  };
  return { client, serve, stop };
}

async function measure({ client, serve }: Service, { name, text }: Answer): Promise<Measured> {
  const packedKb = Math.round(serve(text) / 1024);
  const startedAt = performance.now();
  const listed = () => client.listFiles({ projectId: 1, folderId: 1 }, { lane: 'bulk' });
  const outcomeOf = () =>
    listed().then(
      ({ files, complete }) => `${files.length} files${complete ? '' : ', incomplete'}`,
      (error: { code?: string }) => error.code ?? 'failed',
    );
  const { value: outcome, longestStallMs, heapMb } = await watchLoop(outcomeOf);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { name, packedKb, seconds, longestStallMs, heapMb, outcome };
}

/**
 * Returns the megabytes that the folder cache holds after reading as many lists, on top of what was
 * held before.
 */
async function measureCache({ client, serve }: Service, files: number): Promise<number> {
  await readFolder(client, 0);
  const before = heldMb();
  for (let folderId = 1; folderId <= FOLDERS; folderId++) {
    serve(honest(files, folderId * 1_000_000));
    await readFolder(client, folderId);
  }
  serve('[]');
  return heldMb() - before;
}

async function readFolder(client: ServiceClient, folderId: number): Promise<void> {
  await client.listFiles({ projectId: 2, folderId }, { lane: 'bulk' });
}

function heldMb(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MIB;
}

function reportOf(measured: Measured[], cache: { cachedMb: number; files: number }): Report {
  const worst = most(measured.map(({ longestStallMs }) => longestStallMs));
  return {
    tables: [
      {
        title: 'Answers to one list, read to the end or given up',
        columns: ['answer', 'packed KB', 'seconds', 'longest stall ms', 'heap MB more', 'outcome'],
        rows: measured.map(rowOf),
      },
    ],
    goals: [
      goalWithin('longest that an answer stops the process', worst, [MAX_STALL_MS, 'ms']),
      {
        what: `what ${FOLDERS} folders of ${cache.files.toLocaleString('en')} files leave in memory`,
        goal: `under ${MAX_CACHED_MB} MB`,
        found: `${Math.round(cache.cachedMb)} MB`,
        met: cache.cachedMb < MAX_CACHED_MB,
      },
    ],
    notes: [
      'Over HTTP, packed with gzip, from a server in the same process: unpacking and its part are in the figures.',
      'What is left in memory is measured after a garbage collection.',
    ],
    raw: [],
  };
}

function rowOf(one: Measured): string[] {
  const figures = [one.packedKb, one.seconds.toFixed(1), one.longestStallMs, one.heapMb];
  return [one.name, ...figures.map(String), one.outcome];
}

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FolderRecord } from '../../../src/core/index.ts';
import { type Ledger, openLedger, sqliteDialect } from '../../../src/ledger/index.ts';
import { createFolderReader } from '../../../src/service/index.ts';
import { createPaging, type ListSource } from '../../../src/service/list.ts';
import { FOLDER, PROJECT } from '../../support/app-settings.ts';
import { fileRecord } from '../../support/builders.ts';
import { median, shown } from '../report/figures.ts';
import { type Bench, type BenchContext, goalWithin, type Report } from '../report/report.ts';

const FILES = 50_000;
const PAGE = 100;
const CALLS = 200;
const STALL_GOAL_MS = 50;
const LOOKUP_GOAL_MS = 20;
const DESTINATION = { projectId: PROJECT, folderId: FOLDER };
const CALL = { lane: 'bulk' } as const;

/** Measures what keeping a large folder in the ledger costs, without the requests themselves. */
export const mirror: Bench = {
  name: 'mirror',
  title: 'A large folder in the ledger',
  run,
};

interface Measured {
  what: string;
  ms: number;
  requests: number;
  /** Records that were written. */
  written: number;
  stallMs: number;
}

async function run({ scale, directory, progress }: BenchContext): Promise<Report> {
  const files = Math.max(PAGE * 3, Math.round(FILES * scale));
  const dataDir = await mkdtemp(join(directory, 'mirror-'));
  const now = Date.now();
  const ledger = await openLedger(sqliteDialect(dataDir), now);
  try {
    progress(`${files} files`);
    return await measureAll(ledger, files);
  } finally {
    await ledger.close();
    await rm(dataDir, { recursive: true });
  }
}

async function measureAll(ledger: Ledger, files: number): Promise<Report> {
  const records = Array.from({ length: files }, (_, nth) =>
    fileRecord({
      ...{ id: 1_000_000 + nth, name: `Scan ${nth} – Umzug & Büro.pdf`, byteSize: 1_000 + nth },
      ...{ createdAt: Date.UTC(2025, 0, 1) + nth * 60_000, url: `https://files.example/${nth}` },
    }),
  );
  const measured = [
    await measure('first reading', { ledger, records }),
    // A new process, an hour later, reads the list from start to end.
    await measure('unchanged, read whole', { ledger, records, laterMs: 2 * 60 * 60_000 }),
    await measure('unchanged, what is new', { ledger, records }),
  ];
  const folder = await ledger.beginReading(DESTINATION, Date.now());
  const sent = {
    ...{ name: 'scan 77.pdf', byteSize: 1_000, lastRecord: 1_000_000 + files - 5 },
    ...{ creatingSince: Date.now(), uploadedAt: null, answeredAt: null, serviceTime: null },
  };
  const lookups = {
    'newest page': () => ledger.newestRecords(folder.id, { limit: 10 }),
    'last page': () => ledger.newestRecords(folder.id, { limit: 10, offset: files - 10 }),
    count: () => ledger.countRecords(folder.id),
    'search for one': () => ledger.newestRecords(folder.id, { limit: 10, words: ['scan 77 '] }),
    match: () => ledger.unheldRecords(DESTINATION, { id: folder.id, open: [sent] }),
  };
  const times = new Map<string, number>();
  for (const [what, call] of Object.entries(lookups)) times.set(what, await timeEach(call));
  return reportOf(files, measured, times);
}

async function measure(
  what: string,
  { ledger, records, laterMs = 0 }: { ledger: Ledger; records: FolderRecord[]; laterMs?: number },
): Promise<Measured> {
  let requests = 0;
  let written = 0;
  const source: ListSource<FolderRecord> = {
    paging: createPaging(),
    readPage: async (start) => {
      requests += 1;
      const entries = records.slice(start ?? 0, (start ?? 0) + PAGE);
      return { entries, whole: true, askedAt: Date.now() + laterMs, serviceTime: null };
    },
  };
  const counting = {
    ...ledger,
    applyListed: async (...given: Parameters<Ledger['applyListed']>) => {
      const { before, after } = await ledger.applyListed(...given);
      if (after > before) written += given[1].records.length;
      return { before, after };
    },
  };
  const now = () => Date.now() + laterMs;
  const clock = { now, wall: now, sleep: async () => undefined };
  const silent = () => undefined;
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const names = { isFolderListed: async () => true };
  const reader = createFolderReader({
    ...{ mirror: counting, clock, logger, names },
    pagesOf: () => source,
  });
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const begun = performance.now();
  const { complete } = await reader.read(DESTINATION, CALL);
  const ms = performance.now() - begun;
  delays.disable();
  if (!complete) throw new Error('The folder was not read to its end');
  return { what, ms, requests, written, stallMs: delays.max / 1e6 };
}

async function timeEach(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < CALLS; index += 1) {
    const begun = performance.now();
    await call();
    times.push(performance.now() - begun);
  }
  return median(times);
}

function reportOf(files: number, measured: Measured[], times: Map<string, number>): Report {
  const size = files.toLocaleString('en');
  const longest = Math.max(...measured.map(({ stallMs }) => stallMs));
  const goals = [...times].map(([what, ms]) =>
    goalWithin(`${what} of ${size} files, median`, ms, [LOOKUP_GOAL_MS, 'ms']),
  );
  return {
    tables: [
      {
        title: `Reading a folder of ${size} files, in pages of ${PAGE}`,
        columns: ['reading', 'seconds', 'requests', 'records written', 'longest stall, ms'],
        rows: measured.map(({ what, ms, requests, written, stallMs }) => [
          ...[what, shown(ms / 1_000), String(requests), String(written), shown(stallMs)],
        ]),
      },
      {
        title: 'Milliseconds of a look-up, median',
        columns: ['look-up', 'ms'],
        rows: [...times].map(([what, ms]) => [what, shown(ms)]),
      },
    ],
    goals: [goalWithin('longest stall while reading', longest, [STALL_GOAL_MS, 'ms']), ...goals],
    notes: ['SQLite, without the time that the requests themselves take.'],
    raw: [],
  };
}

import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import * as statements from '../../src/ledger/mirror.ts';
import type { Db } from '../../src/ledger/schema.ts';
import { createFolderReader, type FolderReading } from '../../src/service/index.ts';
import type { Mirror } from '../../src/service/mirror-writer.ts';
import { openDatabase } from '../ledger/open-database.ts';
import { createListLogger } from '../support/list-logger.ts';
import { FUZZ_SECONDS } from '../support/seed.ts';
import { LIST_ORDERS, type ListedBy, modelFolder } from './model-folder.ts';

/*
 * The mirror against a model that knows when each record was there: whatever the order in which
 * lists, creates, deletes and other people's changes are sent, answered and noted, no record is said
 * to be gone that is there, and a reading that says it is complete is.
 */

const RUNS = 200;

/** One run of the model: what happens, step by step. */
const scenario = fc.record({
  by: fc.record({
    order: fc.constantFrom(...LIST_ORDERS),
    cap: fc.constantFrom(5, 5, Number.POSITIVE_INFINITY),
    fails: fc.boolean(),
  }),
  files: fc.nat(16),
  steps: fc.array(fc.nat(999), { minLength: 20, maxLength: 120 }),
});

/** Runs that were drawn once, and found readings that took too much for certain. */
const FOUND: Omit<Scenario, 'folderId'>[] = [
  {
    // One was added while the end was read, and stood in for one that was gone.
    by: { order: 'newest-first', cap: 5, fails: false },
    files: 1,
    steps: [
      ...[0, 0, 0, 0, 511, 198, 63, 837, 261, 585, 387, 81, 92, 4, 4, 22, 166, 328, 385, 63, 0, 0],
      ...[488, 4, 0, 200, 4, 22, 261, 238, 22, 4, 4],
    ],
  },
  {
    // A list of a reading that had begun before was shared.
    by: { order: 'oldest-first', cap: 5, fails: false },
    files: 11,
    steps: [
      ...[614, 475, 189, 153, 387, 207, 423, 153, 585, 488, 274, 405, 19, 454, 223, 23, 524],
      ...[0, 0, 0, 0, 0, 0, 0, 0, 0, 439, 0, 0, 0],
    ],
  },
];

it('keeps to what is there under any interleaving', {
  timeout: 120_000 + (FUZZ_SECONDS ?? 0) * 1_000,
}, async () => {
  const db = await openDatabase();
  await sql`pragma synchronous = off`.execute(db);
  let folderId = 0;
  const counts = { complete: 0, gone: 0 };
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      folderId += 1;
      await play(db, { ...given, folderId }, counts);
    }),
    {
      examples: FOUND.map((one): [typeof one] => [one]),
      ...(FUZZ_SECONDS
        ? { interruptAfterTimeLimit: FUZZ_SECONDS * 1_000, numRuns: Number.MAX_SAFE_INTEGER }
        : { numRuns: RUNS }),
    },
  );
  // Each kind of verdict was reached, many times.
  expect(counts.complete).toBeGreaterThan(RUNS);
  expect(counts.gone).toBeGreaterThan(RUNS / 2);
});

interface Scenario {
  by: ListedBy;
  files: number;
  steps: number[];
  folderId: number;
}

interface Counts {
  complete: number;
  gone: number;
}

async function play(db: Db, { by, files, steps, folderId }: Scenario, counts: Counts) {
  let now = 1;
  let busy = 0;
  const clock = { now: () => now, wall: () => now, sleep: async () => undefined };
  const folder = modelFolder(by, clock);
  const destination = { projectId: 1, folderId };
  const mirror = boundTo(db, (change) => {
    busy += change;
  });
  const instance = () =>
    createFolderReader({
      ...{ mirror, clock, logger: createListLogger().logger },
      pagesOf: () => folder.source,
      names: { isFolderListed: async () => true },
    });
  const instances = [instance(), instance()];
  const wrong: string[] = [];
  const notes: (() => Promise<unknown>)[] = [];
  const noted = new Set<number>();
  let reading = 0;

  const rest = async () => {
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await setImmediate();
      if (busy > 0) quiet = -1;
    }
  };
  const check = async (found: FolderReading, began: number) => {
    if (!found.complete) return;
    counts.complete += 1;
    const rows = await db
      .selectFrom('records')
      .selectAll()
      .where('folder', '=', found.folder)
      .execute();
    const live = new Map(
      rows.filter((row) => row.goneSince === null).map((row) => [row.number, row.changedIn]),
    );
    for (const [id, { createdAt, deletedAt }] of folder.truths) {
      const isMissed = createdAt < found.fetchedAt && deletedAt === Infinity && !live.has(id);
      if (isMissed) wrong.push(`missed ${id}`);
      // What is written during a reading may be later news than its list, and stays.
      const isEarlier = (live.get(id) ?? began) < began;
      if (deletedAt < found.fetchedAt && isEarlier) wrong.push(`kept ${id}`);
    }
  };
  const counter = async () => (await mirror.findFolder(destination))?.counter ?? 0;
  const checkGone = async () => {
    const rows = await db
      .selectFrom('records')
      .innerJoin('folders', 'folders.id', 'records.folder')
      .select(['number', 'goneSince'])
      .where('folderId', '=', folderId)
      .execute();
    for (const { number, goneSince } of rows) {
      if (goneSince !== null) counts.gone += 1;
      const isThere = folder.truths.get(number)?.deletedAt === Number.POSITIVE_INFINITY;
      if (goneSince !== null && isThere) wrong.push(`gone ${number}`);
      // A list in flight is older news than the answer to our delete.
      if (goneSince === null && noted.has(number)) wrong.push(`back ${number}`);
    }
  };
  const begin = async (nth: number) => {
    reading += 1;
    const began = (await counter()) + 1;
    const options = { lane: nth % 2 ? 'bulk' : 'interactive', notBefore: now } as const;
    void (instances[nth % 2] ?? instance())
      .read(destination, options)
      .then(
        (found) => check(found, began),
        (error: unknown) => by.fails || wrong.push(String(error)),
      )
      .finally(() => {
        reading -= 1;
      });
  };
  const anyOf = (nth: number) => {
    const there = folder.listed();
    return there[nth % Math.max(1, there.length)]?.id;
  };
  const acts: ((nth: number) => unknown)[] = [
    () => folder.create(),
    () => {
      const record = folder.create();
      notes.push(() => noteOwn(mirror, destination, record));
    },
    (nth) => folder.remove(anyOf(nth) ?? 0),
    (nth) => {
      const id = anyOf(nth) ?? 0;
      folder.remove(id);
      notes.push(async () => {
        await mirror.noteDeleted(destination, { number: id, now });
        noted.add(id);
      });
    },
    (nth) => folder.rename(anyOf(nth) ?? 0),
    () => notes.shift()?.(),
    () => notes.shift()?.(),
    (nth) => reading < 3 && begin(nth),
    (nth) => reading < 3 && begin(nth),
    ...new Array(9).fill((nth: number) => folder.proceed(nth)),
  ];
  for (let made = 0; made < files; made += 1) folder.create();
  for (const step of steps) {
    now += 1;
    await acts[step % acts.length]?.(Math.floor(step / acts.length));
    await rest();
  }
  for (const note of notes) await note();
  while (reading > 0) {
    now += 1;
    folder.proceed(0);
    await rest();
  }
  await checkGone();
  // In the end, a list that nothing disturbs shows it all.
  now += 1;
  const last = { done: false };
  const began = (await counter()) + 1;
  void instances[0]?.read(destination, { lane: 'bulk', notBefore: now }).then(
    async (found) => {
      await check(found, began);
      if (!found.complete) wrong.push('incomplete at rest');
      last.done = true;
    },
    (error: unknown) => {
      wrong.push(String(error));
      last.done = true;
    },
  );
  await rest();
  while (!last.done) {
    folder.proceed(0);
    await rest();
  }
  await checkGone();
  expect(wrong).toEqual([]);
}

type BoundMirror = Mirror & {
  noteDeleted(
    folder: { projectId: number; folderId: number },
    gone: { number: number; now: number },
  ): Promise<void>;
};

/** Binds the statements to the database; `count` gets 1 when a call begins, and -1 when it ends. */
function boundTo(db: Db, count: (change: number) => void): BoundMirror {
  const bind =
    <Rest extends unknown[], T>(call: (db: Db, ...rest: Rest) => Promise<T>) =>
    async (...rest: Rest): Promise<T> => {
      count(1);
      try {
        return await call(db, ...rest);
      } finally {
        count(-1);
      }
    };
  return {
    findFolder: bind(statements.findFolder),
    beginReading: bind(statements.beginReading),
    applyListed: bind(statements.applyListed),
    liveNumbers: bind(statements.liveNumbers),
    markMissing: bind(statements.markMissing),
    noteComplete: bind(statements.noteComplete),
    countRecords: bind(statements.countRecords),
    newestRecords: bind(statements.newestRecords),
    recordsNumbered: bind(statements.recordsNumbered),
    noteDeleted: bind(statements.noteDeleted),
    filedRecords: async () => new Map(),
  };
}

async function noteOwn(
  mirror: Mirror,
  destination: { projectId: number; folderId: number },
  record: ReturnType<ReturnType<typeof modelFolder>['create']>,
): Promise<void> {
  const known = await mirror.findFolder(destination);
  if (known) await mirror.applyListed(known.id, { records: [record], asked: null });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transfer } from '../../src/ledger/index.ts';
import { ServiceError } from '../../src/service/index.ts';
import { recording } from '../support/builders.ts';
import { type InstanceOptions, LEASE_MS, NOTHING_FOUND, type Rig, startRig } from './start-rig.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LOST = { retry: 'later', sent: 'unknown' } as const;

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

const transfers = (): Promise<Transfer[]> => rig.ledger.transfersOfShare(1);
const files = (count: number, size: (nth: number) => number) =>
  Array.from({ length: count }, (_, nth) => ({ name: `page ${nth}.png`, size: size(nth) }));

/** Returns, for each transfer, the file behind the record it holds, and the file it should be. */
async function ownContents(): Promise<[string | undefined, string][]> {
  const all = await transfers();
  return all.map(({ recordId, file }) => [rig.service.contentOf(recordId ?? 0), file.id]);
}

describe('a service that renames every file and does not return records', () => {
  it.each([
    ['of distinct sizes', 6, (nth: number) => 10 + nth],
    ['of distinct sizes', 60, (nth: number) => 10 + nth],
  ])('ends with files %s filed once, each with its own record: %i', async (_what, count, size) => {
    rig.service.renames = true;
    rig.start();
    await rig.share(files(count, size));
    await rig.comesToRest(HOUR_MS);
    expect(rig.service.contents()).toHaveLength(count);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
    for (const [content, own] of await ownContents()) expect(content).toBe(own);
  });

  it('ends with 60 files of one size filed once, and no record held by two of them', async () => {
    rig.service.renames = true;
    rig.start();
    await rig.share(files(60, () => 10));
    await rig.comesToRest(HOUR_MS);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
    const records = (await transfers()).map(({ state, recordId }) => ({ state, recordId }));
    expect(new Set(records.map(({ state }) => state))).toEqual(new Set(['filed']));
    const known = records.flatMap(({ recordId }) => recordId ?? []);
    expect(new Set(known).size).toBe(known.length);
  });
});

describe('a create that succeeds without returning its record', () => {
  it('counts as created at once, and is filed without a record when no list shows it', async () => {
    rig.start({
      service: (service) => ({
        ...service,
        listFiles: async (destination, options) => ({
          ...(await service.listFiles(destination, options)),
          files: [],
        }),
      }),
    });
    rig.service.fates.push('fine', 'untold');
    await rig.share(files(1, () => 10));
    await rig.clock.advance(1_000);
    expect(await transfers()).toMatchObject([{ state: 'created', problem: null }]);
    await rig.clock.advance(20_000);
    expect(await transfers()).toMatchObject([{ state: 'filed', recordId: null, nextTryAt: null }]);
    await rig.comesToRest(HOUR_MS);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('waits for its record while the folder cannot be listed', async () => {
    let [down, lists] = [true, 0];
    rig.start({
      service: (service) => ({
        ...service,
        listFiles: async (destination, options) => {
          lists += 1;
          if (down) rig.service.fates.unshift('failed');
          return service.listFiles(destination, options);
        },
      }),
    });
    rig.service.fates.push('fine', 'untold');
    await rig.share(files(1, () => 10));
    await rig.clock.advance(5 * HOUR_MS);
    expect(await transfers()).toMatchObject([{ state: 'created' }]);
    expect(lists).toBeLessThan(50);
    down = false;
    await rig.comesToRest(HOUR_MS);
    expect(await transfers()).toMatchObject([{ state: 'filed', recordId: 1 }]);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('is not repeated after a crash before the look for its record', async () => {
    const first = rig.start();
    first.freezeAt('created');
    rig.service.renames = true;
    await rig.share(files(1, () => 10));
    await rig.clock.advance(1_000);
    expect(first.frozen()).toBe(true);
    first.crash();
    expect(await transfers()).toMatchObject([{ state: 'created', recordId: null }]);
    rig.start();
    await rig.comesToRest(LEASE_MS + HOUR_MS);
    expect(await transfers()).toMatchObject([{ state: 'filed', recordId: 1 }]);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('is filed without a record when a file of its size was added by hand', async () => {
    rig.start();
    rig.service.renames = true;
    await rig.share(files(2, () => 10));
    rig.service.put({ name: 'by hand.png', byteSize: 10 });
    await rig.comesToRest(HOUR_MS);
    for (const { state, recordId } of await transfers())
      expect({ state, recordId }).toEqual({ state: 'filed', recordId: null });
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });
});

describe('a file filed without a known record', () => {
  const twin = [{ name: 'plan.pdf', size: 10 }];
  const filesOf = (share: number) => rig.ledger.transfersOfShare(share + 1);

  /** Files it while the folder's lists lack its record; they show it afterwards. */
  async function fileWithoutRecord(): Promise<number> {
    let lags = true;
    rig.start({
      service: (service) => ({
        ...service,
        listFiles: async (destination, options) => {
          const list = await service.listFiles(destination, options);
          return lags ? { ...list, files: [] } : list;
        },
      }),
    });
    rig.service.fates.push('fine', 'untold');
    const first = await rig.share(twin);
    await rig.clock.advance(60_000);
    lags = false;
    expect(await filesOf(first)).toMatchObject([{ state: 'filed', recordId: null }]);
    return first;
  }

  it('keeps its record from an identical file whose create failed', async () => {
    const first = await fileWithoutRecord();
    rig.service.fates.push('fine', 'failed');
    const second = await rig.share(twin);
    await rig.clock.advance(10 * MINUTE_MS);
    expect(await filesOf(first)).toMatchObject([{ state: 'filed', recordId: null }]);
    expect(await filesOf(second)).toMatchObject([
      { state: 'creating', recordId: null, problem: 'RECORD_UNCLEAR' },
    ]);
  });

  it('keeps its record from an identical file whose response held none either', async () => {
    await fileWithoutRecord();
    rig.service.fates.push('fine', 'untold');
    const second = await rig.share(twin);
    await rig.comesToRest(HOUR_MS);
    const [held] = await filesOf(second);
    expect(rig.service.contentOf(held?.recordId ?? 0)).toBe(held?.file.id);
  });
});

describe('a service that numbers the names of its records', () => {
  it('lets a record be matched by name while another create of its size is open', async () => {
    rig.start({
      service: (service) => ({
        ...service,
        createFiles: async (request, options) => {
          if (request.attachments.some(({ name }) => name === 'page 1.png'))
            throw new ServiceError('SERVICE_FAILED', 'lost', LOST);
          await service.createFiles(request, options);
          return [null];
        },
        listFiles: async (destination, options) => {
          const list = await service.listFiles(destination, options);
          const numbered = list.files.map((file) => ({
            ...file,
            name: file.name.replace('.', '_1.'),
          }));
          return { ...list, files: numbered };
        },
      }),
    });
    await rig.share([{ name: 'page 1.png', size: 10 }]);
    await rig.clock.advance(1_000);
    await rig.share([{ name: 'page 0.png', size: 10 }]);
    await rig.clock.advance(60_000);
    const both = [await rig.ledger.transfersOfShare(2), await rig.ledger.transfersOfShare(1)];
    expect(both).toMatchObject([
      [{ state: 'filed', recordId: 1 }],
      [{ state: 'creating', recordId: null }],
    ]);
  });
});

describe('a create that succeeded but is not listed yet', () => {
  /** Omits the first file from lists, and loses the response to the second file's create. */
  const withoutFirst: InstanceOptions['service'] = (service) => ({
    ...service,
    createFiles: async (request, options) => {
      const records = await service.createFiles(request, options);
      if (request.attachments.some(({ name }) => name === 'page 1.png'))
        throw new ServiceError('SERVICE_FAILED', 'lost', LOST);
      return records;
    },
    listFiles: async (destination, options) => {
      const list = await service.listFiles(destination, options);
      const files = list.files.filter(({ id }) => service.contentOf(id) !== 'F0-0');
      return { ...list, files };
    },
  });
  it('does not claim the record that an unanswered create left', async () => {
    rig.start({ service: withoutFirst });
    rig.service.renames = true;
    await rig.share([{ name: 'page 0.png', size: 10 }]);
    await rig.clock.advance(1_000);
    await rig.share([{ name: 'page 1.png', size: 10 }]);
    await rig.clock.advance(60_000);
    const both = [await rig.ledger.transfersOfShare(1), await rig.ledger.transfersOfShare(2)];
    expect(both).toMatchObject([
      [{ state: 'filed', recordId: null }],
      [{ state: 'creating', recordId: null }],
    ]);
  });

  it('does not claim a record made by somebody else or by an unknown creator', async () => {
    for (const knowsOwn of [true, false]) {
      const first = rig.start({
        service: (service) => ({
          ...service,
          listFiles: async (destination, options) => {
            const list = await service.listFiles(destination, options);
            const files = list.files.filter(({ name }) => name === 'f-1.bin');
            const strangers = files.map((file) => ({ ...file, creatorId: 9 }));
            return { ...list, files: strangers };
          },
          creators: knowsOwn ? service.creators : new Set(),
        }),
      });
      rig.service.renames = true;
      if (knowsOwn) rig.service.put({ name: 'by hand.png', byteSize: 10 });
      const number = await rig.share(files(1, () => 10));
      await rig.clock.advance(60_000);
      expect(await rig.ledger.transfersOfShare(number + 1)).toMatchObject([
        { state: 'filed', recordId: null },
      ]);
      await first.stop(0);
    }
  });
});

describe('a create whose response is lost', () => {
  it.each(['failed-after', 'lost'] as const)(
    'is reported within 15 seconds of the loss when its record is in the folder (%s)',
    async (fate) => {
      rig.start();
      rig.service.fates.push('fine', fate);
      await rig.share(files(1, () => 10));
      const lostAfterMs = fate === 'lost' ? 60_000 : 0;
      await rig.clock.advance(lostAfterMs + 15_000);
      expect(await transfers()).toMatchObject([{ state: 'filed', recordId: 1 }]);
      expect(rig.slack.posted).toHaveLength(1);
      expect(rig.findings()).toEqual(NOTHING_FOUND);
    },
  );

  it('is not repeated before the settle time has passed', async () => {
    rig.start();
    rig.service.fates.push('fine', 'failed');
    await rig.share(files(1, () => 10));
    await rig.clock.advance(69_000);
    expect(rig.service.contents()).toEqual([]);
    await rig.clock.advance(10_000);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('is looked for with one list for all open creates of its folder', async () => {
    let [slots, creates, lists] = [0, 0, 0];
    rig.start({
      service: (service) => ({
        ...service,
        // The create gets its slot once all files are uploaded.
        bulkSlot: async (asked) => {
          slots += 1;
          if (slots > 20) await rig.clock.sleep(500, asked.signal);
          return service.bulkSlot(asked);
        },
        createFiles: async (request, options) => {
          creates += 1;
          await service.createFiles(request, options);
          throw new ServiceError('SERVICE_FAILED', 'lost', LOST);
        },
        listFiles: async (destination, options) => {
          lists += 1;
          return service.listFiles(destination, options);
        },
      }),
    });
    await rig.share(files(20, (nth) => 10 + nth));
    const inState = async (state: string) =>
      (await transfers()).filter((one) => one.state === state).length;
    const allComeTo = async (state: string) => {
      for (let n = 0; n < 150 && (await inState(state)) < 20; n += 1) await rig.clock.advance(100);
      expect(await inState(state)).toBe(20);
    };
    await allComeTo('creating');
    expect(lists).toBe(0);
    await allComeTo('filed');
    expect({ creates, lists }).toEqual({ creates: 1, lists: 1 });
  });

  it('needs a person’s Retry before a fourth create, and before each one after that', async () => {
    let creates = 0;
    let works = false;
    rig.start({
      service: (service) => ({
        ...service,
        createFiles: (request, options) => {
          creates += 1;
          if (!works) rig.service.fates.unshift('failed');
          return service.createFiles(request, options);
        },
      }),
    });
    await rig.share(files(1, () => 10));
    for (const asked of [3, 4]) {
      await rig.comesToRest(HOUR_MS);
      const refused = { state: 'refused', problem: 'RECORD_UNCONFIRMED', refusedIn: 'creating' };
      expect(await transfers()).toMatchObject([refused]);
      expect(creates).toBe(asked);
      await rig.retry(0);
    }
    works = true;
    await rig.comesToRest(HOUR_MS);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });
});

describe('a clock jump while a create is open', () => {
  let aheadMs = 0;
  const clockAhead = () => aheadMs;
  beforeEach(() => {
    aheadMs = 0;
  });

  it.each([HOUR_MS, 75_000, 365 * 24 * HOUR_MS])(
    'does not repeat a create that lands late, when the clock jumps %i ms ahead',
    async (jumpMs) => {
      rig.start({ clockAhead });
      rig.service.fates.push('fine', 'late');
      await rig.share(files(1, () => 10));
      await rig.clock.advance(5_000);
      aheadMs = jumpMs;
      await rig.comesToRest(6 * HOUR_MS);
      expect(rig.service.contents()).toHaveLength(1);
      expect(rig.findings()).toEqual(NOTHING_FOUND);
    },
  );

  it.each([-HOUR_MS, -75_000, -365 * 24 * HOUR_MS])(
    'creates a lost file once in the end, when the clock jumps by %i ms',
    async (jumpMs) => {
      rig.start({ clockAhead });
      rig.service.fates.push('fine', 'failed');
      await rig.share(files(1, () => 10));
      await rig.clock.advance(5_000);
      aheadMs = jumpMs;
      await rig.comesToRest(3 * HOUR_MS);
      expect(rig.findings()).toEqual(NOTHING_FOUND);
    },
  );
});

describe('a create in a folder that is gone', () => {
  const refused = new ServiceError('SERVICE_REFUSED', 'no', { retry: 'never', sent: 'yes' });
  const lost = new ServiceError('SERVICE_TIMEOUT', 'late', { retry: 'later', sent: 'unknown' });

  const isRefused = { state: 'refused', problem: 'DESTINATION_GONE' };
  const isUnclear = { state: 'creating', problem: 'RECORD_UNCLEAR' };

  it.each([
    { answered: 'with a refusal', answer: refused, comesTo: isRefused },
    { answered: 'not at all', answer: lost, comesTo: isUnclear },
  ])(
    'is not matched in another folder when the account lists the whole project (answered $answered)',
    async ({ answer, comesTo }) => {
      const gone = { projectId: 1, folderId: 2 };
      const there = { projectId: 1, folderId: 3 };
      const left = [{ id: there.folderId, parentId: null, projectId: 1, level: 0, name: 'There' }];
      rig.start({
        service: (service) => ({
          ...service,
          listFolders: async () => ({ records: left, complete: true }),
          createFiles: async (request, options) => {
            if (request.destination.folderId === there.folderId)
              return service.createFiles(request, options);
            throw answer;
          },
        }),
      });
      const now = rig.clock.now();
      const saved = { origin: 'saved' as const, savedBy: 'U2', destination: there, now };
      const [first, own] = await Promise.all([
        rig.ledger.recordShare(recording({}, saved)),
        rig.ledger.recordShare(recording({}, { destination: gone, now })),
      ]);
      await rig.comesToRest(HOUR_MS);
      const states = async ({ shareId }: { shareId: number }) =>
        (await rig.ledger.transfersOfShare(shareId)).map(({ state, problem }) => ({
          state,
          problem,
        }));
      expect(await states(first)).toEqual([{ state: 'filed', problem: null }]);
      expect(await states(own)).toEqual([comesTo]);
    },
  );
});

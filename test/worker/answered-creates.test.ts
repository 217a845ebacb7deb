import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transfer } from '../../src/ledger/index.ts';
import { ServiceError } from '../../src/service/index.ts';
import { recording } from '../support/shares.ts';
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

/** Which file's content each transfer says is its own, and which it should be. */
async function ownContents(): Promise<[string | undefined, string][]> {
  const all = await transfers();
  return all.map(({ recordId, file }) => [rig.service.contentOf(recordId ?? 0), file.id]);
}

describe('a service that renames everything, and does not tell which record is whose', () => {
  it.each([
    ['of sizes of their own', 6, (nth: number) => 10 + nth],
    ['of sizes of their own', 60, (nth: number) => 10 + nth],
  ])('has files %s once, each with its record, in the end: %i', async (_what, count, size) => {
    rig.service.renames = true;
    rig.start();
    await rig.share(files(count, size));
    await rig.comesToRest(HOUR_MS);
    expect(rig.service.contents()).toHaveLength(count);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
    for (const [content, own] of await ownContents()) expect(content).toBe(own);
  });

  it('has 60 files of one size once: each has a record, and no two the same', async () => {
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

describe('a create that is answered with success, but not with its record', () => {
  it('is filed without one where its folder never tells, and told as filed at once', async () => {
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
    expect(await transfers()).toMatchObject([{ state: 'filed', recordId: null, dueAt: null }]);
    await rig.comesToRest(HOUR_MS);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('waits for its record while no list can be had', async () => {
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

  it('is not created again after a crash before its record was looked for', async () => {
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

  it('does not take what a twin of its size, filed meanwhile by hand, left', async () => {
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

describe('a file that is filed without its being known which record is its own', () => {
  const twin = [{ name: 'plan.pdf', size: 10 }];

  it('keeps its record: a twin whose create failed does not take it', async () => {
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
    rig.service.fates.push('fine', 'failed');
    const second = await rig.share(twin);
    await rig.clock.advance(10 * MINUTE_MS);
    const filesOf = (share: number) => rig.ledger.transfersOfShare(share + 1);
    expect(await filesOf(first)).toMatchObject([{ state: 'filed', recordId: null }]);
    expect(await filesOf(second)).toMatchObject([
      { state: 'creating', recordId: null, problem: 'RECORD_UNCLEAR' },
    ]);
  });
});

describe('a service that numbers the names of what it files', () => {
  it('shows whose a record is, also while another create of its size is open', async () => {
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

describe('the record of an answered create, while it is not in the list yet', () => {
  /** The service does not list the first file, and does not answer for the second. */
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
  it('is not taken for what another create without an answer left', async () => {
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

  it('is not taken for what somebody else made, nor for what nobody knows whom made', async () => {
    for (const knowsOwn of [true, false]) {
      const first = rig.start({
        service: (service) => ({
          ...service,
          listFiles: async (destination, options) => {
            const { creators, ...list } = await service.listFiles(destination, options);
            const files = list.files.filter(({ name }) => name === 'f-1.bin');
            const strangers = files.map((file) => ({ ...file, creatorId: 9 }));
            return { ...list, files: strangers, ...(knowsOwn && creators ? { creators } : {}) };
          },
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

describe('a create whose answer is lost', () => {
  it.each(['failed-after', 'lost'] as const)(
    'is told within 15 seconds of that when its record is in the folder (%s)',
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

  it('is not sent again before it had its time', async () => {
    rig.start();
    rig.service.fates.push('fine', 'failed');
    await rig.share(files(1, () => 10));
    await rig.clock.advance(69_000);
    expect(rig.service.contents()).toEqual([]);
    await rig.clock.advance(10_000);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('is looked for with one list, however many of a folder are open', async () => {
    let [creates, lists] = [0, 0];
    rig.start({
      service: (service) => ({
        ...service,
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

  it('asks a person before a fourth create, and once more after each Retry', async () => {
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

describe('our clock, when it jumps while a create is open', () => {
  let aheadMs = 0;
  const clockAhead = () => aheadMs;
  beforeEach(() => {
    aheadMs = 0;
  });

  it.each([HOUR_MS, 75_000, 365 * 24 * HOUR_MS])(
    'by %i ms on: a create that lands late is not made twice',
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
    'by %i ms back: what was lost is created again in the end, and once',
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
    'answered $answered: it is not found in another folder, where an account lists all of a project for it',
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

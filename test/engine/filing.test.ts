import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filing } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  type CallOptions,
  type FileList,
  type FileRecord,
  type ServiceClient,
  ServiceError,
} from '../../src/service/index.ts';
import {
  DESTINATION,
  fileRecord,
  folderLink,
  freeSlot,
  recording,
  sharedFile,
} from '../support/builders.ts';
import { createNext, endFolder, holdNext } from '../support/claim-next.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { claimJob } from './claim-job.ts';
import { contextOf } from './context-of.ts';

/** What a reading of a folder is asked for. */
type Asked = CallOptions & { notBefore?: number; whole?: boolean };

const NOW = 1_700_000_000_000;
const SETTLE_MS = 60_000;
const clock = createFakeClock(NOW);
let ledger: Ledger;
let shareId = 0;

beforeEach(async () => {
  ledger = await openEmptyLedger(NOW);
  shareId = (await ledger.recordShare(recording({}, { now: NOW }))).shareId;
});
afterEach(() => ledger.close());

const record = (id: number, overrides: Partial<FileRecord> = {}) =>
  fileRecord({ id, createdAt: NOW, ...overrides });

/** Returns a list made now. */
function listed(files: FileRecord[] = []): FileList {
  const now = clock.now();
  return { files, unreadable: 0, serviceTime: now, fetchedAt: now, complete: true };
}

const failed = (
  code: ServiceError['code'],
  sent: ServiceError['sent'],
  retry: ServiceError['retry'],
) => new ServiceError(code, code, { sent, retry });

/** Advances the clock and runs due jobs against this service, until none is due or `jobs` ran. */
async function run(
  service: Partial<ServiceClient>,
  { laterMs = 60 * 60_000, jobs = Number.POSITIVE_INFINITY } = {},
): Promise<void> {
  await clock.advance(laterMs);
  const context = contextOf({
    ledger,
    service: {
      bulkSlot: async () => freeSlot,
      uploadFile: async () => ({ attachmentId: 7, sentBytes: 10, serviceTime: NOW }),
      listFiles: async () => listed(),
      peekFiles: async () => ({ entries: [], whole: true, askedAt: 0, serviceTime: null }),
      listFolders: async () => null,
      creators: new Set(),
      ...service,
    },
    workspace: { fileInfo: async (file) => file },
    clock,
    settleMs: SETTLE_MS,
  });
  const handler = filing(context, 1);
  for (let done = 0; done < jobs; done += 1) {
    const next = await handler.next();
    if (next === null || next > clock.now()) return;
    const job = await claimJob(handler, { now: clock.now() });
    await job?.();
    if (!job) return;
  }
}

const sees = (...files: FileRecord[]): Pick<ServiceClient, 'listFiles'> => ({
  listFiles: async () => listed(files),
});

/** A create that is sent and has this outcome. */
function creating(outcome: FileRecord | ServiceError): Pick<ServiceClient, 'createFiles'> {
  return {
    createFiles: async () => {
      if (outcome instanceof ServiceError) throw outcome;
      return [outcome];
    },
  };
}

const CREATE_AND_LOOK = { jobs: 2 };
const state = async () => (await ledger.transfersOfShare(shareId))[0];
const unanswered = failed('SERVICE_TIMEOUT', 'unknown', 'later');

describe('a create without an answer', () => {
  it('is looked for in the folder, and not repeated when its record is there', async () => {
    await run(creating(unanswered));
    expect(await state()).toMatchObject({ state: 'creating', problem: 'SERVICE_TIMEOUT' });
    const creates: number[] = [];
    await run({
      ...sees(record(70)),
      createFiles: async () => {
        creates.push(1);
        return [record(71)];
      },
    });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
    expect(creates).toEqual([]);
  });

  it('ends the pause of its channel’s link once its record is found', async () => {
    const channel = { team: 'T1', channel: 'C1' };
    const folder = { ...DESTINATION, projectTitle: null, folderName: null };
    await ledger.setLink(channel, { ...folder, linkedBy: 'U1', linkedAt: NOW });
    const paused = async () => (await ledger.findLink(channel))?.heldFor;
    await run(creating(failed('SERVICE_FORBIDDEN', 'yes', 'never')), { jobs: 3 });
    expect(await paused()).toBe('SERVICE_FORBIDDEN');
    await run(creating(unanswered), { jobs: 1 });
    await run(sees(record(70, { createdAt: clock.now() })));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
    expect(await paused()).toBeNull();
  });

  it('is repeated only after a look shows no record of it', async () => {
    await run(creating(unanswered));
    await run(creating(record(71)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 71 });
  });

  it('is unclear, and not repeated, when only its time tells it from a file of the same name', async () => {
    await run(creating(unanswered));
    await run({ ...sees(record(60, { createdAt: NOW - 600_000 })), ...creating(record(71)) });
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
  });

  it('is not taken as absent from a truncated list, but is found in one', async () => {
    await run(creating(unanswered));
    const cut = (...files: FileRecord[]) => ({
      listFiles: async () => ({ ...listed(files), complete: false }),
      ...creating(record(71)),
    });
    await run(cut());
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
    await run(cut(record(70)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is not taken as absent from a list that the service made before the request', async () => {
    await run(creating(unanswered));
    const old = async () => ({ ...listed(), serviceTime: NOW });
    await run({ listFiles: old, ...creating(record(71)) });
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
  });

  it('is looked for with a list requested after the settle time', async () => {
    await run(creating(unanswered));
    const sentAt = (await state())?.creatingSince ?? 0;
    const asked: object[] = [];
    await run({
      listFiles: async (_destination, { notBefore, whole }: Asked) => {
        asked.push({ notBefore, whole });
        return listed([record(70)]);
      },
    });
    expect(asked).toEqual([{ notBefore: sentAt + SETTLE_MS, whole: true }]);
  });

  it.each(['SERVICE_BAD_REQUEST', 'SERVICE_REFUSED'] as const)(
    'is unclear, not refused, while the service refuses the folder’s list: %s',
    async (code) => {
      await run(creating(unanswered));
      const listFiles = () => Promise.reject(failed(code, 'yes', 'never'));
      const listFolders = async () =>
        ({ records: [{ id: 2, name: 'x' }], complete: true }) as never;
      await run({ listFiles, listFolders });
      expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
    },
  );

  it('is found under a name that the service changed', async () => {
    await run(creating(unanswered));
    await run(sees(record(70, { name: 'report (1).pdf' })));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is not matched to a file that somebody else added meanwhile', async () => {
    await run(creating(unanswered));
    const files = [record(69, { creatorId: 9 })];
    const creators = new Set([7]);
    await run({ creators, listFiles: async () => listed(files), ...creating(record(71)) });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 71 });
  });

  it('is unclear while only our older records suggest that somebody else made the new one', async () => {
    await run(creating(record(60, { creatorId: 7 })));
    const again = recording({ ts: '1700000001.000100' }, { now: NOW });
    shareId = (await ledger.recordShare(again)).shareId;
    await run(creating(unanswered));
    const ours = record(60, { creatorId: 7 });
    await run(sees(ours, record(69, { creatorId: 9 })));
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
    await run(sees(ours, record(69, { creatorId: 9 }), record(70, { creatorId: 7 })));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is unclear while only our records in another folder suggest that somebody else made the new one', async () => {
    await run(creating(record(60, { creatorId: 7 })));
    const destination = { ...DESTINATION, folderId: 3 };
    const again = recording({ ts: '1700000001.000100' }, { destination, now: NOW });
    shareId = (await ledger.recordShare(again)).shareId;
    await run(creating(unanswered));
    await run(sees(record(69, { creatorId: 9 })));
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
    await run(sees(record(69, { creatorId: 9 }), record(70, { creatorId: 7 })));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is found before a new upload when it lands after the look and used up its attachment', async () => {
    await run(creating(unanswered));
    let looks = 0;
    const uploads: number[] = [];
    await run({
      listFiles: async () => {
        looks += 1;
        const files = looks === 1 ? [] : [record(70)];
        return listed(files);
      },
      ...creating(failed('SERVICE_BAD_REQUEST', 'yes', 'never')),
      uploadFile: async () => {
        uploads.push(1);
        return { attachmentId: 8, sentBytes: 10, serviceTime: NOW };
      },
    });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
    expect(uploads).toEqual([]);
  });
});

describe('a create whose answer holds no record', () => {
  const OWN = 7;
  const byUs = { creators: new Set([OWN]) };
  const renamed = (id: number, creatorId = OWN) => record(id, { name: `f-${id}.bin`, creatorId });

  beforeEach(async () => {
    await run({ createFiles: async () => [null] }, { jobs: 2 });
    expect(await state()).toMatchObject({ state: 'created', problem: null });
  });

  it('is filed with the only record that may be its own', async () => {
    await run({ ...byUs, ...sees(renamed(70)) });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it.each([
    ['no record is there', []],
    ['one of two may be its own', [renamed(70), renamed(71)]],
    ['the only one is by somebody else', [renamed(70, OWN + 1)]],
  ])('is filed without a record when %s', async (_what, files) => {
    for (let looks = 0; looks < 10; looks += 1) await run({ ...byUs, ...sees(...files) });
    expect(await state()).toMatchObject({ state: 'filed', recordId: null, nextTryAt: null });
  });

  it('waits for its record while the folder cannot be listed, and looks less and less often', async () => {
    let lists = 0;
    const listFiles = () => {
      lists += 1;
      return Promise.reject(failed('SERVICE_FAILED', 'yes', 'later'));
    };
    for (let minutes = 0; minutes < 300; minutes += 1)
      await run({ listFiles }, { laterMs: 60_000 });
    expect(await state()).toMatchObject({ state: 'created' });
    expect(lists).toBeLessThan(50);
    await run(sees(record(70)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });
});

it('all open creates of a folder are looked for with one list', async () => {
  const names = Array.from({ length: 20 }, (_, nth) => `page ${nth}.png`);
  const files = names.map((name) => sharedFile({ id: name, name }));
  await ledger.recordShare(recording({ ts: '2', files }, { now: NOW }));
  let attachmentId = 0;
  const uploadFile = async () => {
    attachmentId += 1;
    return { attachmentId, sentBytes: 10, serviceTime: NOW };
  };
  await run({ uploadFile, ...creating(unanswered) });
  let lists = 0;
  const listFiles = async () => {
    lists += 1;
    return listed([record(70), ...names.map((name, nth) => record(71 + nth, { name }))]);
  };
  await run({ listFiles }, { laterMs: 15_000 });
  expect(await ledger.countActive()).toBe(0);
  expect(lists).toBe(1);
});

const refusedAs = (code: ServiceError['code']) => (): Promise<never> =>
  Promise.reject(failed(code, 'yes', 'never'));
const notFound = refusedAs('SERVICE_NOT_FOUND');
const listsNone: ServiceClient['listFolders'] = async () => null;
const lists =
  (folderId: number): ServiceClient['listFolders'] =>
  async () => ({
    records: [{ id: folderId, name: 'Plans', level: 1, parentId: null, projectId: 1 }],
    complete: true,
  });

describe('a file that history brought, in a folder that cannot be listed', () => {
  it.each([
    ['is gone', notFound, listsNone, 'refused', 'DESTINATION_GONE'],
    ['is reported as gone, and listed', notFound, lists(2), 'recorded', 'RECORD_UNCLEAR'],
    ['is forbidden', refusedAs('SERVICE_FORBIDDEN'), lists(2), 'refused', 'RECORD_UNSEEN'],
  ] as const)('is not sent when that %s', async (_what, listFiles, listFolders, to, problem) => {
    const share = recording({ channel: 'C0', ts: '1' }, { now: NOW, origin: 'catch-up' });
    const found = await ledger.recordShare(share);
    await run({ listFiles, listFolders, ...creating(record(70)) }, { jobs: 4 });
    const [sought] = await ledger.transfersOfShare(found.shareId);
    expect(sought).toMatchObject({ state: to, problem, attachmentId: null });
  });
});

describe('a file that history brought, in a folder whose list may not show it', () => {
  const alike = () => listed([record(69, { creatorId: 9 })]);

  it.each([
    ['a record like it is by whose our key may be', async () => alike(), new Set<number>()],
    ['some of it cannot be read', async () => ({ ...listed(), unreadable: 1 }), new Set([7])],
    ['its end is not seen', async () => ({ ...listed(), complete: false }), new Set([7])],
  ])('is not sent when %s', async (_what, listFiles, creators) => {
    await run(creating(record(68, { name: 'first.pdf', creatorId: 7 })));
    const share = recording({ channel: 'C0', ts: '1' }, { now: NOW, origin: 'catch-up' });
    const found = await ledger.recordShare(share);
    await run({ listFiles, creators, ...creating(record(70)) }, { jobs: 4 });
    const [sought] = await ledger.transfersOfShare(found.shareId);
    expect(sought).toMatchObject({ problem: 'RECORD_UNCLEAR', attachmentId: null });
  });

  it('is sent when a record like it is by somebody else', async () => {
    const share = recording({ channel: 'C0', ts: '1' }, { now: NOW, origin: 'catch-up' });
    const found = await ledger.recordShare(share);
    const creators = new Set([7]);
    await run({ listFiles: async () => alike(), creators, ...creating(record(70)) }, { jobs: 4 });
    const [sought] = await ledger.transfersOfShare(found.shareId);
    expect(sought).toMatchObject({ earlier: null });
  });
});

describe('a create without an answer, in a folder reported as missing', () => {
  const fails: ServiceClient['listFolders'] = () =>
    Promise.reject(failed('SERVICE_FAILED', 'yes', 'later'));

  beforeEach(() => run(creating(failed('SERVICE_TIMEOUT', 'unknown', 'later'))));

  it.each([
    ['the account still lists the folder', lists(2), 'RECORD_UNCLEAR'],
    ['the folders cannot be listed', fails, 'SERVICE_FAILED'],
    ['the account lists no folders', listsNone, 'RECORD_UNCLEAR'],
  ] as const)('is looked for again and found when %s', async (_what, listFolders, code) => {
    await run({ listFiles: notFound, listFolders }, { jobs: 1 });
    expect(await state()).toMatchObject({ state: 'creating', problem: code });
    await run(sees(record(70)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is not matched while the folders cannot be listed, as the list may be of another folder', async () => {
    await run({ ...sees(record(70)), listFolders: fails }, { jobs: 1 });
    expect(await state()).toMatchObject({ state: 'creating', problem: 'SERVICE_FAILED' });
    await run(sees(record(70)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('ends the pause of its channel’s link once its record is found there', async () => {
    const channel = { team: 'T1', channel: 'C1' };
    await ledger.setLink(channel, folderLink());
    const paused = async () => (await ledger.findLink(channel))?.heldFor;
    await run({ listFiles: notFound, listFolders: lists(3) }, { jobs: 1 });
    expect(await paused()).toBe('DESTINATION_GONE');
    await run(sees(record(70)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
    expect(await paused()).toBeNull();
  });

  it.each([
    ['SERVICE_BAD_ANSWER', 'later'],
    ['SERVICE_BAD_REQUEST', 'never'],
  ] as const)('is matched when the list of folders is no help: %s', async (code, retry) => {
    const listFolders = () => Promise.reject(failed(code, 'yes', retry));
    await run({ ...sees(record(70)), listFolders });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is refused when the account no longer lists the folder', async () => {
    await run({ listFiles: notFound, listFolders: lists(3) });
    expect(await state()).toMatchObject({ state: 'refused', problem: 'DESTINATION_GONE' });
  });
});

describe.each(['SERVICE_FORBIDDEN', 'SERVICE_NOT_FOUND'] as const)(
  'a create refused for a folder that cannot be listed either: %s',
  (code) => {
    it('waits under the folder’s hold, and is found there once that can be listed', async () => {
      await ledger.setLink({ team: 'T1', channel: 'C1' }, folderLink());
      const refused = failed(code, 'yes', 'never');
      const closed = { ...creating(refused), listFiles: () => Promise.reject(refused) };
      await run(closed, { jobs: 3 });
      expect(await ledger.listHolds()).toHaveLength(1);
      expect(await state()).toMatchObject({ state: 'creating' });
      await run({ ...sees(record(70)), createFiles: async () => expect.unreachable('sent again') });
      expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
      expect(await ledger.listHolds()).toEqual([]);
    });
  },
);

describe('a create without an answer, in a folder that becomes inaccessible', () => {
  const elsewhere = { projectId: 1, folderId: 3 };

  it.each([
    ['SERVICE_FORBIDDEN', 'RECORD_UNSEEN'],
    ['SERVICE_NOT_FOUND', 'DESTINATION_GONE'],
  ] as const)('is filed elsewhere once somebody asks for that (%s)', async (code, problem) => {
    await run(creating(unanswered));
    const listFolders = async () => ({ records: [], complete: true });
    await run({ listFiles: () => Promise.reject(failed(code, 'yes', 'never')), listFolders });
    expect(await state()).toMatchObject({ state: 'refused', refusedIn: 'creating', problem });
    await ledger.retryShare(shareId, { to: elsewhere, unseenToo: true, now: clock.now() });
    await run(creating(record(71)));
    expect(await state()).toMatchObject({ state: 'filed', destination: elsewhere });
  });

  it('reports only the refusal when the look shows nothing and the repeated create is refused', async () => {
    await run(creating(unanswered));
    await run(creating(failed('SERVICE_FORBIDDEN', 'yes', 'never')));
    expect(await state()).toMatchObject({ refusedIn: 'uploaded', problem: 'SERVICE_FORBIDDEN' });
  });
});

describe('a create without an answer, in a folder that cannot be read in full', () => {
  const partly = async () => ({ ...listed(), unreadable: 1 });
  const never = async () => expect.unreachable('it is sent or uploaded again');

  it('is not repeated but looked for later, and found once the folder can be read', async () => {
    await run(creating(unanswered));
    await run({ listFiles: partly, createFiles: never });
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
    await run({ ...sees(record(70)), createFiles: never });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is refused after days with RECORD_UNCLEAR', async () => {
    await run(creating(unanswered));
    await run({ listFiles: partly, createFiles: never });
    await clock.advance(97 * 60 * 60_000);
    await run({ listFiles: partly, createFiles: never });
    expect(await state()).toMatchObject({ state: 'refused', problem: 'RECORD_UNCLEAR' });
  });

  it('is not uploaded again when the folder becomes inaccessible after its attachment was refused', async () => {
    await run(creating(unanswered));
    let looks = 0;
    await run({
      listFiles: async () => {
        if (looks++ > 0) throw failed('SERVICE_FORBIDDEN', 'yes', 'never');
        return { ...(await partly()), unreadable: 0 };
      },
      ...creating(failed('SERVICE_BAD_REQUEST', 'yes', 'never')),
      uploadFile: never,
    });
    expect(await state()).toMatchObject({ refusedIn: 'creating', problem: 'RECORD_UNSEEN' });
  });

  it('is not uploaded again when its attachment is used up', async () => {
    await run(creating(unanswered));
    let looks = 0;
    await run({
      listFiles: async () => ({ ...(await partly()), unreadable: looks++ }),
      ...creating(failed('SERVICE_BAD_REQUEST', 'yes', 'never')),
      uploadFile: never,
    });
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
  });
});

describe('an attachment that is refused at its first create', () => {
  // The error may be the list's own, and the create may have taken effect all the same.
  it.each(['SERVICE_BAD_REQUEST', 'SERVICE_REFUSED'] as const)(
    'is not refused, but looked for later, while its folder cannot be listed: %s',
    async (code) => {
      await run({
        ...creating(failed('SERVICE_FORBIDDEN', 'yes', 'never')),
        listFiles: () => Promise.reject(failed(code, 'yes', 'never')),
      });
      expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
      await run(sees(record(70)));
      expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
    },
  );

  it('is not uploaded again while a record in the folder cannot be read', async () => {
    const partly = async () => ({ ...listed(), unreadable: 1 });
    await run({ createFiles: () => Promise.reject(failed('SERVICE_UNREACHABLE', 'no', 'later')) });
    await run({ listFiles: partly, ...creating(failed('SERVICE_BAD_REQUEST', 'yes', 'never')) });
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
    await run({}, { jobs: 1 });
    expect(await state()).toMatchObject({ state: 'uploaded' });
  });
});

describe('a create repeated after a look that showed nothing', () => {
  it('is looked for again when its attachment turns out to be used up', async () => {
    await run(creating(unanswered));
    await run(creating(failed('SERVICE_UNREACHABLE', 'no', 'later')));
    expect(await state()).toMatchObject({ state: 'uploaded' });
    await run({ ...sees(record(70)), ...creating(failed('SERVICE_BAD_REQUEST', 'yes', 'never')) });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });
});

describe('creates that use up their attachments, get no answer and leave no record', () => {
  it('are made three times, and then once for each Retry', async () => {
    const usedUp = new Set<number>();
    let uploads = 0;
    const service: Partial<ServiceClient> = {
      uploadFile: async () => ({ attachmentId: ++uploads, sentBytes: 10, serviceTime: NOW }),
      createFiles: async ({ attachments: [attachment] }) => {
        const { attachmentId } = attachment ?? expect.unreachable('there is one');
        if (usedUp.has(attachmentId)) throw failed('SERVICE_BAD_REQUEST', 'yes', 'never');
        usedUp.add(attachmentId);
        throw unanswered;
      },
    };
    while ((await state())?.state !== 'refused') await run(service);
    expect([uploads, usedUp.size]).toEqual([3, 3]);
    expect(await state()).toMatchObject({ problem: 'RECORD_UNCONFIRMED', refusedIn: 'creating' });
    await ledger.retryShare(shareId, { now: clock.now() });
    while ((await state())?.state !== 'refused') await run(service);
    expect([uploads, usedUp.size]).toEqual([4, 4]);
  });

  it('hold back an identical file with a reason, until somebody presses Retry', async () => {
    let records = 70;
    const service: Partial<ServiceClient> = {
      createFiles: async () => {
        throw unanswered;
      },
    };
    while ((await state())?.state !== 'refused') await run(service);
    const { shareId: second } = await ledger.recordShare(
      recording({ ts: '1700000001.000100' }, { now: clock.now() }),
    );
    const works = { createFiles: async () => [record(records++)] };
    await run(works);
    const twin = async () => (await ledger.transfersOfShare(second))[0];
    const waits = { state: 'uploaded', problem: 'TWIN_UNCONFIRMED' };
    expect(await twin()).toMatchObject(waits);
    await ledger.retryShare(second, { now: clock.now() });
    await run(works);
    expect([await state(), await twin()]).toMatchObject([{ recordId: 70 }, { recordId: 71 }]);
  });
});

describe('an attachment that the service has forgotten', () => {
  it('is uploaded again when the create returns 404 and the folder exists', async () => {
    await run(creating(failed('SERVICE_UNREACHABLE', 'no', 'later')));
    await run(creating(failed('SERVICE_NOT_FOUND', 'yes', 'never')), CREATE_AND_LOOK);
    expect(await state()).toMatchObject({ state: 'recorded', attachmentId: null });
    await run(creating(record(72)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 72 });
  });

  it('is uploaded again after an unknown refusal that may mean this, if no record is there', async () => {
    await run({ createFiles: () => Promise.reject(failed('SERVICE_UNREACHABLE', 'no', 'later')) });
    await run(creating(failed('SERVICE_REFUSED', 'yes', 'never')), CREATE_AND_LOOK);
    expect(await state()).toMatchObject({ state: 'recorded', attachmentId: null });
  });

  it('is not uploaded again after an unknown refusal if the file is in the folder all the same', async () => {
    await run({ createFiles: () => Promise.reject(failed('SERVICE_UNREACHABLE', 'no', 'later')) });
    const refused = failed('SERVICE_REFUSED', 'yes', 'never');
    await run({ ...creating(refused), ...sees(record(70)) });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is not uploaded again when the folder is gone', async () => {
    const gone = failed('SERVICE_NOT_FOUND', 'yes', 'never');
    await run(creating(failed('SERVICE_UNREACHABLE', 'no', 'later')));
    await run({ ...creating(gone), listFiles: () => Promise.reject(gone) });
    expect(await state()).toMatchObject({ state: 'refused', problem: 'DESTINATION_GONE' });
  });

  it('is uploaded again only once', async () => {
    const notFound = creating(failed('SERVICE_NOT_FOUND', 'yes', 'never'));
    await run(creating(failed('SERVICE_UNREACHABLE', 'no', 'later')));
    await run(notFound);
    await run(notFound);
    expect(await state()).toMatchObject({ state: 'refused', problem: 'DESTINATION_GONE' });
  });

  it('is uploaded again after a bad request, once a look shows that its file is not in the folder', async () => {
    await run(creating(failed('SERVICE_UNREACHABLE', 'no', 'later')));
    expect(await state()).toMatchObject({ state: 'uploaded' });
    await run(creating(failed('SERVICE_BAD_REQUEST', 'yes', 'never')), CREATE_AND_LOOK);
    expect(await state()).toMatchObject({ state: 'recorded', attachmentId: null });
    await run(creating(record(72)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 72 });
  });
});

describe('a record of another transfer', () => {
  /** An earlier share of the same name and size, filed as record 70. */
  beforeEach(async () => {
    const [mine] = await ledger.transfersOfShare(shareId);
    await ledger.recordShare(recording({ channel: 'C0', ts: '1' }, { now: NOW }));
    const claim = await createNext(ledger, { now: NOW, token: 'other', attachmentId: 6 });
    expect(claim.id).not.toBe(mine?.id);
    await ledger.markFiled({ claim, recordId: 70, now: NOW });
    await endFolder(ledger, NOW);
  });

  it('is not matched to a create without an answer', async () => {
    await run(creating(unanswered));
    await run({ ...sees(record(70)), ...creating(record(71)) });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 71 });
  });

  it('is not claimed when a create returns it, and nothing is created again', async () => {
    await run(creating(record(70)));
    expect(await state()).toMatchObject({ state: 'created' });
    await run({
      ...sees(record(70)),
      createFiles: async () => expect.unreachable('created again'),
    });
    expect(await state()).toMatchObject({ state: 'filed', recordId: null });
  });

  it('is looked for as long as the service does not accept the key', async () => {
    await run(creating(record(70)));
    await run({ listFiles: () => Promise.reject(failed('SERVICE_UNAUTHORIZED', 'yes', 'never')) });
    expect(await state()).toMatchObject({ state: 'created' });
  });

  it('shows that a file of that name with a smaller id existed before', async () => {
    await run(creating(unanswered));
    const before = record(60, { createdAt: NOW - 600_000 });
    await run({ ...sees(before, record(70)), ...creating(record(71)) });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 71 });
  });
});

describe.each([
  ['SERVICE_BAD_REQUEST', 'SERVICE_BAD_REQUEST'],
  ['SERVICE_FORBIDDEN', 'SERVICE_FORBIDDEN'],
  ['SERVICE_NOT_FOUND', 'DESTINATION_GONE'],
  ['SERVICE_REFUSED', 'SERVICE_REFUSED'],
] as const)('a create that is refused: %s', (code, problem) => {
  const refused = failed(code, 'yes', 'never');
  const away = failed('SERVICE_FAILED', 'yes', 'later');
  const denied = () => Promise.reject(failed('SERVICE_FORBIDDEN', 'yes', 'never'));

  it('is looked for, and filed with the record it left', async () => {
    await run({ ...sees(record(70)), ...creating(refused) });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is reported as refused once its folder shows no record, and holds back no other file', async () => {
    await run(creating(refused));
    expect(await state()).toMatchObject({ state: 'refused', refusedIn: 'uploaded', problem });
  });

  it('is looked for again before it is repeated, when the folder could not be listed', async () => {
    await run({ ...creating(refused), listFiles: () => Promise.reject(away) });
    const waits = { state: 'creating', problem: 'SERVICE_FAILED', creates: 0 };
    expect(await state()).toMatchObject(waits);
    await run({ ...sees(record(70)), createFiles: async () => expect.unreachable('sent again') });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is not looked for again when a Retry repeats it', async () => {
    const calls: string[] = [];
    const service = (answer: () => FileRecord[]): Partial<ServiceClient> => ({
      createFiles: async () => {
        calls.push('create');
        return answer();
      },
      listFiles: async () => {
        calls.push('list');
        return listed();
      },
    });
    const refuse = () => {
      throw refused;
    };
    await run(service(refuse));
    await ledger.retryShare(shareId, { now: clock.now() });
    await run(service(() => [record(70)]));
    expect([calls, await state()]).toMatchObject([['create', 'list', 'create'], { recordId: 70 }]);
  });

  it('is reported where the folder is inaccessible too, and looked for before a Retry repeats it', async () => {
    await run({ ...creating(refused), listFiles: denied });
    expect(await state()).toMatchObject({ state: 'refused', refusedIn: 'creating', problem });
    await ledger.retryShare(shareId, { now: clock.now() });
    await run({ ...sees(record(70)), createFiles: async () => expect.unreachable('sent again') });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });
});

describe.each([
  ['SERVICE_BAD_REQUEST', 'lists it as empty', async () => listed()],
  [
    'SERVICE_BAD_REQUEST',
    'refuses its list alike',
    () => Promise.reject(failed('SERVICE_BAD_REQUEST', 'yes', 'never')),
  ],
  [
    'SERVICE_BAD_REQUEST',
    'does not find it',
    () => Promise.reject(failed('SERVICE_NOT_FOUND', 'yes', 'never')),
  ],
  ['SERVICE_REFUSED', 'lists it as empty', async () => listed()],
] as const)(
  'a create refused with %s for a folder that is gone, on an account that %s',
  (code, _how, listFiles) => {
    it('pauses the link to that folder', async () => {
      const channel = { team: 'T1', channel: 'C1' };
      await ledger.setLink(channel, folderLink());
      const listFolders = async () => ({ records: [], complete: true });
      await run({ ...creating(failed(code, 'yes', 'never')), listFiles, listFolders }, { jobs: 3 });
      expect(await state()).toMatchObject({ refusedIn: null, problem: 'DESTINATION_GONE' });
      expect(await ledger.findLink(channel)).toMatchObject({ heldFor: 'DESTINATION_GONE' });
    });
  },
);

describe('a create that is rate limited', () => {
  const details = { sent: 'yes', retry: 'later', retryAfterMs: 90_000 } as const;
  const limited = new ServiceError('SERVICE_RATE_LIMITED', 'wait', details);

  it('stays open with the reason, and is due when the wait is over', async () => {
    await run(creating(limited));
    expect(await state()).toMatchObject({
      state: 'creating',
      problem: 'SERVICE_RATE_LIMITED',
      nextTryAt: clock.now() + 90_000,
      answeredAt: clock.now(),
    });
  });

  it('is filed with the record it left, and not repeated', async () => {
    await run(creating(limited));
    await run({ ...sees(record(70)), createFiles: async () => expect.unreachable('sent again') });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is repeated after one list requested since the response, however often that happens', async () => {
    const asked: (number | undefined)[] = [];
    const answered: (number | null | undefined)[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      await run({
        ...creating(limited),
        listFiles: async (_destination, { notBefore }: Asked) => {
          asked.push(notBefore);
          return listed();
        },
      });
      answered.push((await state())?.answeredAt);
    }
    expect(asked).toEqual(answered.slice(0, -1));
    await run(creating(record(71)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 71 });
  });

  it('is repeated as soon as the wait is over, without the settle time', async () => {
    await run(
      creating(
        new ServiceError('SERVICE_RATE_LIMITED', 'wait', { ...details, retryAfterMs: 5_000 }),
      ),
    );
    await run(creating(record(71)), { laterMs: 5_000 });
    expect(await state()).toMatchObject({ state: 'filed', recordId: 71 });
  });

  it('is not repeated after a list that the service made before its response', async () => {
    const said = new ServiceError('SERVICE_RATE_LIMITED', 'wait', {
      ...details,
      serviceTime: clock.now() + 3_600_000,
    });
    await run(creating(said));
    const stale = async () => ({ ...listed(), serviceTime: (said.serviceTime ?? 0) - 2_000 });
    await run({ listFiles: stale, createFiles: async () => expect.unreachable('sent again') });
    expect(await state()).toMatchObject({ state: 'creating', problem: 'RECORD_UNCLEAR' });
  });
});

describe('a create of a waiting attachment, refused with unknown effect', () => {
  it('waits for the settle time, and only then is uploaded again', async () => {
    const refused = failed('SERVICE_BAD_REQUEST', 'unknown', 'never');
    await run(creating(failed('SERVICE_UNREACHABLE', 'no', 'later')));
    await run(creating(refused));
    expect(await state()).toMatchObject({ state: 'creating', problem: 'SERVICE_BAD_REQUEST' });
    await run({}, { jobs: 1 });
    expect(await state()).toMatchObject({ state: 'recorded', attachmentId: null, creates: 1 });
    await run(creating(record(72)));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 72 });
  });
});

describe('a batch that is refused', () => {
  const refused = failed('SERVICE_BAD_REQUEST', 'yes', 'never');
  let names: string[][];

  /** A service that refuses every batch of several files, and `bad.pdf`. */
  const picky = (left: FileRecord[] = []): Partial<ServiceClient> => {
    let attachments = 0;
    return {
      ...sees(...left),
      uploadFile: async () => ({ attachmentId: ++attachments, sentBytes: 10, serviceTime: NOW }),
      createFiles: async (request) => {
        names.push(request.attachments.map(({ name }) => name));
        const [only, second] = request.attachments;
        if (!only || second || only.name === 'bad.pdf') throw refused;
        return [record(100 + only.attachmentId, { name: only.name })];
      },
    };
  };
  const states = async () =>
    (await ledger.transfersOfShare(shareId)).map(({ name, state: is }) => [name, is]);

  beforeEach(async () => {
    names = [];
    const files = ['a.pdf', 'bad.pdf', 'c.pdf'].map((name) => sharedFile({ id: name, name }));
    const destination = { projectId: 1, folderId: 9 };
    const given = { ts: '1700000009.000100', channel: 'C9', files };
    shareId = (await ledger.recordShare(recording(given, { destination, now: NOW }))).shareId;
  });

  it('is created one by one, so that only the bad file is refused', async () => {
    await run(picky());
    const own = names.filter((batch) => !batch.includes('report.pdf'));
    expect(own).toEqual([['a.pdf', 'bad.pdf', 'c.pdf'], ['a.pdf'], ['bad.pdf'], ['c.pdf']]);
    expect(await states()).toEqual([
      ['a.pdf', 'filed'],
      ['bad.pdf', 'refused'],
      ['c.pdf', 'filed'],
    ]);
  });

  it('with a failure again and again is created one by one, so that only the bad file is given up', async () => {
    const works = picky();
    const failing: Partial<ServiceClient> = {
      ...works,
      createFiles: async (request, call) => {
        const isBad = request.attachments.some(({ name }) => name === 'bad.pdf');
        if (isBad) throw failed('SERVICE_FAILED', 'unknown', 'later');
        return works.createFiles?.(request, call) ?? [];
      },
    };
    for (let looks = 0; looks < 4; looks += 1) await run(failing);
    expect(await states()).toEqual([
      ['a.pdf', 'filed'],
      ['bad.pdf', 'refused'],
      ['c.pdf', 'filed'],
    ]);
  });

  it('moves with its channel’s link when the folder cannot be listed either, as one file does', async () => {
    const channel = { team: 'T1', channel: 'C9' };
    const link = folderLink({ folderId: 9 });
    await ledger.setLink(channel, link);
    const denied = failed('SERVICE_FORBIDDEN', 'yes', 'never');
    const works = picky();
    const service: Partial<ServiceClient> = {
      ...works,
      createFiles: async (request, call) => {
        if (request.destination.folderId === 9) throw denied;
        return works.createFiles?.(request, call) ?? [];
      },
      listFiles: async ({ folderId }) => {
        if (folderId === 9) throw denied;
        return listed();
      },
    };
    for (let looks = 0; looks < 2; looks += 1) await run(service);
    expect(await ledger.findLink(channel)).toMatchObject({ heldFor: 'SERVICE_FORBIDDEN' });
    await ledger.setLink(channel, { ...link, folderId: 8, linkedAt: clock.now() });
    await run(service);
    expect((await states()).map(([, is]) => is)).toEqual(['filed', 'refused', 'filed']);
    const [first] = await ledger.transfersOfShare(shareId);
    expect(first?.destination).toMatchObject({ folderId: 8 });
  });

  it('is looked for first, so that no file it left is created again', async () => {
    await run(picky([record(70, { name: 'a.pdf' })]));
    expect(names.filter((batch) => batch.includes('a.pdf'))).toEqual([
      ['a.pdf', 'bad.pdf', 'c.pdf'],
    ]);
    expect((await ledger.transfersOfShare(shareId))[0]).toMatchObject({ recordId: 70 });
  });
});

describe('a transfer in hand when the process dies', () => {
  /** Claims the transfer `times` times, and lets each lease expire. */
  async function crash(times: number): Promise<void> {
    for (let nth = 0; nth < times; nth += 1) {
      await clock.advance(60 * 60_000);
      const now = clock.now();
      await ledger.sweepLeases(['upload', 'folder'], { now });
      await clock.advance(60 * 60_000);
      await holdNext(ledger, { now: clock.now(), token: `lost ${now}` });
    }
    await clock.advance(60 * 60_000);
    await ledger.sweepLeases(['upload', 'folder'], { now: clock.now() });
  }

  it('waits longer the more crashes there were, so that others go first', async () => {
    await crash(3);
    const dueAt = async () => (await ledger.nextFiling({ largest: null }))?.dueAt;
    expect(await dueAt()).toBe(clock.now());
    await crash(7);
    expect(await dueAt()).toBe(clock.now() + 10_000);
    await run(creating(record(70)), { laterMs: 10_000 });
    expect(await state()).toMatchObject({ state: 'filed' });
  });

  it('is refused after a hundred crashes', async () => {
    await crash(101);
    await run(creating(record(70)));
    expect(await state()).toMatchObject({ state: 'refused', problem: 'ATTEMPTS_EXHAUSTED' });
  });
});

describe('each call for a transfer', () => {
  it('uses the bulk lane and its channel’s queue', async () => {
    const calls: CallOptions[] = [];
    await run(creating(unanswered));
    await run({
      listFiles: async (_destination, options) => {
        calls.push(options);
        throw failed('SERVICE_FAILED', 'yes', 'later');
      },
    });
    await run({
      createFiles: async (_request, options) => {
        calls.push(options);
        throw failed('SERVICE_BAD_REQUEST', 'yes', 'never');
      },
    });
    await run({
      uploadFile: async (_projectId, _source, options) => {
        calls.push(options);
        throw failed('SERVICE_FAILED', 'yes', 'later');
      },
    });
    expect(calls).toHaveLength(3);
    for (const call of calls) expect(call).toMatchObject({ lane: 'bulk', queue: 'T1/C1' });
  });
});

describe('a created record that differs from the file sent', () => {
  it('is accepted when it has no size', async () => {
    await run(creating(record(70, { byteSize: null })));
    expect(await state()).toMatchObject({ state: 'filed', recordId: 70 });
  });

  it('is refused when its size differs', async () => {
    await run(creating(record(70, { byteSize: 11 })));
    expect(await state()).toMatchObject({ state: 'refused', problem: 'RECORD_SIZE_MISMATCH' });
  });
});

describe('a failed create', () => {
  it('is refused at once when the service forbids it', async () => {
    await run(creating(failed('SERVICE_FORBIDDEN', 'yes', 'never')));
    expect(await state()).toMatchObject({
      state: 'refused',
      refusedIn: 'uploaded',
      problem: 'SERVICE_FORBIDDEN',
    });
  });

  it('waits for the operator when the key is refused', async () => {
    await run(creating(failed('SERVICE_UNAUTHORIZED', 'yes', 'never')));
    expect(await state()).toMatchObject({ state: 'creating', problem: 'SERVICE_UNAUTHORIZED' });
  });

  it('is refused after days of failures', async () => {
    await run(creating(failed('SERVICE_FAILED', 'no', 'later')));
    await clock.advance(97 * 60 * 60_000);
    await run(creating(failed('SERVICE_FAILED', 'no', 'later')));
    expect(await state()).toMatchObject({ state: 'refused', problem: 'ATTEMPTS_EXHAUSTED' });
  });
});

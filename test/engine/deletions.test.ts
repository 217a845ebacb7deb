import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Actor, OnSlackDelete, SharedFile } from '../../src/core/index.ts';
import { deleting, type EngineContext } from '../../src/engine/index.ts';
import type { Claim, Ledger } from '../../src/ledger/index.ts';
import { type FileList, ServiceError } from '../../src/service/index.ts';
import { SlackCallError, SlackFileError } from '../../src/slack/index.ts';
import { fileRecord, recording, share, sharedFile } from '../support/builders.ts';
import { endFolder, holdNext } from '../support/claim-next.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { claimJob } from './claim-job.ts';
import { contextOf, type GivenContext } from './context-of.ts';

const destination = { projectId: 1, folderId: 2 };
const LEASE_MS = 60_000;

let ledger: Ledger;
let now: number;
let tokens = 0;
/** The questions that members were asked, and the records deleted at the service. */
let questions: { user: string; text: string; isDirect?: boolean }[];
let deleted: number[];
/** What every folder lists: by default, the records of nine files as shareFiled files them. */
let listing: FileList;
/** What Slack says of a file; by default, that it is deleted. */
let fileInfo: (file: SharedFile) => SharedFile;
const isDeleted = (code: 'SLACK_FILE_DELETED' | 'SLACK_FILE_NOT_FOUND' = 'SLACK_FILE_DELETED') => {
  throw new SlackFileError(code, 'files.info');
};
const isDenied = () => {
  throw new SlackFileError('SLACK_FILE_DENIED', 'files.info');
};
beforeEach(async () => {
  now = 1_000_000;
  ledger = await openEmptyLedger(now);
  questions = [];
  deleted = [];
  fileInfo = () => isDeleted();
  const ids = Array.from({ length: 9 }, (_, nth) => nth + 1);
  const files = ids.map((id) => fileRecord({ id, name: `${id - 1}.pdf`, byteSize: id }));
  listing = { files, complete: true, unreadable: 0, serviceTime: null, fetchedAt: now };
});
afterEach(() => ledger.close());

function contextWith(
  onSlackDelete: OnSlackDelete,
  others: GivenContext & { role?: Actor['role'] } = {},
): EngineContext {
  const { role = 'member', ...given } = others;
  return contextOf({
    ledger,
    onSlackDelete,
    clock: { now: () => now, sleep: async () => undefined },
    names: {
      nameFolder: async (folder) => ({ ...folder, projectTitle: null, folderName: 'Invoices' }),
    },
    workspace: {
      actor: async (userId) => ({ userId, role }),
      fileInfo: async (one) => fileInfo(one),
      postEphemeral: async ({ user }, { text }) => void questions.push({ user, text }),
      notify: async (user, { text }) => {
        questions.push({ user, text, isDirect: true });
        return { channel: 'D1', ts: '1' };
      },
    },
    ...given,
    service: {
      listFiles: async () => listing,
      deleteFile: async (_folder, fileId) => {
        deleted.push(fileId);
        return 'deleted';
      },
      ...given.service,
    },
  });
}

/** Records a share of these files, and files them as records 1, 2 and so on. */
async function shareFiled(files: Partial<SharedFile>[] = [{}]): Promise<void> {
  await record(files);
  for (let recordId = 1; recordId <= files.length; recordId += 1) await file(recordId);
}

async function record(files: Partial<SharedFile>[]) {
  const named = files.map((one, nth) => sharedFile({ id: `F${nth}`, name: `${nth}.pdf`, ...one }));
  return ledger.recordShare(recording({ files: named }, { destination, now }));
}

/** Uploads and creates the next file of the share, as the record with this id. */
async function file(recordId: number): Promise<void> {
  const { finish } = await upload(recordId);
  await finish();
}

async function upload(recordId: number): Promise<{ claim: Claim; finish: () => Promise<unknown> }> {
  const hold = () => {
    tokens += 1;
    return holdNext(ledger, { now: now + 90_000, token: `t${tokens}` });
  };
  const { projectId } = destination;
  const given = { attachmentId: recordId, byteSize: recordId, serviceTime: now };
  await ledger.markUploaded(await hold(), { ...given, projectId, now: now - 90_000 });
  const claim = await hold();
  return {
    claim,
    finish: async () => {
      await ledger.markFiled({ claim, recordId, now });
      await endFolder(ledger, now, destination);
    },
  };
}

/** Runs the next due deletion job, as a process does; returns false when none is due. */
async function seeToNext(context: EngineContext): Promise<boolean> {
  const job = await claimJob(deleting(context), { now, leaseMs: LEASE_MS });
  await job?.();
  return job !== null;
}

async function seeToAll(context: EngineContext): Promise<void> {
  now += 2_000;
  while (await seeToNext(context));
}

const deleteFile = (fileId = 'F0') => ledger.recordDeletions([{ team: 'T1', fileId }], now);
const message = { team: 'T1', channel: 'C1', ts: share().ts };
const stateOf = async () => (await ledger.transfersOfShare(1)).map(({ state }) => state);

describe('a filed file that is deleted in Slack', () => {
  it('has the line of its message follow at once', async () => {
    await shareFiled();
    await deleteFile();
    const wake = vi.fn();
    await seeToAll({ ...contextWith('ask'), wake });
    expect(wake).toHaveBeenCalled();
  });

  it('is asked about once, together with the other files of its share', async () => {
    await shareFiled([{}, {}, {}]);
    await deleteFile('F0');
    await ledger.recordDeletions([message], now);
    await deleteFile('F1');
    await seeToAll(contextWith('ask'));
    expect(questions).toMatchObject([{ user: 'U1', text: expect.stringMatching(/^0.*, 1.*, 2/) }]);
    await deleteFile('F2');
    await seeToAll(contextWith('ask'));
    expect(questions).toHaveLength(1);
    expect(deleted).toEqual([]);
  });

  it.each([
    [
      'a Retry',
      async ({ id }: Claim) => {
        await ledger.retryShare(1, { now });
        await holdNext(ledger, { now, token: 'look' });
        await ledger.markFiled({ claim: { id, token: 'look' }, recordId: 1, now });
      },
    ],
    ['another file’s look', ({ id }: Claim) => ledger.markFound(id, { recordId: 1, now })],
  ])('is asked about when it was refused at first and %s found it later', async (_, find) => {
    await record([{}]);
    const { claim } = await upload(1);
    const problem = { code: 'RECORD_UNCONFIRMED' as const, note: null };
    await ledger.markRefused(claim, { problem, now });
    await endFolder(ledger, now, destination);
    await deleteFile();
    await seeToAll(contextWith('ask'));
    expect([questions, await ledger.nextDue('deletion')]).toEqual([[], null]);
    await find(claim);
    await seeToAll(contextWith('ask'));
    expect(questions).toHaveLength(1);
  });

  it('is asked about once, even when the process dies while asking', async () => {
    await shareFiled();
    await deleteFile();
    now += 2_000;
    const asking = Promise.withResolvers<void>();
    const dying = contextWith('ask', {
      workspace: {
        ...contextWith('ask').workspace,
        postEphemeral: async ({ user }, { text }) => {
          questions.push({ user, text });
          asking.resolve();
          await new Promise(() => undefined);
        },
      },
    });
    void seeToNext(dying);
    await asking.promise;
    now += LEASE_MS;
    await ledger.sweepLeases(['deletion'], { now });
    await seeToAll(contextWith('ask'));
    expect(questions).toHaveLength(1);
    expect(await ledger.nextDue('deletion')).toBeNull();
  });

  it('is asked about later when Slack cannot look up the sharer or limits messages', async () => {
    await shareFiled();
    await deleteFile();
    const { workspace } = contextWith('ask');
    const unreachable = async () => {
      throw new SlackCallError('SLACK_UNREACHABLE', 'users.info');
    };
    const limited = async () => {
      throw new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs: 20_000 });
    };
    await seeToAll(contextWith('ask', { workspace: { ...workspace, actor: unreachable } }));
    now += 20_000;
    await seeToAll(contextWith('ask', { workspace: { ...workspace, postEphemeral: limited } }));
    expect(questions).toEqual([]);
    now += 20_000;
    await seeToAll(contextWith('ask'));
    expect(questions).toHaveLength(1);
  });

  it.each([
    ['returned service_unavailable', { reason: 'service_unavailable' }, 1],
    ['could not be connected to', { unsent: true }, 1],
    ['did not answer', {}, 0],
    ['returned internal_error', { reason: 'internal_error' }, 0],
  ] as const)(
    'is asked about again only if Slack cannot have shown the question: Slack %s',
    async (_, details, times) => {
      await shareFiled();
      await deleteFile();
      const { workspace } = contextWith('ask');
      const postEphemeral = async () => {
        throw new SlackCallError('SLACK_UNREACHABLE', 'chat.postEphemeral', details);
      };
      await seeToAll(contextWith('ask', { workspace: { ...workspace, postEphemeral } }));
      now += 20_000;
      await seeToAll(contextWith('ask'));
      expect(questions).toHaveLength(times);
    },
  );

  it('is asked about after ever longer waits while Slack takes no message', async () => {
    await shareFiled();
    await deleteFile();
    const notify = async () => {
      throw new SlackCallError('SLACK_UNREACHABLE', 'chat.postMessage', { unsent: true });
    };
    const { workspace } = contextWith('ask');
    now += 60_000;
    const waits: number[] = [];
    for (let times = 0; times < 4; times += 1) {
      await seeToAll(contextWith('ask', { workspace: { ...workspace, notify } }));
      const dueAt = (await ledger.nextDue('deletion')) ?? 0;
      waits.push(dueAt - now);
      now = dueAt;
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000]);
  });

  it.each(['user_not_in_channel', 'is_archived'])(
    'is asked about once in direct messages when the channel refuses the question: %s',
    async (reason) => {
      await shareFiled();
      await deleteFile();
      const { workspace } = contextWith('ask');
      const postEphemeral = async () => {
        throw new SlackCallError('SLACK_REFUSED', 'chat.postEphemeral', { reason });
      };
      await seeToAll(contextWith('ask', { workspace: { ...workspace, postEphemeral } }));
      expect(questions).toMatchObject([{ user: 'U1', isDirect: true }]);
      await deleteFile();
      await seeToAll(contextWith('ask'));
      expect(questions).toHaveLength(1);
    },
  );

  it('is asked about in direct messages after minutes, as the sharer may be away by then', async () => {
    await shareFiled();
    await deleteFile();
    now += 10 * 60_000;
    await seeToAll(contextWith('ask'));
    expect(questions).toMatchObject([{ user: 'U1', isDirect: true }]);
  });

  it.each(['guest', 'outsider', 'bot', 'deactivated'] as const)(
    'is left in the folder when its sharer is a %s',
    async (role) => {
      await shareFiled();
      await ledger.recordDeletions([message], now);
      await seeToAll(contextWith('ask', { role }));
      await seeToAll(contextWith('follow', { role }));
      expect([questions, deleted]).toEqual([[], []]);
      expect(await ledger.nextDue('deletion')).toBeNull();
    },
  );

  it('is deleted from the folder in follow mode', async () => {
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([1]);
    expect(await ledger.transfersOfShare(1)).toMatchObject([{ state: 'deleted', deletedBy: null }]);
  });

  it('is not deleted in follow mode if its record is gone', async () => {
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    listing = { ...listing, files: listing.files.filter(({ id }) => id !== 1) };
    await seeToAll(contextWith('follow'));
    expect([deleted, questions]).toEqual([[], []]);
    expect(await stateOf()).toEqual(['deleted']);
  });

  it.each([
    ['another name', { name: 'other.pdf' }],
    ['another size', { byteSize: 99 }],
  ])('is asked about in follow mode, and stays, if its record has %s', async (_, change) => {
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    const files = listing.files.map((one) => (one.id === 1 ? { ...one, ...change } : one));
    listing = { ...listing, files };
    await seeToAll(contextWith('follow'));
    expect([deleted, questions.length]).toEqual([[], 1]);
    expect(await stateOf()).toEqual(['filed']);
  });

  it('is deleted in follow mode only once its folder shows whether it is there', async () => {
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    const whole = listing;
    listing = { ...listing, files: [], complete: false };
    await seeToAll(contextWith('follow'));
    expect([deleted, await stateOf()]).toEqual([[], ['filed']]);
    listing = whole;
    now += 20_000;
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([1]);
  });

  it('is asked about in follow mode when its sharer shared another person’s file', async () => {
    await shareFiled([{ uploader: 'U2' }]);
    await deleteFile();
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([]);
    expect(questions).toHaveLength(1);
  });

  it('is asked about in follow mode when the service forbids the delete', async () => {
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    const forbidden = async () => {
      throw new ServiceError('SERVICE_FORBIDDEN', 'delete', { retry: 'never', sent: 'yes' });
    };
    await seeToAll(contextWith('follow', { service: { deleteFile: forbidden } }));
    expect(await stateOf()).toEqual(['filed']);
    expect(questions).toHaveLength(1);
  });

  it('is deleted in follow mode from the folders of other channels while one folder fails', async () => {
    const files = [sharedFile({ id: 'F0', name: '0.pdf', uploader: 'U1' })];
    const folders = [destination, { projectId: 1, folderId: 3 }];
    listing = { ...listing, files: listing.files.map((one) => ({ ...one, name: '0.pdf' })) };
    for (const [nth, to] of folders.entries()) {
      await ledger.recordShare(recording({ channel: `C${nth}`, files }, { destination: to, now }));
      await file(nth + 1);
    }
    await deleteFile();
    const works = contextWith('follow').service;
    const deleteIn: typeof works.deleteFile = async (folder, ...rest) => {
      if (folder.folderId === 3) return works.deleteFile(folder, ...rest);
      throw new ServiceError('SERVICE_FAILED', 'delete', { retry: 'later', sent: 'yes' });
    };
    await seeToAll(contextWith('follow', { service: { deleteFile: deleteIn } }));
    expect(deleted).toEqual([2]);
    now += 20_000;
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([2, 1]);
  });

  it('is deleted in follow mode once the service can be reached', async () => {
    await shareFiled();
    await ledger.recordDeletions([message], now);
    const failed = async () => {
      throw new ServiceError('SERVICE_FAILED', 'delete', { retry: 'later', sent: 'yes' });
    };
    await seeToAll(contextWith('follow', { service: { deleteFile: failed } }));
    expect(await stateOf()).toEqual(['filed']);
    now += 20_000;
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([1]);
  });

  it.each([
    ['fails for days', 'SERVICE_BAD_ANSWER', 1],
    ['does not accept the key', 'SERVICE_UNAUTHORIZED', 0],
  ] as const)(
    'is asked about in follow mode, and not tried for ever, when the service %s: %s',
    async (_, code, times) => {
      await shareFiled([{ uploader: 'U1' }]);
      await deleteFile();
      const deleteFails = async () => {
        throw new ServiceError(code, 'delete', { retry: 'later', sent: 'yes' });
      };
      const context = contextWith('follow', { service: { deleteFile: deleteFails } });
      now += 95 * 60 * 60_000;
      await seeToNext(context);
      expect(questions).toEqual([]);
      now += 60 * 60_000;
      await seeToNext(context);
      expect(questions).toHaveLength(times);
      expect((await ledger.nextDue('deletion')) === null).toBe(times === 1);
    },
  );
});

describe('a file deleted in Slack that was also saved to another folder by hand', () => {
  const saveFiled = async (savedBy: string) => {
    await shareFiled([{ uploader: 'U1' }]);
    const folder = { projectId: 1, folderId: 3 };
    const files = [sharedFile({ id: 'F0', name: '0.pdf', uploader: 'U1' })];
    const saved = { origin: 'saved', savedBy, destination: folder, now } as const;
    await ledger.recordShare(recording({ files }, saved));
    await file(2);
  };
  const askedAbout = async () => {
    const shares = await ledger.sharesOf(message);
    const files = await Promise.all(shares.map(({ id }) => ledger.transfersOfShare(id)));
    return files.flat().flatMap(({ askedAt, recordId }) => (askedAt === null ? [] : [recordId]));
  };

  it.each([
    ['its file', 'its sharer', 'U1', [1, 2]],
    ['its message', 'its sharer', 'U1', [1, 2]],
    ['its file', 'another member', 'U9', [1]],
    ['its message', 'another member', 'U9', [1]],
  ])(
    'is asked about once, with the copy only if its sharer saved it (%s deleted, saved by %s: %s)',
    async (what, _who, by, ids) => {
      await saveFiled(by);
      await (what === 'its file' ? deleteFile() : ledger.recordDeletions([message], now));
      await seeToAll(contextWith('ask'));
      expect(questions).toEqual([
        {
          user: 'U1',
          text: expect.stringMatching(/^0\.pdf was deleted in Slack. Delete it from/),
        },
      ]);
      expect(await askedAbout()).toEqual(ids);
    },
  );

  it.each([
    ['asked about', 'its sharer', 'U1', 1],
    ['left without a question', 'another member', 'U9', 0],
  ])('has its saved copy %s in follow mode when %s saved it', async (_, _who, by, times) => {
    await saveFiled(by);
    await ledger.recordDeletions([message], now);
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([1]);
    expect(questions).toHaveLength(times);
  });
});

describe('a file that is reported as deleted', () => {
  const living = (file: SharedFile) => file;
  const unreachable = () => {
    throw new SlackFileError('SLACK_FILE_UNAVAILABLE', 'files.info');
  };

  it('counts as deleted if Slack answers with a tombstone', async () => {
    fileInfo = (file) => ({ ...file, mode: 'tombstone' });
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([1]);
  });

  it('is asked about, not deleted unasked, if Slack cannot find it: it may be hidden', async () => {
    fileInfo = () => isDeleted('SLACK_FILE_NOT_FOUND');
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    await seeToAll(contextWith('follow'));
    expect([deleted, questions.length]).toEqual([[], 1]);
  });

  it.each([
    ['describes it', living],
    ['cannot be asked', unreachable],
    ['may not say', () => isDenied()],
  ])('is neither deleted nor asked about while Slack %s', async (_, answer) => {
    fileInfo = answer;
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    await seeToAll(contextWith('follow'));
    await seeToAll(contextWith('ask'));
    expect([deleted, questions]).toEqual([[], []]);
    fileInfo = () => isDeleted();
    now = (await ledger.nextDue('deletion')) ?? 0;
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([1]);
  });

  it('is checked again ever more seldom, for a day, and a later report is a new one', async () => {
    fileInfo = living;
    await shareFiled([{ uploader: 'U1' }]);
    await deleteFile();
    now += 2_000;
    const waits: number[] = [];
    for (let dueAt: number | null = now; dueAt !== null; ) {
      await seeToNext(contextWith('follow'));
      dueAt = await ledger.nextDue('deletion');
      waits.push((dueAt ?? now) - now);
      now = dueAt ?? now;
    }
    expect(waits.slice(0, 3)).toEqual([5_000, 10_000, 20_000]);
    expect(waits.at(-2)).toBe(10 * 60_000);
    fileInfo = () => isDeleted();
    await deleteFile();
    await seeToAll(contextWith('follow'));
    expect(deleted).toEqual([1]);
  });

  it('is not refused before Slack confirms it', async () => {
    fileInfo = living;
    await record([{}]);
    await deleteFile();
    await seeToAll(contextWith('ask'));
    expect(await stateOf()).toEqual(['recorded']);
    fileInfo = () => isDeleted();
    now = (await ledger.nextDue('deletion')) ?? 0;
    await seeToAll(contextWith('ask'));
    expect(await stateOf()).toEqual(['refused']);
  });

  it('is left out of the question about other files while Slack still has it', async () => {
    fileInfo = (file) => (file.id === 'F1' ? file : isDeleted());
    await shareFiled([{}, {}]);
    await deleteFile('F0');
    await deleteFile('F1');
    await seeToAll(contextWith('ask'));
    expect(questions).toMatchObject([{ text: expect.stringMatching(/^0\.pdf was deleted/) }]);
  });

  it('is asked about in follow mode if its message was deleted and Slack still has it', async () => {
    fileInfo = living;
    await shareFiled([{ uploader: 'U1' }]);
    await ledger.recordDeletions([message], now);
    await seeToAll(contextWith('follow'));
    expect([deleted, questions.length]).toEqual([[], 1]);
  });
});

describe('a deletion of what no share is known of', () => {
  const AGAIN_MS = 100 * 60_000;

  it('is kept for a day, for a share that is delivered late, and forgotten then', async () => {
    await deleteFile();
    for (let times = 0; times < 14; times += 1) {
      await seeToAll(contextWith('ask'));
      expect(await ledger.nextDue('deletion')).toBe(now + AGAIN_MS);
      now += AGAIN_MS;
    }
    await record([{}]);
    await seeToAll(contextWith('ask'));
    expect(await stateOf()).toEqual(['refused']);
    await ledger.recordDeletions([{ team: 'T1', fileId: 'F9' }], now);
    now += 15 * AGAIN_MS;
    await seeToAll(contextWith('ask'));
    expect(await ledger.nextDue('deletion')).toBeNull();
    await ledger.recordShare(recording({ ts: '2', files: [sharedFile({ id: 'F9' })] }, { now }));
    expect((await ledger.transfersOfShare(2)).map(({ state }) => state)).toEqual(['recorded']);
  });
});

describe('a file deleted in Slack before it is filed', () => {
  it('is not filed, and nobody is asked', async () => {
    await record([{}, {}]);
    await deleteFile('F1');
    await seeToAll(contextWith('ask'));
    expect(await stateOf()).toEqual(['recorded', 'refused']);
    await ledger.recordDeletions([message], now);
    expect(await stateOf()).toEqual(['refused', 'refused']);
    await seeToAll(contextWith('ask'));
    expect(questions).toEqual([]);
    expect(await ledger.nextDue('deletion')).toBeNull();
  });

  it('is asked about once it is filed, when it was being filed at the time', async () => {
    await record([{}]);
    const { finish } = await upload(1);
    await deleteFile();
    await seeToAll(contextWith('ask'));
    expect(questions).toEqual([]);
    await finish();
    now += 20_000;
    await seeToAll(contextWith('ask'));
    expect(questions).toHaveLength(1);
  });
});

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { type ServiceClient, ServiceError } from '../../src/service/index.ts';
import type { Workspace } from '../../src/slack/index.ts';
import type { SharedFile } from '../../src/transfers/index.ts';
import { createProgressBoard, createSemaphore, noCheckpoint } from '../../src/worker/index.ts';
import { runTransfer } from '../../src/worker/run-transfer.ts';
import type { TransferContext } from '../../src/worker/transfer-context.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { share, sharedFile } from '../support/shares.ts';

const NOW = 1_700_000_000_000;
const LATER = { retry: 'later', sent: 'no' } as const;
const MIB = 1024 * 1024;
const clock = createFakeClock(NOW);
let ledger: Ledger;

beforeEach(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pigeonhole-upload-'));
  ledger = await openLedger(sqliteDialect(dataDir), NOW);
});
afterEach(() => ledger.close());

async function recordFile(file: SharedFile): Promise<number> {
  const destination = { projectId: 1, folderId: 2 };
  const input = { origin: 'event' as const, destination, reportId: null, now: NOW };
  return (await ledger.recordShare({ share: share({ files: [file] }), ...input })).shareId;
}

function contextWith(service: Partial<ServiceClient>): TransferContext {
  const workspace: Partial<Workspace> = {
    download: async () => ({ stream: Readable.from([]), size: 0 }),
  };
  return {
    ledger,
    service: service as ServiceClient,
    workspace: workspace as Workspace,
    clock,
    random: { fraction: () => 0.5, id: () => 'id' },
    logger: silentLogger,
    progress: createProgressBoard(clock),
    largeFiles: createSemaphore(1),
    checkpoint: noCheckpoint,
    settleMs: 0,
    backoffScale: 1,
    onChange: () => undefined,
  };
}

async function run(context: TransferContext): Promise<number> {
  const claim = { now: clock.now(), leaseUntil: NOW * 2, token: 't', afterQueue: '' };
  const transfer = await ledger.claimTransfer(claim);
  if (!transfer) throw new Error('nothing is due');
  const held = { transfer, claim: { id: transfer.id, token: 't' }, leaseUntil: () => NOW * 2 };
  await runTransfer({ ...held, signal: new AbortController().signal }, context);
  return transfer.id;
}

describe('what the event said of a file', () => {
  const denied = sharedFile({ fileAccess: 'access_denied', mode: 'file_access', url: null });

  it('holds for the first try, and Slack is asked anew for the next', async () => {
    const shareId = await recordFile(denied);
    const context = contextWith({
      uploadFile: () => Promise.reject(new ServiceError('SERVICE_FAILED', '503', LATER)),
    });
    context.workspace.fileInfo = async () => sharedFile();
    await run(context);
    const [refused] = await ledger.transfersOfShare(shareId);
    expect(refused).toMatchObject({ state: 'refused', problem: 'SLACK_FILE_DENIED' });
    await ledger.retryShare(shareId, clock.now());
    await run(context);
    const [retried] = await ledger.transfersOfShare(shareId);
    expect(retried).toMatchObject({ state: 'recorded', problem: 'SERVICE_FAILED' });
  });

  it('holds on when Slack says the same', async () => {
    const shareId = await recordFile(denied);
    const context = contextWith({});
    context.workspace.fileInfo = async () => denied;
    await run(context);
    await ledger.retryShare(shareId, clock.now());
    await run(context);
    const [refused] = await ledger.transfersOfShare(shareId);
    expect(refused).toMatchObject({ state: 'refused', problem: 'SLACK_FILE_DENIED' });
  });
});

describe('a large file', () => {
  it('is handed back, its attempt not counted, while there is no place for it', async () => {
    const shareId = await recordFile(sharedFile({ size: 100 * MIB }));
    const uploads: string[] = [];
    const context = contextWith({
      uploadFile: async (_project, { name }) => {
        uploads.push(name);
        throw new Error('enough');
      },
    });
    const other = context.largeFiles.enter({ id: 99, queue: 'T1/C2' }, NOW);
    await run(context);
    expect(uploads).toEqual([]);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([
      { state: 'recorded', attempts: 0, failures: 0, leaseToken: null, nextAt: NOW + 2_000 },
    ]);
    if ('leave' in other) other.leave();
    await clock.advance(2_000);
    await run(context);
    expect(uploads).toEqual(['report.pdf']);
    expect(context.largeFiles.enter({ id: 98, queue: 'T1/C2' }, clock.now())).toHaveProperty(
      'leave',
    );
  });
});

describe('the progress of an upload', () => {
  it('is told from the opening to the end of each attempt, not between two', async () => {
    await recordFile(sharedFile({ size: 6 * MIB }));
    const shown: (number | undefined)[] = [];
    const context = contextWith({
      uploadFile: async (_project, { open, onProgress, onEnd }, { signal }) => {
        const look = () => shown.push(context.progress.of(1)?.sentBytes);
        look();
        await open(signal ?? new AbortController().signal);
        look();
        onProgress?.(3 * MIB);
        look();
        onEnd?.();
        look();
        throw new Error('given up');
      },
    });
    expect(await run(context)).toBe(1);
    expect(shown).toEqual([undefined, 0, 3 * MIB, undefined]);
  });

  it('does not begin for a download that comes when the attempt was given up', async () => {
    await recordFile(sharedFile({ size: 6 * MIB }));
    const context = contextWith({
      uploadFile: async (_project, { open }) => {
        await open(AbortSignal.abort());
        throw new Error('given up');
      },
    });
    expect(context.progress.of(await run(context))).toBeNull();
  });
});

describe('a Slack file', () => {
  it('is as the event said at the first try, and as Slack says at each later one', async () => {
    await recordFile(sharedFile({ size: 10 }));
    const opened: (string | null)[] = [];
    const context = contextWith({
      uploadFile: async (_project, { open }, { signal }) => {
        await open(signal ?? new AbortController().signal);
        throw new Error('given up');
      },
    });
    context.workspace = {
      fileInfo: async (file) => ({ ...file, url: 'https://files.slack.com/moved' }),
      download: async ({ url }) => {
        opened.push(url);
        return { stream: Readable.from([]), size: 10 };
      },
    };
    await run(context);
    await clock.advance(60_000);
    await run(context);
    expect(opened).toEqual([sharedFile().url, 'https://files.slack.com/moved']);
  });
});

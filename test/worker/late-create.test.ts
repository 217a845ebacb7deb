import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_OPTIONS } from '../../src/app-options.ts';
import { type FileRecord, type ServiceClient, ServiceError } from '../../src/service/index.ts';
import type { Workspace } from '../../src/slack/index.ts';
import { filing, JobLoop } from '../../src/worker/index.ts';
import { recording } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { contextOf } from './context-of.ts';
import { freeSlot } from './model-service.ts';

const { requestTimeoutMs, settleMs } = DEFAULT_OPTIONS;

/** A service whose first create takes effect late, and which accepts an attachment twice. */
function lateService(clock: FakeClock, records: FileRecord[], landsAfterMs: number) {
  const land = (byteSize: number, name: string) => {
    const made = { id: records.length + 1, name, byteSize, createdAt: clock.now() };
    records.push(made as FileRecord);
    return made as FileRecord;
  };
  let creates = 0;
  return {
    uploadFile: async () => ({ attachmentId: 7, sentBytes: 10, serviceTime: clock.now() }),
    listFiles: async () => ({
      files: [...records],
      unreadable: 0,
      serviceTime: clock.now(),
      fetchedAt: clock.now(),
      complete: true,
    }),
    listFolders: async () => null,
    hasListedFolders: () => false,
    creators: new Set(),
    bulkSlot: async () => freeSlot,
    createFiles: async ({ attachments: [file] }) => {
      const { name, byteSize } = file ?? expect.unreachable('it has an attachment');
      creates += 1;
      if (creates > 1) return [land(byteSize, name)];
      void clock.sleep(landsAfterMs).then(() => land(byteSize, name));
      await clock.sleep(requestTimeoutMs);
      const details = { retry: 'later', sent: 'unknown' } as const;
      throw new ServiceError('SERVICE_TIMEOUT', 'no answer', details);
    },
  } satisfies Partial<ServiceClient>;
}

it.each([80_000, 170_000])(
  'a create that lands %i ms after its request is found and not repeated',
  async (landsAfterMs) => {
    const clock = createFakeClock();
    const ledger = await openEmptyLedger(clock.now());
    const records: FileRecord[] = [];
    const { shareId } = await ledger.recordShare(recording({}, { now: clock.now() }));
    const workspace: Partial<Workspace> = {
      fileInfo: async (file) => file,
      download: async () => ({ stream: Readable.from([]), size: 10 }),
    };
    const context = contextOf({
      ...{ ledger, workspace, clock, settleMs },
      service: lateService(clock, records, landsAfterMs),
      random: { fraction: () => 0.5, id: randomUUID },
    });
    const tools = { ...context, leaseMs: 30_000, pollMs: 60_000 };
    const worker = new JobLoop(tools, [filing(context, 6)]);
    onTestFinished(async () => {
      await worker.stop(0);
      await ledger.close();
    });
    worker.start();
    for (let step = 0; step < 80; step += 1) await clock.advance(5_000);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'filed', recordId: 1 }]);
    expect(records).toHaveLength(1);
  },
);

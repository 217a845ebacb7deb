import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filing } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { fileRecord, freeSlot, recording, sharedFile } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { claimJob } from './claim-job.ts';
import { contextOf } from './context-of.ts';

const NOW = 1_700_000_000_000;
/** The pace of an account's limit: 25 requests in 10 s. */
const SLOT_EVERY_MS = 400;

let ledger: Ledger;
let clock: FakeClock;
beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
});
afterEach(() => ledger.close());

/** Shares so many files in each of these channels, which have a folder each. */
async function share(files: Record<string, number>): Promise<void> {
  for (const [nth, [channel, count]] of Object.entries(files).entries()) {
    const named = Array.from({ length: count }, (_, at) => `${channel} ${at}.pdf`);
    await ledger.recordShare({
      ...recording({
        channel,
        ts: `${clock.now()}.0`,
        files: named.map((name) => sharedFile({ id: name, name })),
      }),
      destination: { projectId: 1, folderId: nth + 1 },
      now: clock.now(),
    });
  }
}

/** Files everything, a request at each slot, after `meanwhile`; returns the uploads' channels. */
async function fileAll(
  meanwhile = async (_slot: number): Promise<void> => undefined,
): Promise<{ uploads: string[]; creates: number }> {
  const uploads: string[] = [];
  let attachments = 0;
  let creates = 0;
  const context = contextOf({
    ledger,
    clock,
    workspace: { download: async () => ({ stream: Readable.from([]), size: 10 }) },
    service: {
      bulkSlot: async () => freeSlot,
      creators: new Set(),
      uploadFile: async (_project, { name }) => {
        uploads.push(name.split(' ')[0] ?? '');
        attachments += 1;
        return { attachmentId: attachments, sentBytes: 10, serviceTime: clock.now() };
      },
      createFiles: async ({ attachments: sent }) => {
        creates += 1;
        return sent.map(({ attachmentId: id, name }) =>
          fileRecord({ id, name, byteSize: 10, createdAt: clock.now() }),
        );
      },
    },
  });
  const kind = filing(context, 1);
  for (let slot = 0; (await ledger.countActive()) > 0; slot += 1) {
    await meanwhile(slot);
    await clock.advance(SLOT_EVERY_MS);
    const job = await claimJob(kind, { now: clock.now() });
    await job?.();
  }
  return { uploads, creates };
}

describe('turns of the channels', () => {
  it('file many files of many channels with few creates', async () => {
    const channels = Array.from({ length: 30 }, (_, nth) => [`C${nth}`, 7] as const);
    await share(Object.fromEntries(channels));
    const { uploads, creates } = await fileAll();
    expect(uploads).toHaveLength(210);
    expect(creates).toBeLessThan(60);
  });

  it('let no channel wait for more than a few files of another', async () => {
    await share({ C1: 100, C2: 1, C3: 20 });
    const { uploads } = await fileAll();
    const turn = (channel: string, files: number) => Array.from({ length: files }, () => channel);
    const first = [...turn('C1', 8), 'C2', ...turn('C3', 8), ...turn('C1', 8), ...turn('C3', 8)];
    expect(uploads.slice(0, first.length)).toEqual(first);
  });

  it('come to each channel, however often another begins one', async () => {
    await share({ A: 0, B: 60, C: 1 });
    const { uploads } = await fileAll(async (slot) => {
      if (slot % 6 === 0 && slot < 60) await share({ A: 1 });
    });
    expect(uploads.indexOf('C')).toBeLessThan(20);
  });
});

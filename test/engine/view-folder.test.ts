import { expect, it } from 'vitest';
import { recordsBy } from '../../src/core/index.ts';
import { heldTransfer } from '../../src/engine/job.ts';
import { viewFolder } from '../../src/engine/view-folder.ts';
import type { Transfer } from '../../src/ledger/index.ts';
import type { FileRecord } from '../../src/service/index.ts';
import { DESTINATION, fileRecord } from '../support/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { contextOf } from './context-of.ts';

/** Returns the records that may be ours, in a folder where transfers hold none. */
async function freeOf(
  files: FileRecord[],
  creators = new Set<number>(),
  known = creators,
): Promise<number[]> {
  const asked: string[] = [];
  const transfer = { id: 1, destination: DESTINATION, creatingSince: 1 } as Partial<Transfer>;
  const reading = { folder: 5, complete: true, unreadable: 0, serviceTime: null, fetchedAt: 0 };
  const context = contextOf({
    clock: createFakeClock(),
    service: { creators },
    folders: { read: async () => reading },
    ledger: {
      openCreates: async () => {
        asked.push('open creates');
        return [transfer as Transfer];
      },
      unheldRecords: async (_destination, { id }) => {
        asked.push(`records of ${id}`);
        return files.map((file) => ({ ...file, firstSeen: 1, changedIn: 1, goneSince: null }));
      },
      knownCreators: async () => known,
    },
  });
  const held = { token: 't', signal: new AbortController().signal, leaseUntil: () => 0 };
  const looked = [heldTransfer(transfer as Transfer, held)];
  const { creators: ours, free } = await viewFolder(looked, [], context);
  // One that is filed in between must be in one of them.
  expect(asked).toEqual(['open creates', 'records of 5']);
  return recordsBy(ours, free).map(({ id }) => id);
}

it('viewFolder treats records by an earlier key’s user as possibly ours, as their create may be open', async () => {
  const by = (id: number, creatorId: number) => fileRecord({ id, creatorId });
  const files = [by(11, 5), by(13, 7), by(15, 9)];
  expect(await freeOf(files, new Set([7]), new Set([5]))).toEqual([11, 13]);
});

import { expect, it } from 'vitest';
import type { Transfer } from '../../src/ledger/index.ts';
import type { FileRecord } from '../../src/service/index.ts';
import { recordsBy } from '../../src/transfers/index.ts';
import { heldTransfer } from '../../src/worker/job.ts';
import { viewFolder } from '../../src/worker/view-folder.ts';
import { DESTINATION, fileRecord } from '../support/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { contextOf } from './context-of.ts';

/** Returns the records that may be ours, in a folder where transfers hold the even ids. */
async function freeOf(
  files: FileRecord[],
  creators = new Set<number>(),
  known = creators,
): Promise<number[]> {
  const asked: string[] = [];
  const transfer = { id: 1, destination: DESTINATION, creatingSince: 1 } as Partial<Transfer>;
  const context = contextOf({
    clock: createFakeClock(),
    service: {
      listFiles: async () => ({
        ...{ files, unreadable: 0, complete: true },
        ...{ serviceTime: null, fetchedAt: 0 },
      }),
      creators,
    },
    ledger: {
      openCreates: async () => {
        asked.push('open creates');
        return [transfer as Transfer];
      },
      heldRecords: async (_destination, least) => {
        asked.push('held records');
        const even = files.filter(({ id }) => id >= least && id % 2 === 0);
        const filed = { name: 'sent.pdf', state: 'filed' } as const;
        return new Map(even.map(({ id, byteSize }) => [id, { ...filed, byteSize: byteSize ?? 0 }]));
      },
      knownCreators: async () => known,
    },
  });
  const held = { token: 't', signal: new AbortController().signal, leaseUntil: () => 0 };
  const looked = [heldTransfer(transfer as Transfer, held)];
  const { creators: ours, free } = await viewFolder(looked, [], context);
  // One that is filed in between must be in one of them.
  expect(asked).toEqual(['open creates', 'held records']);
  const ids = recordsBy(ours, free).map(({ id }) => id);
  return ids.toSorted((a, b) => a - b);
}

it('viewFolder asks the ledger about every file of a large folder, whatever its id', async () => {
  const files = Array.from({ length: 2_500 }, (_, nth) => fileRecord({ id: nth + 1 }));
  const odd = files.map(({ id }) => id).filter((id) => id % 2 === 1);
  expect(await freeOf(files)).toEqual(odd);
});

it('viewFolder treats records by an earlier key’s user as possibly ours, as their create may be open', async () => {
  const by = (id: number, creatorId: number) => fileRecord({ id, creatorId });
  const files = [by(11, 5), by(13, 7), by(15, 9)];
  expect(await freeOf(files, new Set([7]), new Set([5]))).toEqual([11, 13]);
});

import { expect, it } from 'vitest';
import type { FileRecord } from '../../src/service/index.ts';
import { type FindAddedContext, findAdded } from '../../src/worker/find-added.ts';
import { fileRecord } from '../support/file-record.ts';

const FOLDER = { projectId: 1, folderId: 2 };
const SEEN = { lastRecord: 0, lastCreatedAt: null };
const files = (count: number): FileRecord[] =>
  Array.from({ length: count }, (_, nth) => fileRecord({ id: nth + 1, name: `${nth + 1}.pdf` }));

interface Account {
  /** What the folder holds. */
  listed: FileRecord[];
  ledger?: Partial<FindAddedContext['ledger']>;
  /** Called when the folder is listed. */
  onList?: () => void;
  /** Whether the folder is there; its copy says that it is. */
  isThere?: boolean;
}

function find({ listed, ledger = {}, onList, isThere = true }: Account) {
  const folder = { id: 2, name: 'Logos', level: 1, parentId: null, projectId: 1 };
  const context: FindAddedContext = {
    ledger: { filedRecords: async () => new Map(), unidentifiedIn: async () => [], ...ledger },
    service: {
      listFiles: async () => {
        onList?.();
        const list = { files: listed, complete: true, unreadable: 0 };
        return { ...list, serviceTime: null, fetchedAt: 0 };
      },
    },
    names: {
      people: async () => ({ list: null, fetchedAt: 0 }),
      folders: async (_project, { maxAgeMs = 1 }) => {
        const records = isThere || maxAgeMs > 0 ? [folder] : [];
        return { list: { records, complete: true }, fetchedAt: 0 };
      },
    },
  };
  return findAdded({ ...FOLDER, before: SEEN }, { lane: 'bulk' }, context);
}

it('what is shown for a folder that is gone by now is not taken for its files', async () => {
  expect(await find({ listed: files(1) })).toMatchObject({ added: { count: 1 } });
  expect(await find({ listed: files(1), isThere: false })).toBeNull();
});

it('what of ours began to be created while the folder was listed is known', async () => {
  const begun: { name: string; byteSize: number }[] = [];
  const onList = () => void begun.push({ name: '1.pdf', byteSize: 1 });
  const unidentifiedIn = async () => [...begun];
  const found = await find({ listed: files(1), onList, ledger: { unidentifiedIn } });
  expect(found).toMatchObject({ seen: { lastRecord: 1 }, added: null });
});

it('the ledger is asked of so many at a time as one statement may carry', async () => {
  const asked: number[] = [];
  const filedRecords = async (_folder: object, ids: number[]) => {
    asked.push(ids.length);
    return new Map();
  };
  const found = await find({ listed: files(2_500), ledger: { filedRecords } });
  expect(found?.added?.count).toBe(2_500);
  expect(asked).toEqual([1_000, 1_000, 500]);
});

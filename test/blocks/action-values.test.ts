import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  LONGEST_FILTER,
  readDeleteValue,
  readFoldersPageValue,
  readFolderValue,
  readPageValue,
  readProjectsPageValue,
  readReportValue,
  readShareValue,
  writeFilesPageValue,
  writeFileValue,
  writeFoldersPageValue,
  writeFolderValue,
  writeProjectsPageValue,
  writeReportValue,
  writeShareValue,
} from '../../src/blocks/action-values.ts';

const READERS = [
  readDeleteValue,
  readFolderValue,
  readFoldersPageValue,
  readPageValue,
  readProjectsPageValue,
  readReportValue,
  readShareValue,
];

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

it('reads what it wrote', () => {
  fc.assert(
    fc.property(id, id, id, (projectId, folderId, other) => {
      const folder = { projectId, folderId };
      const file = { ...folder, fileId: other, page: 3, filter: 'pdf' };
      expect(readDeleteValue(writeFileValue(file))).toEqual(file);
      expect(readFolderValue(writeFolderValue(folder))).toEqual(folder);
      const page = { projectId, page: other };
      expect(readFoldersPageValue(writeFoldersPageValue(page))).toEqual(page);
      expect(readProjectsPageValue(writeProjectsPageValue(other))).toBe(other);
      expect(readReportValue(writeReportValue(other))).toBe(other);
      expect(readShareValue(writeShareValue(other))).toBe(other);
    }),
  );
});

it('reads any filter back, within Slack’s limit', () => {
  const filters = fc.option(fc.string({ unit: 'binary', maxLength: 400 }));
  fc.assert(
    fc.property(id, filters, (number, filter) => {
      const claim = { projectId: number, folderId: number, page: number, filter };
      const value = writeFilesPageValue(claim);
      expect(value.length).toBeLessThanOrEqual(2000);
      const cut = filter?.slice(0, LONGEST_FILTER) ?? null;
      expect(readPageValue(value)).toEqual({ ...claim, filter: cut });
      const file = writeFileValue({ ...claim, fileId: number });
      expect(file.length).toBeLessThanOrEqual(2000);
      expect(readDeleteValue(file)).toEqual({ ...claim, fileId: number, filter: cut });
    }),
  );
});

it.each([
  undefined,
  null,
  7,
  '',
  'delete',
  '{',
  'null',
  '[]',
  '{}',
  '{"p":1}',
  '{"p":"1","f":"2","id":"3","page":"1","share":"1","report":"1"}',
  '{"p":1.5,"f":0,"id":-3,"page":0,"q":null,"share":0,"report":-1}',
  '{"p":1e300,"f":1,"id":1e300,"page":1e300,"q":null,"share":1e300,"report":1e300}',
])('answers null to %j', (nonsense) => {
  expect(READERS.map((read) => read(nonsense))).toEqual(READERS.map(() => null));
});

it('answers null, and does not throw, to anything', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), fc.json()), (value) => {
      for (const read of READERS) expect(() => read(value)).not.toThrow();
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  attentionValue,
  channelValue,
  copiesValue,
  filesPageValue,
  fileValue,
  foldersPageValue,
  folderValue,
  foundPageValue,
  MAX_FILTER_LENGTH,
  projectsPageValue,
  reportValue,
  shareValue,
} from '../../src/blocks/actions.ts';
import { anyCharacter } from '../support/odd-names.ts';

const VALUES = [
  attentionValue,
  channelValue,
  copiesValue,
  fileValue,
  folderValue,
  foldersPageValue,
  foundPageValue,
  filesPageValue,
  projectsPageValue,
  reportValue,
  shareValue,
];

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

it('a button’s value is read back as it was written', () => {
  fc.assert(
    fc.property(id, id, id, (projectId, folderId, other) => {
      const folder = { projectId, folderId };
      const file = { ...folder, fileId: other, page: 3, filter: 'pdf' };
      expect(fileValue.read(fileValue.write(file))).toEqual(file);
      expect(folderValue.read(folderValue.write(folder))).toEqual(folder);
      const page = { projectId, page: other };
      expect(foldersPageValue.read(foldersPageValue.write(page))).toEqual(page);
      const [projects, report, share] = [{ page: other }, { reportId: other }, { shareId: other }];
      expect(projectsPageValue.read(projectsPageValue.write(projects))).toEqual(projects);
      expect(reportValue.read(reportValue.write(report))).toEqual(report);
      expect(shareValue.read(shareValue.write(share))).toEqual(share);
      const copies = { ...share, askedAt: projectId, channel: 'C1' };
      expect(copiesValue.read(copiesValue.write(copies))).toEqual(copies);
      for (const channel of ['C1', null]) {
        expect(channelValue.read(channelValue.write({ channel }))).toEqual({ channel });
        const place = { channel, page: other, linksPage: projectId };
        expect(attentionValue.read(attentionValue.write(place))).toEqual(place);
      }
      const found = { words: 'plan b', kind: null, page: other };
      expect(foundPageValue.read(foundPageValue.write(found))).toEqual(found);
    }),
  );
});

it('a button’s value keeps 255 characters of a filter, within Slack’s limit of 2,000', () => {
  const long = { maxLength: 400, size: 'max' as const };
  const filters = fc.option(fc.string({ unit: anyCharacter, ...long }));
  fc.assert(
    fc.property(id, filters, (number, filter) => {
      const claim = { page: number, filter };
      const value = filesPageValue.write(claim);
      expect(value.length).toBeLessThanOrEqual(2000);
      const one = { projectId: number, folderId: number, fileId: number };
      const cut = filter?.slice(0, MAX_FILTER_LENGTH) ?? null;
      expect(filesPageValue.read(value)).toEqual({ ...claim, filter: cut });
      const file = fileValue.write({ ...claim, ...one });
      expect(file.length).toBeLessThanOrEqual(2000);
      expect(fileValue.read(file)).toEqual({ ...claim, ...one, filter: cut });
    }),
  );
});

it('a button’s value with a longer filter than is ever written is read as null', () => {
  const value = (length: number) =>
    JSON.stringify({ p: 1, f: 2, page: 1, id: 3, q: 'x'.repeat(length) });
  for (const { read } of [filesPageValue, fileValue]) {
    expect(read(value(MAX_FILTER_LENGTH))).not.toBeNull();
    expect(read(value(MAX_FILTER_LENGTH + 1))).toBeNull();
  }
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
  '{"p":1.5,"f":0,"id":-3,"page":0,"q":null,"share":0,"report":-1,"c":7,"k":"odd","links":0}',
  '{"p":1e300,"f":1,"id":1e300,"page":1e300,"q":null,"share":1e300,"report":1e300,"c":{}}',
])('a button’s value of %j is read as null', (nonsense) => {
  expect(VALUES.map(({ read }) => read(nonsense))).toEqual(VALUES.map(() => null));
});

it('reading a button’s value never throws, whatever the value is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), fc.json()), (value) => {
      for (const { read } of VALUES) expect(() => read(value)).not.toThrow();
    }),
  );
});

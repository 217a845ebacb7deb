import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ACTIONS, type Action, MAX_FILTER_LENGTH, PAGE_ACTIONS } from '../../src/blocks/actions.ts';
import { anyCharacter } from '../support/odd-names.ts';

const ALL = [
  ...Object.values(ACTIONS),
  ...Object.values(PAGE_ACTIONS).flatMap((list) => Object.values(list)),
];

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

const isKept = <T>({ read, write }: Action<T>, claim: T) =>
  expect(read(write(claim))).toEqual(claim);

it('a button’s value is read back as it was written', () => {
  fc.assert(
    fc.property(id, id, id, (projectId, folderId, other) => {
      const folder = { projectId, folderId };
      const file = { ...folder, fileId: other, page: 3, filter: 'pdf' };
      isKept(ACTIONS.deleteFile, file);
      isKept(ACTIONS.linkFolder, folder);
      isKept(ACTIONS.foldersOfProject, { projectId, page: other });
      isKept(ACTIONS.allProjects, { page: other });
      isKept(ACTIONS.backfillStop, { reportId: other });
      isKept(ACTIONS.retryShare, { shareId: other });
      isKept(ACTIONS.keepCopies, { shareId: other, askedAt: projectId, channel: 'C1' });
      for (const channel of ['C1', null]) {
        isKept(ACTIONS.linkChannel, { channel });
        isKept(ACTIONS.attentionSkip, { channel, page: other, linksPage: projectId });
      }
      isKept(ACTIONS.foundKind, { words: 'plan b', kind: null, page: other });
    }),
  );
});

it('a button’s value keeps 255 characters of a filter, within Slack’s limit of 2,000', () => {
  const long = { maxLength: 400, size: 'max' as const };
  const filters = fc.option(fc.string({ unit: anyCharacter, ...long }));
  fc.assert(
    fc.property(id, filters, (number, filter) => {
      const claim = { page: number, filter };
      const value = ACTIONS.filesShowAll.write(claim);
      expect(value.length).toBeLessThanOrEqual(2000);
      const one = { projectId: number, folderId: number, fileId: number };
      const cut = filter?.slice(0, MAX_FILTER_LENGTH) ?? null;
      expect(ACTIONS.filesShowAll.read(value)).toEqual({ ...claim, filter: cut });
      const file = ACTIONS.deleteFile.write({ ...claim, ...one });
      expect(file.length).toBeLessThanOrEqual(2000);
      expect(ACTIONS.deleteFile.read(file)).toEqual({ ...claim, ...one, filter: cut });
    }),
  );
});

it('a button’s value with a longer filter than is ever written is read as null', () => {
  const value = (length: number) =>
    JSON.stringify({ p: 1, f: 2, page: 1, id: 3, q: 'x'.repeat(length) });
  for (const { read } of [ACTIONS.filesShowAll, ACTIONS.deleteFile]) {
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
  expect(ALL.map(({ read }) => read(nonsense))).toEqual(ALL.map(() => null));
});

it('reading a button’s value never throws, whatever the value is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), fc.json()), (value) => {
      for (const { read } of ALL) expect(() => read(value)).not.toThrow();
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DELETE_FILE } from '../../../src/surfaces/delete/actions.ts';
import { KEEP_COPIES } from '../../../src/surfaces/deleted-in-slack/actions.ts';
import { SHOW_ALL_FILES } from '../../../src/surfaces/files/actions.ts';
import { FOUND_KIND } from '../../../src/surfaces/find/actions.ts';
import {
  ALL_PROJECTS,
  FOLDERS_OF_PROJECT,
  LINK_FOLDER,
} from '../../../src/surfaces/folders/actions.ts';
import { type Action, MAX_FILTER_LENGTH } from '../../../src/surfaces/kit/claims.ts';
import { BACKFILL_STOP, LINK_CHANNEL } from '../../../src/surfaces/link/actions.ts';
import { RETRY_SHARE } from '../../../src/surfaces/share-line/actions.ts';
import { ATTENTION_SKIP } from '../../../src/surfaces/status/actions.ts';
import { EVERY_ACTION } from '../../support/every-action.ts';
import { anyCharacter } from '../../support/odd-names.ts';

const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

const isKept = <T>({ read, write }: Action<T>, claim: T) =>
  expect(read(write(claim))).toEqual(claim);

it('a button’s value is read back as it was written', () => {
  fc.assert(
    fc.property(id, id, id, (projectId, folderId, other) => {
      const folder = { projectId, folderId };
      const file = { ...folder, fileId: other, page: 3, filter: 'pdf' };
      isKept(DELETE_FILE, file);
      isKept(LINK_FOLDER, { ...folder, page: 1, was: '1/2' });
      isKept(FOLDERS_OF_PROJECT, { projectId, page: other });
      isKept(ALL_PROJECTS, { page: other });
      isKept(BACKFILL_STOP, { reportId: other });
      isKept(RETRY_SHARE, { shareId: other });
      isKept(KEEP_COPIES, { shareId: other, askedAt: projectId, channel: 'C1' });
      for (const channel of ['C1', null]) {
        isKept(LINK_CHANNEL, { channel });
        isKept(ATTENTION_SKIP, { channel, page: other, linksPage: projectId, shown: other });
      }
      isKept(FOUND_KIND, { words: 'plan b', kind: null, page: other });
    }),
  );
});

it('a button’s value keeps 255 characters of a filter, within Slack’s limit of 2,000', () => {
  const long = { maxLength: 400, size: 'max' as const };
  const filters = fc.option(fc.string({ unit: anyCharacter, ...long }));
  fc.assert(
    fc.property(id, filters, (number, filter) => {
      const claim = { page: number, filter };
      const value = SHOW_ALL_FILES.write(claim);
      expect(value.length).toBeLessThanOrEqual(2000);
      const one = { projectId: number, folderId: number, fileId: number };
      const cut = filter?.slice(0, MAX_FILTER_LENGTH) ?? null;
      expect(SHOW_ALL_FILES.read(value)).toEqual({ ...claim, filter: cut });
      const file = DELETE_FILE.write({ ...claim, ...one });
      expect(file.length).toBeLessThanOrEqual(2000);
      expect(DELETE_FILE.read(file)).toEqual({ ...claim, ...one, filter: cut });
    }),
  );
});

it('a button’s value with a longer filter than is ever written is read as null', () => {
  const value = (length: number) =>
    JSON.stringify({ p: 1, f: 2, page: 1, id: 3, q: 'x'.repeat(length) });
  for (const { read } of [SHOW_ALL_FILES, DELETE_FILE]) {
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
  expect(EVERY_ACTION.map(({ read }) => read(nonsense))).toEqual(EVERY_ACTION.map(() => null));
});

it('reading a button’s value never throws, whatever the value is', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.string(), fc.json()), (value) => {
      for (const { read } of EVERY_ACTION) expect(() => read(value)).not.toThrow();
    }),
  );
});

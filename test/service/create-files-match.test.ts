import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchCreated } from '../../src/service/create-files.ts';
import type { FileRecord } from '../../src/service/json.ts';
import { fileRecord } from '../support/builders.ts';

const SENT_AT = Date.UTC(2026, 0, 5, 9, 0, 30);

function made(id: number, name: string, byteSize: number | null): FileRecord {
  return fileRecord({ id, name, byteSize });
}

function madeAt(id: number, name: string, createdAt: number, byteSize = 99): FileRecord {
  return { ...made(id, name, byteSize), createdAt };
}

function ids(
  sought: [string, number][],
  records: FileRecord[],
  isCreated = true,
): (number | null)[] {
  const named = sought.map(([name, byteSize]) => ({ name, byteSize }));
  return matchCreated(named, { records, isCreated, sentAt: SENT_AT }).map(
    (record) => record?.id ?? null,
  );
}

describe('matchCreated', () => {
  test.each<[string, [string, number][], FileRecord[], (number | null)[]]>([
    ['one for one: of its size', [['a', 1]], [made(1, 'b', 1)], [1]],
    ['one for one: of its name', [['a', 1]], [made(1, 'a', 2)], [1]],
    ['one for one: new', [['a', 1]], [madeAt(1, 'b', SENT_AT)], [1]],
    ['one for one: nothing of it, and no time', [['a', 1]], [made(1, 'b', 2)], [null]],
    [
      'one for one: nothing of it, and old',
      [['a', 1]],
      [madeAt(1, 'b', SENT_AT - 360_000)],
      [null],
    ],
    ['a name written as HTML', [['R&D', 1]], [made(1, 'R&amp;D', 1)], [1]],
    [
      'a whole folder: neither old ones of its size nor of its name',
      [['a', 1]],
      [madeAt(1, 'x', SENT_AT - 360_000, 1), madeAt(2, 'a', SENT_AT - 360_000, 7)],
      [null],
    ],
    [
      'all renamed, of one size: in order',
      [
        ['a', 1],
        ['b', 1],
      ],
      [made(7, 'y', 1), made(5, 'x', 1)],
      [5, 7],
    ],
    [
      'all renamed, no size told: in order',
      [
        ['a', 1],
        ['b', 2],
      ],
      [made(7, 'y', null), made(5, 'x', null)],
      [5, 7],
    ],
    [
      'one of two renamed ones of a size: nobody can tell',
      [
        ['a', 1],
        ['b', 1],
      ],
      [made(5, 'x', 1)],
      [null, null],
    ],
    [
      'in any order',
      [
        ['a', 1],
        ['b', 1],
      ],
      [made(1, 'b', 1), made(2, 'a', 1)],
      [2, 1],
    ],
    [
      'either form of a letter',
      [
        ['ü', 1],
        ['b', 1],
      ],
      [made(1, 'u\u0308', 1), made(2, 'b', 1)],
      [1, 2],
    ],
    [
      'one for many',
      [
        ['a', 1],
        ['b', 1],
      ],
      [made(1, 'b', 1)],
      [null, 1],
    ],
    [
      'a size that is not told',
      [
        ['a', 1],
        ['b', 1],
      ],
      [made(1, 'b', null), made(2, 'a', 1), made(3, 'c', 1)],
      [2, 1],
    ],
    [
      'two of one name whose sizes are not told: in order',
      [
        ['a', 1],
        ['a', 2],
      ],
      [made(2, 'a', null), made(1, 'a', null)],
      [1, 2],
    ],
    ['none', [['a', 1]], [], [null]],
    [
      'records of others beside',
      [
        ['a', 1],
        ['b', 1],
      ],
      [made(9, 'c', 1), made(1, 'a', 1), made(2, 'b', 1)],
      [1, 2],
    ],
    ['older namesakes beside: the newest', [['a', 1]], [made(1, 'a', 1), made(7, 'a', 1)], [7]],
    [
      'a name that was changed',
      [
        ['a', 1],
        ['b', 2],
      ],
      [made(1, 'a', 1), made(2, 'b (1)', 2)],
      [1, 2],
    ],
    [
      'a size that was changed',
      [
        ['a', 1],
        ['b', 2],
      ],
      [made(1, 'a', 1), made(2, 'b', 3)],
      [1, 2],
    ],
    [
      'two changed names of one size: each by its own',
      [
        ['a', 1],
        ['b', 1],
      ],
      [made(2, 'a (1)', 1), made(1, 'b (1)', 1)],
      [2, 1],
    ],
    [
      'strangers beside, one of the same size',
      [
        ['a', 1],
        ['b', 2],
      ],
      [made(1, 'a', 1), made(2, 'x', 2), made(3, 'y', 3)],
      [1, null],
    ],
    [
      'a stranger of the same size',
      [
        ['a', 1],
        ['b', 2],
      ],
      [made(1, 'a', 1), made(2, 'x', 2), made(3, 'y', 2)],
      [1, null],
    ],
  ])('pairs files with records in the case: %s', (_what, sought, records, expected) => {
    expect(ids(sought, records)).toEqual(expected);
  });

  test('gives each file its own record, in whatever order and batch the records come', () => {
    const files = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.nat(3)), {
      selector: ([name, size]) => `${size}/${name.normalize('NFC').trim()}`,
      minLength: 2,
      maxLength: 12,
    });
    fc.assert(
      fc.property(files, fc.nat(), (sought, seed) => {
        const records = sought.map(([name, size], index) => made(index, name, size));
        const shuffled = records
          .map((record, index) => ({ record, key: (index * 7919 + seed) % 104_729 }))
          .sort((a, b) => a.key - b.key)
          .map(({ record }) => record);
        expect(ids(sought, shuffled)).toEqual(records.map(({ id }) => id));
      }),
    );
  });
});

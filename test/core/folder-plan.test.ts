import { describe, expect, it } from 'vitest';
import { nextInFolder } from '../../src/core/index.ts';

type Unfiled = Parameters<typeof nextInFolder>[0][number];

const NOW = 100_000;
const LOOK_AGAIN_MS = 30_000;

let last = 0;
function unfiled(given: Partial<Unfiled> = {}): Unfiled {
  last += 1;
  return {
    ...{ id: last, state: 'uploaded', name: `${last}.pdf`, byteSize: 10, alone: 0 },
    ...{ creatingSince: null, nextTryAt: null, earlier: null, problem: null },
    ...given,
  };
}
const open = (given: Partial<Unfiled> = {}) =>
  unfiled({ state: 'creating', creatingSince: 1, ...given });

const planOf = (files: readonly Unfiled[], attempts = 1) =>
  nextInFolder(files, { now: NOW, attempts });

describe('nextInFolder', () => {
  it('has nothing to do in a folder whose files are all filed', () => {
    expect(planOf([])).toEqual({ look: [], create: [], seek: [], blocked: [], dueAt: null });
  });

  it('looks for all open creates that may be tried, and says what to create after that', () => {
    const ready = unfiled();
    const looks = [
      open(),
      open({ state: 'created' }),
      open({ nextTryAt: NOW }),
      open({ nextTryAt: NOW - 1 }),
    ];
    const later = open({ nextTryAt: NOW + 1 });
    const plan = planOf([ready, ...looks, later]);
    expect(plan.look).toEqual(looks);
    expect(plan.dueAt).toBe(NOW);
  });

  it('looks for what history brought once there is nothing to create', () => {
    const sought = unfiled({ state: 'recorded', earlier: 'look' });
    const later = unfiled({ earlier: 'look', nextTryAt: NOW + 1 });
    expect(planOf([sought, later])).toMatchObject({ seek: [sought], create: [], dueAt: NOW });
    expect(planOf([later])).toMatchObject({ seek: [], dueAt: NOW + 1 });
    for (const other of [unfiled(), open()])
      expect(planOf([sought, other])).toMatchObject({ seek: [], blocked: [], dueAt: NOW });
  });

  it('creates no attachment that is to be looked for first', () => {
    const sought = unfiled({ earlier: 'look' });
    expect(planOf([sought])).toMatchObject({ create: [], seek: [sought], dueAt: NOW });
  });

  it('never looks for a refused one: that waits for a person', () => {
    expect(planOf([open({ state: 'refused' })])).toMatchObject({ look: [], dueAt: null });
  });

  it('covers at most 500 open creates with one look', () => {
    const looks = Array.from({ length: 501 }, () => open());
    expect(planOf(looks).look).toEqual(looks.slice(0, 500));
  });

  it('creates at most a hundred attachments together, the first recorded', () => {
    const files = Array.from({ length: 130 }, () => unfiled());
    const plan = planOf(files);
    expect(plan.create).toEqual(files.slice(0, 100));
    expect(plan.dueAt).toBe(NOW);
  });

  it('creates one that was told of another of its name and size once that is settled', () => {
    const told = { nextTryAt: NOW + 1, problem: 'TWIN_UNCONFIRMED', name: 'twin.pdf' } as const;
    const waiting = unfiled(told);
    const other = open({ name: 'twin.pdf', nextTryAt: NOW + 5 });
    expect(planOf([waiting, other])).toMatchObject({ create: [], blocked: [], dueAt: NOW + 1 });
    expect(planOf([waiting])).toMatchObject({ create: [waiting], dueAt: NOW });
    expect(planOf([unfiled({ ...told, problem: 'SERVICE_FAILED' })]).create).toEqual([]);
  });

  it('creates only what may be tried by now', () => {
    const files = [null, NOW, NOW - 1, NOW + 1].map((nextTryAt) => unfiled({ nextTryAt }));
    expect(planOf(files).create).toEqual(files.slice(0, 3));
  });

  it.each([
    ['the same', 'R&D.pdf', 'R&D.pdf'],
    ['an escaped form of the other', 'R&amp;D.pdf', 'R&D.pdf'],
  ])('creates none together whose size is equal and whose name is %s', (_how, one, other) => {
    const files = [unfiled({ name: one }), unfiled(), unfiled({ name: other })];
    const plan = planOf(files);
    expect(plan.create).toEqual(files.slice(0, 2));
    expect(plan).toMatchObject({ blocked: [], dueAt: NOW });
  });

  it('creates files together that differ in size or name', () => {
    const files = [
      unfiled({ name: 'a.pdf' }),
      unfiled({ name: 'a.pdf', byteSize: 11 }),
      unfiled({ name: 'b.pdf' }),
    ];
    expect(planOf(files).create).toEqual(files);
  });

  it.each([
    ['open', open({ name: 'R&D.pdf' })],
    ['open, and not to be looked for yet', open({ name: 'R&D.pdf', nextTryAt: NOW + 90_000 })],
    ['without its record', open({ name: 'R&D.pdf', state: 'created' })],
    ['refused, and may be in the folder', open({ name: 'R&D.pdf', state: 'refused' })],
  ])('creates none while one that looks alike is %s', (_how, by) => {
    const [one, free] = [unfiled({ name: 'R&amp;D.pdf' }), unfiled()];
    const plan = planOf([by, one, free]);
    expect(plan.blocked).toEqual([{ one, by }]);
    expect(plan.create).toEqual([free]);
  });

  it('blocks none that waits for something else, or is like one that waits only for its turn', () => {
    const waits = unfiled({ name: 'a.pdf', nextTryAt: NOW + 5_000 });
    expect(planOf([open({ name: 'a.pdf', nextTryAt: NOW + 9_000 }), waits])).toMatchObject({
      ...{ blocked: [], create: [], dueAt: NOW + 5_000 },
    });
    const free = unfiled({ name: 'a.pdf' });
    expect(planOf([waits, free])).toMatchObject({ blocked: [], create: [free] });
  });

  it('creates a file by itself whose batch was refused, in its turn', () => {
    const files = [unfiled({ alone: 1 }), unfiled({ alone: 1 }), unfiled()];
    expect(planOf(files).create).toEqual(files.slice(0, 1));
    const [first, alone, second] = [unfiled(), unfiled({ alone: 1 }), unfiled()];
    expect(planOf([first, alone, second]).create).toEqual([first, second]);
    expect(planOf([alone]).create).toEqual([alone]);
  });

  it('creates one at a time, the least recently tried, after the folder’s job has died three times', () => {
    const files = [
      unfiled({ creatingSince: 300 }),
      unfiled({ creatingSince: 100 }),
      unfiled({ creatingSince: 200 }),
    ];
    expect(planOf(files, 3).create).toEqual(files);
    expect(planOf(files, 4).create).toEqual([files[1]]);
    const untried = unfiled();
    expect(planOf([...files, untried], 4).create).toEqual([untried]);
    const blocked = unfiled({ name: 'a.pdf' });
    expect(planOf([open({ name: 'a.pdf', nextTryAt: NOW + 1 }), blocked], 4).create).toEqual([]);
  });

  describe('says that the folder is due', () => {
    const alike = { name: 'a.pdf' };
    it.each<[string, Unfiled[], number | null]>([
      ['now for a create', [unfiled(), unfiled({ nextTryAt: NOW + 5 })], NOW],
      ['now for a look', [open(), unfiled({ nextTryAt: NOW + 5 })], NOW],
      [
        'when the first that waits may be tried',
        [unfiled({ nextTryAt: NOW + 9_000 }), open({ nextTryAt: NOW + 7_000 })],
        NOW + 7_000,
      ],
      [
        'after half a minute for one that waits for a refused one',
        [open({ ...alike, state: 'refused' }), unfiled(alike)],
        NOW + LOOK_AGAIN_MS,
      ],
      [
        'as soon as the one that another waits for may be looked for',
        [open({ ...alike, nextTryAt: NOW + 7_000 }), unfiled(alike)],
        NOW + 7_000,
      ],
      [
        'after half a minute for one that waits for one that waits for longer',
        [open({ ...alike, nextTryAt: NOW + 90_000 }), unfiled(alike)],
        NOW + LOOK_AGAIN_MS,
      ],
      [
        'never for refused ones, whatever they waited for',
        [open({ state: 'refused', nextTryAt: NOW + 5 })],
        null,
      ],
    ])('%s', (_when, files, dueAt) => {
      expect(planOf(files).dueAt).toBe(dueAt);
    });
  });
});

import { describe, expect, it } from 'vitest';
import {
  folderOptions,
  folderTree,
  type ListedFolder,
  type ListedProject,
  listedProjects,
  noOptions,
  projectOptions,
  searchedFolder,
  searchedProject,
  topFolder,
} from '../../src/blocks/index.ts';
import { optionProblems } from '../support/block-kit-limits.ts';
import { ODD_NAMES } from '../support/odd-names.ts';

const folder = (id: number, name: string, parentId: number | null = null) => {
  return { id, name, level: parentId === null ? 1 : 2, parentId };
};
const foldersIn = (listed: ListedFolder[]) => folderTree(listed).map(searchedFolder);
const projectsIn = (listed: ListedProject[]) => listedProjects(listed).map(searchedProject);
const DESIGN = folder(1, 'Design');
const LOGOS = folder(2, 'Logos', 1);
const complete = true;
const words = (options: ReturnType<typeof folderOptions>) => options.map(({ text }) => text.text);

describe('folders to choose from', () => {
  it('are found by words of their own and their parents’ names, in any order', () => {
    const search = (typed: string) =>
      words(
        folderOptions({
          records: foldersIn([LOGOS, DESIGN, folder(3, 'Copy')]),
          complete,
          typed,
          newName: null,
        }),
      );
    expect(search('logo des')).toEqual(['Design › Logos']);
    expect(search('design > logos')).toEqual(['Design › Logos']);
    expect(search('')).toEqual(['Copy', 'Design', 'Design › Logos']);
    expect(search('nothing')).toEqual([]);
  });

  it('begin with a new one, or end with it in a search, unless a top folder has its name', () => {
    const options = (newName: string) =>
      folderOptions({ records: foldersIn([DESIGN, LOGOS]), complete, typed: '', newName });
    expect(options('general')[0]).toMatchObject({ value: 'new' });
    const found = folderOptions({
      records: foldersIn([DESIGN, LOGOS]),
      complete,
      typed: 'logos',
      newName: 'general',
    });
    expect(words(found)).toEqual(['Design › Logos', 'New folder “general”']);
    expect(words(options('Logos'))[0]).toBe('Design');
    expect(words(options('Design'))[0]).toBe('Design');
  });

  it('begin with the exact match, then those whose names begin with what was typed', () => {
    const inner = Array.from({ length: 300 }, (_, n) => folder(n + 10, `Invoices ${n}`, 1));
    const list = [folder(1, 'Archive'), ...inner, folder(2, 'Old invoices'), folder(3, 'Invoices')];
    const search = (typed: string) =>
      words(folderOptions({ records: foldersIn(list), complete, typed, newName: 'general' }));
    expect(search('invoices').slice(0, 2)).toEqual(['Invoices', 'Archive › Invoices 0']);
    expect(search('INVOICES ')[0]).toBe('Invoices');
    expect(search('archive/invoices 299')[0]).toBe('Archive › Invoices 299');
    expect(search('archive')[0]).toBe('Archive');
    expect(search('old')[0]).toBe('Old invoices');
    expect(search('3')[0]).toBe('Invoices');
  });

  it('say how many more there are, or that some may not have been read', () => {
    const list = Array.from({ length: 150 }, (_, n) => folder(n + 1, `Plan ${n}`));
    const search = (typed: string, whole: boolean) =>
      folderOptions({ records: foldersIn(list), complete: whole, typed, newName: 'general' });
    const [typed, untyped] = [search('plan', true), search('', true)];
    const more = { text: { text: '… and 52 more. Type more to find them.' }, value: 'none' };
    expect([typed.length, untyped.length]).toEqual([100, 100]);
    expect(typed.at(-2)).toMatchObject(more);
    expect(untyped.at(-1)).toMatchObject(more);
    const none = words(search('nowhere', true));
    expect(none).toEqual(['New folder “general”']);
    expect(words(search('nowhere', false))).toEqual([
      'There may be more than I could read. Give the address below.',
      ...none,
    ]);
  });

  it('keep the own name of a deeply nested folder', () => {
    const deep = Array.from({ length: 9 }, (_, n) => folder(n + 1, `A long name ${n}`, n || null));
    const [found] = words(
      folderOptions({ records: foldersIn(deep), complete, typed: '9', newName: null }),
    );
    expect(found).toBe('… › A long name 8');
  });

  it.each([0, 1, 60, 4_000])('are valid for Slack if there are %i with odd names', (count) => {
    for (const name of ODD_NAMES) {
      const folders = Array.from({ length: count }, (_, n) =>
        folder(n + 1, name, n % 8 ? n : null),
      );
      const projects = folders.map(({ id }) => ({ id, title: name, archived: false }));
      expect(
        optionProblems(
          folderOptions({ records: foldersIn(folders), complete: false, typed: '', newName: name }),
        ),
      ).toEqual([]);
      expect(
        optionProblems(projectOptions({ records: projectsIn(projects), complete, typed: '' })),
      ).toEqual([]);
    }
    expect(optionProblems([...noOptions('not-yet')])).toEqual([]);
  });
});

it('archived projects are not offered', () => {
  const projects = [
    { id: 1, title: 'Old', archived: true },
    { id: 2, title: 'New', archived: false },
  ];
  expect(words(projectOptions({ records: projectsIn(projects), complete, typed: '' }))).toEqual([
    'New',
  ]);
});

it('projects begin with the exact match, and end with a count of those left out', () => {
  const many = Array.from({ length: 120 }, (_, n) => ({
    ...{ id: n + 10, title: `A plan ${n}`, archived: false },
  }));
  const list = [...many, { id: 1, title: 'Plan', archived: false }];
  const found = words(projectOptions({ records: projectsIn(list), complete, typed: 'plan' }));
  expect(found[0]).toBe('Plan');
  expect(found).toHaveLength(100);
  expect(found.at(-1)).toBe('… and 22 more. Type more to find them.');
});

it('topFolder looks at the second level only if the first has a single folder', () => {
  const inside = folder(5, 'general', 1);
  expect(topFolder([DESIGN, inside], 'general')).toBe(inside);
  expect(topFolder([DESIGN, folder(3, 'Copy'), inside], 'general')).toBeNull();
});

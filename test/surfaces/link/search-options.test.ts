import { describe, expect, it } from 'vitest';
import { folderTree, type ListedFolder } from '../../../src/surfaces/folders/folder-list.ts';
import {
  folderOption,
  folderOptions,
  newFolders,
  noOptions,
  readChoice,
  type SearchedList,
  searchedFolder,
  searchedProject,
  topFolder,
} from '../../../src/surfaces/link/search-options.ts';
import { optionProblems } from '../../support/block-kit-limits.ts';
import { ODD_NAMES } from '../../support/odd-names.ts';

const folder = (id: number, name: string, parentId: number | null = null) => {
  return { id, name, level: parentId === null ? 1 : 2, parentId };
};
const projectNamed = (id: number, title: string) => searchedProject({ id, title, archived: false });
const WEBSITE = projectNamed(12, 'Website');
const OFFICE = projectNamed(13, 'Office move');
const listOf = (listed: ListedFolder[], project = WEBSITE, complete = true): SearchedList => ({
  ...{ project, complete, folders: folderTree(listed).map(searchedFolder) },
});
const DESIGN = folder(1, 'Design');
const LOGOS = folder(2, 'Logos', 1);
const words = (options: Awaited<ReturnType<typeof folderOptions>>) =>
  options.map(({ text }) => text.text);
const found = async (lists: SearchedList[], typed: string, unread = 0) =>
  words(await folderOptions({ lists, typed, unread, news: [] }));

describe('folders to choose from', () => {
  const lists = [
    listOf([LOGOS, DESIGN, folder(3, 'Copy')]),
    listOf([folder(4, 'Logos'), folder(5, 'Quotes')], OFFICE),
  ];

  it('are found in all projects, by words of their path and project, in any order', async () => {
    expect(await found(lists, 'logo')).toEqual(['Website › Design › Logos', 'Office move › Logos']);
    expect(await found(lists, 'logo web')).toEqual(['Website › Design › Logos']);
    expect(await found(lists, 'website › design › logos')).toEqual(['Website › Design › Logos']);
    expect(await found(lists, 'office')).toEqual(['Office move › Logos', 'Office move › Quotes']);
    expect(await found(lists, '')).toHaveLength(5);
    expect(await found(lists, 'nothing')).toEqual([]);
  });

  it('are in the project’s own folder without naming that', async () => {
    const root = { ...folder(9, 'Root'), isRoot: true };
    expect(await found([listOf([root, folder(2, 'Logos', 9)])], 'logos')).toEqual([
      'Website › Logos',
    ]);
  });

  it('begin with the exact match, then those whose names begin with what was typed', async () => {
    const inner = Array.from({ length: 300 }, (_, n) => folder(n + 10, `Invoices ${n}`, 1));
    const list = [folder(1, 'Archive'), ...inner, folder(2, 'Old invoices'), folder(3, 'Invoices')];
    const search = (typed: string) => found([listOf(list)], typed);
    expect((await search('invoices')).slice(0, 2)).toEqual([
      'Website › Invoices',
      'Website › Archive › Invoices 0',
    ]);
    expect((await search('INVOICES '))[0]).toBe('Website › Invoices');
    expect((await search('archive/invoices 299'))[0]).toBe('Website › Archive › Invoices 299');
    expect((await search('website/archive'))[0]).toBe('Website › Archive');
    expect((await search('old'))[0]).toBe('Website › Old invoices');
    expect((await search('3'))[0]).toBe('Website › Invoices');
  });

  it('say how many more there are, or what was not read', async () => {
    const list = Array.from({ length: 150 }, (_, n) => folder(n + 1, `Plan ${n}`));
    const all = await found([listOf(list)], 'plan');
    expect(all).toHaveLength(100);
    expect(all.at(-1)).toBe('… and 51 more. Type more to find them.');
    expect(await found([listOf(list)], 'nowhere', 3)).toEqual([
      'To search 3 more projects, type the project’s name too.',
    ]);
    expect(await found([listOf(list, WEBSITE, false)], 'nowhere')).toEqual([
      'There may be more than I could read. Paste the folder’s address.',
    ]);
  });

  it('keep the own name and the project of a deeply nested folder', async () => {
    const deep = Array.from({ length: 9 }, (_, n) => folder(n + 1, `A long name ${n}`, n || null));
    expect(await found([listOf(deep)], '9')).toEqual([
      'Website › … › A long name 5 › A long name 6 › A long name 7 › A long name 8',
    ]);
  });

  it.each([0, 1, 60, 4_000])(
    'are valid for Slack if there are %i with odd names',
    async (count) => {
      for (const name of ODD_NAMES) {
        const folders = Array.from({ length: count }, (_, n) =>
          folder(n + 1, name, n % 8 ? n : null),
        );
        const project = projectNamed(99_999_999_999_999, name);
        const odd = [listOf(folders, project, false)];
        const news = newFolders({
          ...{ typed: '', channelName: name, projects: [project], own: null, lists: [] },
        });
        const options = await folderOptions({ lists: odd, typed: '', unread: 0, news });
        expect(optionProblems(options)).toEqual([]);
      }
      for (const why of ['not-yet', 'not-listed', 'other-address'] as const)
        expect(optionProblems([...noOptions(why)])).toEqual([]);
    },
  );
});

describe('a new folder', () => {
  const projects = [WEBSITE, OFFICE];
  const lists = [listOf([DESIGN, folder(3, 'Copy'), LOGOS])];
  const offered = (typed: string, more: Partial<Parameters<typeof newFolders>[0]> = {}) =>
    newFolders({ typed, channelName: 'general', projects, own: 12, lists, ...more });

  it('is offered with what was typed, in the project of the channel’s folder', () => {
    expect(words(offered('Brand'))).toEqual(['New folder “Brand” in Website']);
    expect(offered('Brand').map(({ value }) => readChoice(`${value}`))).toEqual([
      { newIn: 12, name: 'Brand' },
    ]);
    expect(words(offered(''))).toEqual(['New folder “general” in Website']);
    expect(offered('', { channelName: null })).toEqual([]);
  });

  it('is offered in the project that was typed before it, or in each of a few', () => {
    expect(words(offered('office MOVE / Brand'))).toEqual(['New folder “Brand” in Office move']);
    expect(words(offered('Brand', { own: null }))).toEqual([
      'New folder “Brand” in Website',
      'New folder “Brand” in Office move',
    ]);
    expect(offered('', { own: null })).toEqual([]);
  });

  it('says to type its project first, where there are many', () => {
    const many = Array.from({ length: 6 }, (_, n) => projectNamed(n + 1, `P${n}`));
    const among = (typed: string) => offered(typed, { own: null, projects: many });
    expect(words(among('Brand'))).toEqual(['For a new folder “Brand”, type Project/Brand.']);
    expect(among('Brand').map(({ value }) => readChoice(`${value}`))).toEqual([null]);
    expect(words(among('elsewhere/Brand'))).toEqual(words(among('Brand')));
    expect(words(among('p3/Brand'))).toEqual(['New folder “Brand” in P3']);
    expect(among(' ')).toEqual([]);
    for (const name of ODD_NAMES) expect(optionProblems(among(name))).toEqual([]);
  });

  it('is not offered where one has its name, in any case', () => {
    expect(offered('Design')).toEqual([]);
    expect(offered('dESIGN')).toEqual([]);
    expect(words(offered('Logos'))).toEqual(['New folder “Logos” in Website']);
  });

  it('comes first, or last if something was typed', async () => {
    const options = async (typed: string) =>
      words(await folderOptions({ lists, typed, unread: 0, news: offered(typed) }));
    expect((await options(''))[0]).toBe('New folder “general” in Website');
    expect(await options('logos')).toEqual([
      'Website › Design › Logos',
      'New folder “logos” in Website',
    ]);
  });
});

describe('folderOption', () => {
  const named = { projectId: 12, folderId: 345, projectTitle: 'Website', folderName: 'Logos' };

  it('keeps an address without its beginning, if there is room for it', () => {
    const address = 'https://acme.example/bapplite/#app/project-12/folder-345';
    expect(folderOption(named, address).value).toBe('/bapplite/#app/project-12/folder-345');
    expect(folderOption(named, `${address}?${'x'.repeat(200)}`).value).toBe('12/345');
    expect(folderOption(named).value).toBe('12/345');
  });
});

it.each(['', 'none', '-1', '12', '12/', '1e9/2', '//evil.example/1/2', 'new/0/x', 'new/12/'])(
  'the value %j is no choice',
  (value) => {
    expect(readChoice(value)).toBeNull();
  },
);

it('topFolder looks at the second level only if the first has a single folder', () => {
  const inside = folder(5, 'general', 1);
  expect(topFolder([DESIGN, inside], 'general')).toBe(inside);
  expect(topFolder([DESIGN, folder(3, 'Copy'), inside], 'general')).toBeNull();
});

it('topFolder finds a name in any case, and that of the same case first', () => {
  const [lower, upper] = [folder(5, 'general'), folder(6, 'General')];
  expect(topFolder([lower, upper], 'General')).toBe(upper);
  expect(topFolder([lower], 'GENERAL')).toBe(lower);
});

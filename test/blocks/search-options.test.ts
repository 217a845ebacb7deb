import { describe, expect, it } from 'vitest';
import { folderOptions, noOptions, projectOptions, topFolder } from '../../src/blocks/index.ts';
import { optionProblems } from '../support/block-kit-limits.ts';
import { ODD_NAMES } from '../support/odd-names.ts';

const folder = (id: number, name: string, parentId: number | null = null) => {
  return { id, name, level: parentId === null ? 1 : 2, parentId };
};
const DESIGN = folder(1, 'Design');
const LOGOS = folder(2, 'Logos', 1);
const words = (options: ReturnType<typeof folderOptions>) => options.map(({ text }) => text.text);

describe('folders to choose from', () => {
  it('are found by words of their own names and of those around them, in any order', () => {
    const search = (typed: string) =>
      words(folderOptions({ folders: [LOGOS, DESIGN, folder(3, 'Copy')], typed, newName: null }));
    expect(search('logo des')).toEqual(['Design › Logos']);
    expect(search('')).toEqual(['Copy', 'Design', 'Design › Logos']);
    expect(search('nothing')).toEqual([]);
  });

  it('begin with a new one, unless there is one of its name at the top', () => {
    const options = (newName: string) =>
      folderOptions({ folders: [DESIGN, LOGOS], typed: '', newName });
    expect(options('general')[0]).toMatchObject({ value: 'new' });
    const found = folderOptions({ folders: [DESIGN, LOGOS], typed: 'logos', newName: 'general' });
    expect(words(found)).toEqual(['Design › Logos', 'New folder “general”']);
    expect(words(options('Logos'))[0]).toBe('Design');
    expect(words(options('Design'))[0]).toBe('Design');
  });

  it('keep the name of a folder that lies deep', () => {
    const deep = Array.from({ length: 9 }, (_, n) => folder(n + 1, `A long name ${n}`, n || null));
    const [found] = words(folderOptions({ folders: deep, typed: '9', newName: null }));
    expect(found).toBe('… › A long name 8');
  });

  it.each([0, 1, 60, 4_000])('of %i with odd names are what Slack takes', (count) => {
    for (const name of ODD_NAMES) {
      const folders = Array.from({ length: count }, (_, n) =>
        folder(n + 1, name, n % 8 ? n : null),
      );
      const projects = folders.map(({ id }) => ({ id, title: name, archived: false }));
      expect(optionProblems(folderOptions({ folders, typed: '', newName: name }))).toEqual([]);
      expect(optionProblems(projectOptions(projects, ''))).toEqual([]);
    }
    expect(optionProblems([...noOptions('not-yet')])).toEqual([]);
  });
});

it('archived projects are not offered', () => {
  const projects = [
    { id: 1, title: 'Old', archived: true },
    { id: 2, title: 'New', archived: false },
  ];
  expect(words(projectOptions(projects, ''))).toEqual(['New']);
});

it('the top is the first level, and what is in it where that is one folder alone', () => {
  const inside = folder(5, 'general', 1);
  expect(topFolder([DESIGN, inside], 'general')).toBe(inside);
  expect(topFolder([DESIGN, folder(3, 'Copy'), inside], 'general')).toBeNull();
});

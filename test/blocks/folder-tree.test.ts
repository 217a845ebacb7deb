import fc from 'fast-check';
import { expect, it } from 'vitest';
import { folderTree, type ListedFolder } from '../../src/blocks/folder-tree.ts';

const folders: fc.Arbitrary<ListedFolder[]> = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 30 }),
    name: fc.string({ maxLength: 4 }),
    level: fc.integer({ min: 1, max: 5 }),
    parentId: fc.option(fc.integer({ min: 1, max: 40 })),
  }),
  { selector: (folder) => folder.id, maxLength: 30 },
);

it('keeps every folder once, each after its parent and one deeper, whoever its parent is', () => {
  fc.assert(
    fc.property(folders, (given) => {
      const tree = folderTree(given);
      expect(tree.map((folder) => folder.id).sort()).toEqual(
        given.map((folder) => folder.id).sort(),
      );
      for (const [index, folder] of tree.entries()) {
        expect(folder.path).toHaveLength(folder.depth);
        if (folder.depth === 0) continue;
        const parent = tree.slice(0, index).find((other) => other.id === folder.parentId);
        expect(parent?.depth).toBe(folder.depth - 1);
      }
    }),
  );
});

it('orders siblings by name, numbers as numbers', () => {
  const names = ['10', '9', 'b', 'A'].map((name, id) => ({ id, name, level: 1, parentId: null }));
  expect(folderTree(names).map((folder) => folder.name)).toEqual(['9', '10', 'A', 'b']);
});

it('bears a chain of thousands', () => {
  const chain = Array.from({ length: 3000 }, (_, id) => ({
    id,
    name: 'x',
    level: id + 1,
    parentId: id === 0 ? null : id - 1,
  }));
  expect(folderTree(chain).at(-1)?.depth).toBe(2999);
});

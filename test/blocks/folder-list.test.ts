import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folderTree, type ListedFolder } from '../../src/blocks/folder-list.ts';
import { ACTIONS, folderList, foldersUnavailable, projectList } from '../../src/blocks/index.ts';
import { blockKitProblems } from '../support/block-kit-limits.ts';
import { buttonsOf, shownView } from '../support/shown-view.ts';

const FOLDERS: ListedFolder[] = [
  { id: 4, name: '2025', level: 2, parentId: 2 },
  { id: 1, name: 'Contracts', level: 1, parentId: null },
  { id: 3, name: '2024', level: 2, parentId: 2 },
  { id: 2, name: 'Invoices', level: 1, parentId: null },
  { id: 5, name: 'March', level: 3, parentId: 4 },
];

function listOf(changes: Partial<Parameters<typeof folderList>[0]>) {
  const view = folderList({
    projectTitle: 'Accounts',
    projectId: 12,
    folders: FOLDERS,
    complete: true,
    linkedFolderId: null,
    ...{ linkBy: 'admins', mayLink: true, isDirect: false },
    page: 1,
    copyAgeMs: null,
    ...changes,
  });
  expect(blockKitProblems(view)).toEqual([]);
  return view;
}

describe('folderList', () => {
  it('shows the tree, marks the linked folder and offers to link the others', () => {
    expect(shownView(listOf({ linkedFolderId: 4 }))).toMatchInlineSnapshot(`
      "text: Folders of Accounts
      5 folders
      Contracts
      Invoices
      › 2024
      › ✓ 2025 – this channel’s folder
      › › March
      # Folders of Accounts
      - 5 folders
      | Contracts  [Link this channel → link_folder {"p":12,"f":1}]
      | Invoices  [Link this channel → link_folder {"p":12,"f":2}]
      | › 2024  [Link this channel → link_folder {"p":12,"f":3}]
      | › ✓ 2025 – this channel’s folder
      | › › March  [Link this channel → link_folder {"p":12,"f":5}]
      [All projects → all_projects {"page":1}]"
    `);
  });

  it('says who can link if the reader may not, without a button for it', () => {
    const view = listOf({ mayLink: false });
    expect(buttonsOf(view).map(({ text }) => text.text)).toEqual(['All projects']);
    expect(shownView(view)).toContain('- A workspace admin can link this channel to one of these.');
  });

  it('calls a direct message a conversation, which nobody else can link', () => {
    const direct = shownView(listOf({ isDirect: true, linkedFolderId: 4 }));
    expect(direct).toContain('✓ 2025 – this conversation’s folder');
    expect(direct).toContain('[Link this conversation →');
    expect(direct).not.toContain('channel');
    expect(shownView(listOf({ isDirect: true, mayLink: false }))).not.toContain('can link');
  });

  it('has pages, and names the parent folders in which a page continues', () => {
    const below = Array.from({ length: 30 }, (_, index) => ({
      id: 100 + index,
      name: `Week ${index + 1}`,
      level: 4,
      parentId: 5,
    }));
    const view = listOf({ folders: [...FOLDERS, ...below], page: 2 });
    expect(/^- .*/m.exec(shownView(view))?.[0]).toMatchInlineSnapshot(
      `"- 35 folders · page 2 of 2 · continues in Invoices › 2025 › March"`,
    );
    const pages = buttonsOf(view).filter((button) => button.action_id?.startsWith('folders_page'));
    expect(pages.map((button) => ACTIONS.foldersOfProject.read(button.value))).toEqual([
      { projectId: 12, page: 1 },
    ]);
  });

  it('shows the last page if the page asked for does not exist', () => {
    expect(shownView(listOf({ page: 99 }))).toBe(shownView(listOf({ page: 1 })));
  });

  it('has a link button for each folder, in the order of the tree', () => {
    const links = buttonsOf(listOf({}))
      .filter(({ action_id }) => action_id === 'link_folder')
      .map((button) => ACTIONS.linkFolder.read(button.value)?.folderId);
    expect(links).toEqual([1, 2, 3, 4, 5]);
  });

  it('says what to do if a project has no folders', () => {
    expect(shownView(listOf({ folders: [], projectTitle: null }))).toMatchInlineSnapshot(`
      "text: Folders of Project 12
      This project has no folders yet. Make one in the file service, then try again.
      # Folders of Project 12
      | This project has no folders yet. Make one in the file service, then try again.
      [All projects → all_projects {"page":1}]"
    `);
  });
});

describe('foldersUnavailable', () => {
  const reader = { linkBy: 'admins', mayLink: true, isDirect: false } as const;
  const linked = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };

  it('says how to link a folder by its number', () => {
    const view = foldersUnavailable({ ...reader, linked, refused: null });
    expect(shownView(view)).toMatchInlineSnapshot(`
      "text: This account doesn’t list its folders.
      You can still link this channel to a folder by the numbers of the project and the folder, like /files link 12/345; they’re in the folder’s web address in the file service.
      This channel’s files go to Accounts › Invoices.
      | This account doesn’t list its folders.
      | You can still link this channel to a folder by the numbers of the project and the folder, like \`/files link 12/345\`; they’re in the folder’s web address in the file service.
      | This channel’s files go to *Accounts › Invoices*."
    `);
    const none = foldersUnavailable({ ...reader, linked: null, refused: null });
    expect(shownView(none)).toContain('| This channel isn’t linked to a folder.');
  });

  it('asks nobody to link a folder who may not', () => {
    const refused = { projectId: 9, title: 'Board' };
    for (const given of [null, refused]) {
      const view = foldersUnavailable({ ...reader, mayLink: false, linked, refused: given });
      expect(shownView(view)).toContain('| A workspace admin can still link this channel');
      expect(shownView(view)).not.toMatch(/You can|, or link/);
    }
  });

  it('calls a direct message a conversation, which nobody else can link', () => {
    const direct = { ...reader, isDirect: true, linked: null, refused: null };
    expect(shownView(foldersUnavailable(direct))).toContain('You can still link this conversation');
    expect(shownView(foldersUnavailable(direct))).not.toContain('channel');
    expect(shownView(foldersUnavailable({ ...direct, mayLink: false }))).not.toContain('can still');
  });
});

describe('a list that was not read to its end', () => {
  it('says that there may be more, and does not claim that there are none', () => {
    const more = '- This project may have more folders than I could read.';
    expect(shownView(listOf({ complete: false }))).toContain(more);
    const none = shownView(listOf({ folders: [], complete: false }));
    expect(none).toContain(more);
    expect(none).not.toContain('no folders yet');
    const projects = projectList({ projects: [], complete: false, page: 1, copyAgeMs: null });
    expect(shownView(projects)).toContain(
      '- The account may have more projects than I could read.',
    );
    expect(shownView(projects)).not.toContain('can’t see any');
  });
});

describe('a list from a copy', () => {
  it('says how old the copy is, and has a Refresh button for the same page', () => {
    const view = listOf({ copyAgeMs: 40_000 });
    expect(shownView(view)).toContain('- 5 folders · as of 40 s ago');
    const refresh = buttonsOf(view).find(({ text }) => text.text === 'Refresh');
    expect(refresh?.action_id).toBe('folders_refresh');
    expect(ACTIONS.foldersOfProject.read(refresh?.value)).toEqual({ projectId: 12, page: 1 });
    const projects = [{ id: 1, title: 'Accounts', archived: false }];
    const shown = projectList({ projects, complete: true, page: 1, copyAgeMs: 130_000 });
    expect(shownView(shown)).toMatch(
      /- 1 project · as of 2 min ago\n(.*\n)*\[Refresh → projects_refresh/,
    );
  });
});

describe('projectList', () => {
  it('lists projects by title, without archived ones', () => {
    const projects = [
      { id: 2, title: 'Website', archived: false },
      { id: 3, title: 'Old', archived: true },
      { id: 1, title: '', archived: false },
    ];
    expect(
      shownView(projectList({ projects, complete: true, page: 1, copyAgeMs: null })),
    ).toMatchInlineSnapshot(`
      "text: Projects
      2 projects
      Project 1
      Website
      # Projects
      - 2 projects
      | Project 1  [Show folders → folders_of_project {"p":1,"page":1}]
      | Website  [Show folders → folders_of_project {"p":2,"page":1}]"
    `);
  });

  it('has pages, and says so if there are no projects', () => {
    const projects = Array.from({ length: 45 }, (_, index) => ({
      id: index + 1,
      title: `Project ${index}`,
      archived: false,
    }));
    const view = projectList({ projects, complete: true, page: 2, copyAgeMs: null });
    expect(blockKitProblems(view)).toEqual([]);
    expect(
      buttonsOf(view)
        .slice(-2)
        .map((button) => ACTIONS.allProjects.read(button.value)),
    ).toEqual([{ page: 1 }, { page: 3 }]);
    expect(
      shownView(projectList({ projects: [], complete: true, page: 1, copyAgeMs: null })),
    ).toContain('can’t see any projects');
  });
});

// Parents have smaller numbers, so that there are no cycles, or are missing.
const folders: fc.Arbitrary<ListedFolder[]> = fc
  .array(fc.record({ name: fc.string({ maxLength: 4 }), parent: fc.nat(60) }), { maxLength: 30 })
  .map((all) =>
    all.map(({ name, parent }, id) => ({
      ...{ id, name, level: 1 },
      parentId: parent < id || parent > 40 ? parent : null,
    })),
  );

it('folderTree keeps each folder once, after its parent and one deeper', () => {
  fc.assert(
    fc.property(folders, (given) => {
      const tree = folderTree(given);
      expect(tree.map((folder) => folder.id).sort()).toEqual(
        given.map((folder) => folder.id).sort(),
      );
      for (const [index, { parentId, path }] of tree.entries()) {
        const parent = given.find((other) => other.id === parentId);
        const placed = tree.slice(0, index).find((other) => other.id === parentId);
        expect(placed?.id).toBe(parent?.id);
        expect(path).toEqual(placed ? [...placed.path, placed.name] : []);
      }
    }),
  );
});

it('folderTree sorts siblings by name, and numbers by value', () => {
  const names = ['10', '9', 'b', 'A'].map((name, id) => ({ id, name, level: 1, parentId: null }));
  expect(folderTree(names).map((folder) => folder.name)).toEqual(['9', '10', 'A', 'b']);
});

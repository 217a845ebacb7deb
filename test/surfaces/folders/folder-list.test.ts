import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ALL_PROJECTS,
  FOLDERS_OF_PROJECT,
  LINK_FOLDER,
} from '../../../src/surfaces/folders/actions.ts';
import {
  folderList,
  foldersUnavailable,
  folderTree,
  type ListedFolder,
  projectList,
} from '../../../src/surfaces/folders/folder-list.ts';
import { locateFolders } from '../../../src/surfaces/kit/folder-address.ts';
import { blockKitProblems } from '../../support/block-kit-limits.ts';
import { buttonsOf, shownView } from '../../support/shown-view.ts';

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
    currentId: null,
    linked: null,
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
    expect(shownView(listOf({ currentId: 4 }))).toMatchInlineSnapshot(`
      "text: Folders of Accounts
      5 folders
      Contracts
      Invoices
       2024
       ✓ 2025 – this channel’s folder
        March
      # Folders of Accounts
      - 5 folders
      | Contracts  [Use Contracts for this channel → link_folder {"p":12,"f":1,"page":1,"was":""}]
      | Invoices  [Use Invoices for this channel → link_folder {"p":12,"f":2,"page":1,"was":""}]
      |  2024  [Use Invoices › 2024 for this channel → link_folder {"p":12,"f":3,"page":1,"was":""}]
      |  ✓ 2025 – this channel’s folder
      |   March  [Use Invoices › 2025 › March for this channel → link_folder {"p":12,"f":5,"page":1,"was":""}]
      [All projects → all_projects {"page":1}]"
    `);
  });

  it('links each folder’s name to its address, unless mrkdwn would format it', () => {
    locateFolders('https://acme.example/{project}?folder={folder}&by=name|id');
    onTestFinished(() => locateFolders(null));
    const linked = { projectId: 12, folderId: 4, projectTitle: 'Accounts', folderName: '2025' };
    const pasted = { ...linked, url: 'https://acme.example/pasted' };
    const named = ['R&D', '<!here>', '*bold*', 'a|b'].map((name, nth) => ({
      ...{ id: 10 + nth, name, level: 1, parentId: null },
    }));
    const view = listOf({ folders: [...FOLDERS, ...named], currentId: 4, linked: pasted });
    const shown = shownView(view)
      .split('\n')
      .filter((row) => row.startsWith('|'));
    const to = (id: number) => `https://acme.example/12?folder=${id}&amp;by=name%7Cid`;
    expect(shown.map((row) => row.replace(/ {2}\[Use.*/, ''))).toEqual([
      '| *bold*',
      '| <!here>',
      '| a|b',
      `| [Contracts → ${to(1)}]`,
      `| [Invoices → ${to(2)}]`,
      `| \u2003[2024 → ${to(3)}]`,
      '| \u2003✓ [2025 → https://acme.example/pasted] – this channel’s folder',
      `| \u2003\u2003[March → ${to(5)}]`,
      `| [R&amp;D → ${to(10)}]`,
    ]);
    expect(view.text).not.toContain('acme');
  });

  it('asks before a channel that has a folder gets another, and says what stays', () => {
    const linked = { projectId: 9, folderId: 7, projectTitle: 'Board', folderName: 'Minutes' };
    const [first] = buttonsOf(listOf({ linked }));
    expect(first?.text.text).toBe('Use Contracts for this channel');
    expect(first?.confirm?.text.text).toBe(
      'Files shared from now on go to Accounts › Contracts. What’s in Board › Minutes stays there.',
    );
    expect(buttonsOf(listOf({ linked: null })).every(({ confirm }) => !confirm)).toBe(true);
  });

  it('names a nested folder by its path, from which the project’s own is left out', () => {
    const root = { id: 9, name: 'Root', level: 1, parentId: null, isRoot: true };
    const folders = FOLDERS.map((one) => ({ ...one, parentId: one.parentId ?? 9 }));
    const labels = buttonsOf(listOf({ folders: [root, ...folders] })).map(({ text }) => text.text);
    expect(labels).toContain('Use Invoices › 2025 › March for this channel');
  });

  it('says who can link if the reader may not, without a button for it', () => {
    const view = listOf({ mayLink: false });
    expect(buttonsOf(view).map(({ text }) => text.text)).toEqual(['All projects']);
    expect(shownView(view)).toContain(
      '- A workspace admin can choose one of these for this channel.',
    );
  });

  it('calls a direct message a conversation, which nobody else can link', () => {
    const direct = shownView(listOf({ isDirect: true, currentId: 4 }));
    expect(direct).toContain('✓ 2025 – this conversation’s folder');
    expect(direct).toContain('[Use Contracts for this conversation →');
    expect(direct).not.toContain('channel');
    expect(shownView(listOf({ isDirect: true, mayLink: false }))).not.toContain('can choose');
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
    expect(pages.map((button) => FOLDERS_OF_PROJECT.read(button.value))).toEqual([
      { projectId: 12, page: 1 },
    ]);
  });

  it('shows the last page if the page asked for does not exist', () => {
    expect(shownView(listOf({ page: 99 }))).toBe(shownView(listOf({ page: 1 })));
  });

  it('has a link button for each folder, in the order of the tree', () => {
    const links = buttonsOf(listOf({}))
      .filter(({ action_id }) => action_id === 'link_folder')
      .map((button) => LINK_FOLDER.read(button.value)?.folderId);
    expect(links).toEqual([1, 2, 3, 4, 5]);
  });

  it('says what to do if a project has no folders', () => {
    expect(shownView(listOf({ folders: [], projectTitle: null }))).toMatchInlineSnapshot(`
      "text: Folders of Project 12
      This project has no folders yet. Make one in the file service.
      # Folders of Project 12
      | This project has no folders yet. Make one in the file service.
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
      "text: The file service doesn’t list its folders.
      You can still choose one by its web address, or by its numbers there, like /files link 12/345.
      This channel’s files go to Accounts › Invoices.
      | The file service doesn’t list its folders.
      | You can still choose one by its web address, or by its numbers there, like \`/files link 12/345\`.
      | This channel’s files go to *Accounts › Invoices*."
    `);
    const none = foldersUnavailable({ ...reader, linked: null, refused: null });
    expect(shownView(none)).toContain('| This channel has no folder yet.');
  });

  it('asks nobody to link a folder who may not', () => {
    const refused = { projectId: 9, title: 'Board' };
    for (const given of [null, refused]) {
      const view = foldersUnavailable({ ...reader, mayLink: false, linked, refused: given });
      expect(shownView(view)).toContain('| A workspace admin can still choose one');
      expect(shownView(view)).not.toMatch(/You can|, or link/);
    }
  });

  it('calls a direct message a conversation, which nobody else can link', () => {
    const direct = { ...reader, isDirect: true, linked: null, refused: null };
    expect(shownView(foldersUnavailable(direct))).toContain('This conversation has no folder');
    expect(shownView(foldersUnavailable(direct))).not.toContain('channel');
    expect(shownView(foldersUnavailable({ ...direct, mayLink: false }))).not.toContain('can still');
  });
});

describe('a list that was not read to its end', () => {
  it('says that there may be more, and does not claim that there are none', () => {
    const more = '- There may be more folders than I could read.';
    expect(shownView(listOf({ complete: false }))).toContain(more);
    const none = shownView(listOf({ folders: [], complete: false }));
    expect(none).toContain(more);
    expect(none).not.toContain('no folders yet');
    const projects = projectList({ projects: [], complete: false, page: 1, copyAgeMs: null });
    expect(shownView(projects)).toContain('- There may be more projects than I could read.');
    expect(shownView(projects)).not.toContain('can’t see any');
  });
});

describe('a list from a copy', () => {
  it('says how old the copy is, and has a Refresh button for the same page', () => {
    const view = listOf({ copyAgeMs: 40_000 });
    expect(shownView(view)).toContain('- 5 folders · as of 40 s ago');
    const refresh = buttonsOf(view).find(({ text }) => text.text === 'Refresh');
    expect(refresh?.action_id).toBe('folders_refresh');
    expect(FOLDERS_OF_PROJECT.read(refresh?.value)).toEqual({ projectId: 12, page: 1 });
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
      | Project 1  [Folders of Project 1 → folders_of_project {"p":1,"page":1}]
      | Website  [Folders of Website → folders_of_project {"p":2,"page":1}]"
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
        .map((button) => ALL_PROJECTS.read(button.value)),
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

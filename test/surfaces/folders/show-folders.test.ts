import { expect, it } from 'vitest';
import type { Ledger } from '../../../src/ledger/index.ts';
import { ServiceError } from '../../../src/service/index.ts';
import { showFirst, showFolders } from '../../../src/surfaces/folders/show-folders.ts';
import type { Asked } from '../../../src/surfaces/kit/answer.ts';
import { membersOnly } from '../../../src/surfaces/kit/refusals.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { findTypedProject } from '../../../src/surfaces/link/resolve-folder.ts';
import { countedNames } from '../../support/counted-names.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { shownView } from '../../support/shown-view.ts';

const clock = createFakeClock();
const PROJECT = { id: 7, title: 'Office move', archived: false };
const FOLDER = { id: 42, name: 'Plans', level: 1, parentId: null, projectId: 7 };
const asked: Asked = {
  ...{ team: 'T1', channel: 'C1', userId: 'U1', role: 'admin', linkBy: 'admins' },
  call: { lane: 'interactive' },
};

interface AccountOptions {
  complete: boolean;
  projects?: (typeof PROJECT)[];
}

/** An account whose lists of projects and folders are complete or not. */
function account({ complete, projects = [PROJECT] }: AccountOptions): SurfaceContext {
  const names: Partial<SurfaceContext['names']> = {
    projects: async () => ({ list: { records: projects, complete }, fetchedAt: clock.now() }),
    folders: async () => ({ list: { records: [FOLDER], complete }, fetchedAt: clock.now() }),
    projectTitle: async () => PROJECT.title,
  };
  const ledger = { findLink: async () => null } as Partial<Ledger> as Ledger;
  const found = { ledger, isBusy: () => false, findDestination: async () => null };
  return { clock, names, ...found } as Partial<SurfaceContext> as SurfaceContext;
}

it('a list of projects or folders says if it is incomplete', async () => {
  const shown = async (complete: boolean) => {
    const context = account({ complete });
    const folders = await showFolders(asked, { projectId: 7, page: 1 }, context);
    return [await showFirst(asked, '', context), folders].map(shownView);
  };
  const more = expect.stringMatching(/may be more (folders|projects) than I could read/);
  expect(await shown(false)).toEqual([more, more]);
  expect(await shown(true)).toEqual([
    expect.not.stringMatching('may be more'),
    expect.not.stringMatching('may be more'),
  ]);
});

it('/folders opens the project that is typed, and says so if it knows none of that name', async () => {
  const shown = async (typed: string) =>
    shownView(await showFirst(asked, typed, account({ complete: true })));
  for (const typed of ['office MOVE', '“Office move”', '7', 'offi', 'move off'])
    expect(await shown(typed)).toContain('# Folders of Office move');
  const unknown = await shown('<b>elsewhere</b>');
  expect(unknown).toMatch(/^text: I don’t know the project .*\nProjects\n1 project$/m);
  expect(unknown).toContain('| I don’t know the project `<b>elsewhere</b>`.\n# Projects');
});

it('/folders opens no project when several have the typed words', async () => {
  const projects = [PROJECT, { ...PROJECT, id: 8, title: 'Office party' }];
  const context = account({ complete: true, projects });
  expect(shownView(await showFirst(asked, 'office', context))).toContain(
    '| I don’t know the project `office`.\n# Projects\n- 2 projects',
  );
});

it('/folders with a number opens no project that only has it in its title', async () => {
  const projects = [{ ...PROJECT, title: 'Office move 2026' }];
  for (const complete of [true, false]) {
    const context = account({ complete, projects });
    expect(await findTypedProject(asked, '26', context)).toBe(null);
    expect(await findTypedProject(asked, '“26”', context)).toBe(PROJECT.id);
  }
});

it('/folders with text asks once for a list of projects that cannot be read', async () => {
  const context = account({ complete: true });
  let requests = 0;
  context.names.projects = async () => {
    requests += 1;
    throw new ServiceError('SERVICE_BAD_ANSWER', 'no list', { retry: 'never', sent: 'unknown' });
  };
  expect(await findTypedProject(asked, 'office', context)).toBe(null);
  expect(requests).toBe(1);
});

it('/folders with text does not tell a guest which projects there are', async () => {
  const context = account({ complete: true });
  const guest: Asked = { ...asked, role: 'guest' };
  for (const typed of ['Office move', 'elsewhere'])
    expect(await showFirst(guest, typed, context)).toEqual(membersOnly({ isDirect: false }));
});

it('/folders with text reads each title once for all searches, and once to compare it whole', async () => {
  const many = Array.from({ length: 500 }, (_, id) => ({ ...PROJECT, id: id + 100 }));
  const { records: projects, reads } = countedNames(many, 'title');
  const context = account({ complete: true, projects });
  for (const typed of [':a'.repeat(1_500), ':a: '.repeat(750), '\uFDFA'.repeat(3_000), 'x'])
    expect(await findTypedProject(asked, typed, context)).toBe(null);
  expect(reads()).toBe(2 * projects.length);
});

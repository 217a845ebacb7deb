import { writeFoldersPageValue, writeProjectsPageValue } from './action-values.ts';
import { ACTIONS } from './actions.ts';
import { button } from './button.ts';
import { counted, shownNumber } from './counted.ts';
import { entry, heading, smallPrint } from './layout.ts';
import { type Page, pageOf } from './page-of.ts';
import { pager } from './pager.ts';
import { fallbackText, prose } from './prose.ts';
import { refreshButton, shownCopyAge } from './refresh-button.ts';
import { shownName } from './shown-name.ts';
import type { Block, View } from './view.ts';

const PROJECTS_PER_PAGE = 20;
const NAMES = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** A project, as the list shows it. */
export interface ListedProject {
  id: number;
  title: string;
  /** An archived project is left out. */
  archived: boolean;
}

export interface ProjectListInput {
  /** All projects, in any order. */
  projects: readonly ListedProject[];
  /** From 1; the last page stands in for one that is not there. */
  page: number;
  /** The age of the copy that the list is made from, milliseconds; null when it is fresh. */
  copyAgeMs: number | null;
}

/** The answer to `/folders` in a channel that no project is known of: choose one. */
export function projectList(input: ProjectListInput): View {
  const projects = input.projects.filter((project) => !project.archived).sort(byTitle);
  const page = pageOf(projects, PROJECTS_PER_PAGE, input.page);
  const entries = page.items.map(projectEntry);
  const none = prose([
    'The account has no projects that I can see. Ask for access to one, then try again.',
  ]);
  return {
    text: fallbackText([`Projects: ${shownNumber(projects.length)}.`]),
    blocks: [
      heading('Projects'),
      ...(entries.length === 0
        ? [none]
        : [smallPrint(standing(page, projects.length, input)), ...entries]),
      ...pagerOf(page, input),
    ],
  };
}

function byTitle(a: ListedProject, b: ListedProject): number {
  return NAMES.compare(a.title, b.title) || a.id - b.id;
}

function standing(
  { page, pages }: Page<ListedProject>,
  total: number,
  { copyAgeMs }: ProjectListInput,
): string {
  const parts = [
    counted(total, 'project'),
    pages > 1 ? `page ${shownNumber(page)} of ${shownNumber(pages)}` : null,
    copyAgeMs === null ? null : shownCopyAge(copyAgeMs),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

function projectEntry({ id, title }: ListedProject): Block {
  const name = shownName(title, { unnamed: `Project ${id}` });
  const value = writeFoldersPageValue({ projectId: id, page: 1 });
  const show = { action: ACTIONS.foldersOfProject, label: 'Show folders', value };
  return entry(name, button({ ...show, spoken: `Show folders of ${name}` }));
}

function pagerOf({ page, pages }: Page<ListedProject>, { copyAgeMs }: ProjectListInput) {
  const valueFor = writeProjectsPageValue;
  const previous = { action: ACTIONS.projectsPrevious, label: 'Previous' };
  const next = { action: ACTIONS.projectsNext, label: 'Next' };
  const refresh = { action: ACTIONS.projectsRefresh, value: valueFor(page) };
  return pager({ page, pages, previous, next, valueFor }, refreshButton(copyAgeMs, refresh));
}

import type { Seed } from '../../src/playground/file-service/index.ts';
import { FLOOR_PLANS, PROJECT } from './app-settings.ts';
import { MAYA, seedFile, seedWith } from './seed-files.ts';

type SeedProject = Seed['projects'][number];
type SeedFolder = SeedProject['folders'][number];

const FIRST_ID = 90_000_000;
/** How many folders there are in each of the folders at the top. */
const IN_EACH = 99;

export const PROJECTS = 2_000;
export const FOLDERS = 10_000;
export const FILES = 2_000;

/**
 * Returns the default seed with more of everything: PROJECTS projects, FOLDERS more folders in the
 * project of the default folder, on two levels, and FILES files in its folder FLOOR_PLANS.
 */
export function largeAccount(): Seed {
  const files = Array.from({ length: FILES }, (_, nth) =>
    seedFile(2_000_000 + nth, { name: `Plan ${nth} – 🚀 Umzug & Büro:final:.pdf` }),
  );
  const { people, projects } = seedWith({ [FLOOR_PLANS]: files });
  const more = Array.from({ length: PROJECTS - projects.length }, (_, nth) => emptyProject(nth));
  const all = [...projects.map(withManyFolders), ...more];
  const ids = all.map(({ id }) => id);
  return { people: people.map((person) => ({ ...person, projects: ids })), projects: all };
}

function emptyProject(nth: number): SeedProject {
  const id = FIRST_ID + nth;
  const home = { id: FIRST_ID + PROJECTS + nth, name: 'All files' };
  const createdAt = Date.UTC(2025, 0, 1);
  const about = { title: `Project ${nth}: Büro & Umzug 🎉`, creatorId: MAYA, createdAt };
  return { id, ...about, homeFolderId: home.id, folders: [home] };
}

function withManyFolders(project: SeedProject): SeedProject {
  if (project.id !== PROJECT) return project;
  const tops = Array.from({ length: FOLDERS / (IN_EACH + 1) }, (_, nth) => topFolder(nth));
  return { ...project, folders: [...project.folders, ...tops] };
}

function topFolder(nth: number): SeedFolder {
  const id = FIRST_ID + 2 * PROJECTS + nth * (IN_EACH + 1);
  const folders = Array.from({ length: IN_EACH }, (_, at) => ({
    id: id + 1 + at,
    name: `Drawings ${nth}.${at} – Straße :east: 🏠`,
  }));
  return { id, name: `Building ${nth} & annex`, folders };
}

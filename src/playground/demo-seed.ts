import { defaultSeed, type Seed, type SeedFile, type SeedFolder } from './file-service/index.ts';

const MAYA = 12009183;
const PRIYA = 12009185;

/** The folder that #general is linked to, “Website relaunch › All files”, as the form sends it. */
export const GENERAL_FOLDER = '23423233/67811577';

const HOME_FOLDER = 67811577;
const DESIGN_FOLDER = 67811578;

const FILES: Record<number, SeedFile[]> = {
  [HOME_FOLDER]: [
    {
      id: 1254840,
      name: 'Kick-off notes.md',
      content: '# Kick-off\n\n- Goal: one page, one message.\n- Live before the summer.\n',
      creatorId: MAYA,
      createdAt: Date.UTC(2025, 8, 2, 9, 12, 30),
      approvedBy: [PRIYA],
    },
    {
      id: 1254841,
      name: 'Timeline v3.csv',
      content: 'step,week\nSitemap,36\nScreens,38\nCopy,40\nLaunch,46\n',
      creatorId: PRIYA,
      createdAt: Date.UTC(2025, 8, 18, 14, 3, 9),
    },
  ],
  [DESIGN_FOLDER]: [
    {
      id: 1254842,
      name: 'Colours and type.txt',
      content: 'Pine 0B6E5F, Sand F3EFE6, Ink 17211E. Headings: 28/34.\n',
      creatorId: MAYA,
      createdAt: Date.UTC(2025, 8, 22, 11, 40, 51),
      proofCount: 1,
    },
  ],
};

/** The default account with a few more files, so that the page has something to show at first. */
export const demoSeed: Seed = {
  ...defaultSeed,
  projects: defaultSeed.projects.map((project) => ({
    ...project,
    folders: project.folders.map(withFiles),
  })),
};

function withFiles(folder: SeedFolder): SeedFolder {
  return { ...folder, files: [...(folder.files ?? []), ...(FILES[folder.id] ?? [])] };
}

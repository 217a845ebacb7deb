import type { Seed, SeedPerson, SeedProject } from './seed.ts';

/** The key that the playground gives Pigeonhole: it may see and change everything. */
export const DEMO_API_KEY = 'demo-key-maya-lindqvist';

/** Sees the website and campaign projects, but not the office move. */
export const LIMITED_API_KEY = 'demo-key-tomas-herrera';

/** Sees everything, but may change nothing in the campaign's folder Contracts. */
export const READ_ONLY_API_KEY = 'demo-key-priya-nair';

/** The key of a suspended person: it is refused. */
export const SUSPENDED_API_KEY = 'demo-key-jonas-weber';

const MAYA = 12009183;
const TOMAS = 12009184;
const PRIYA = 12009185;
const JONAS = 12009186;

const WEBSITE = 23423233;
const CAMPAIGN = 23423234;
const OFFICE_MOVE = 23423235;

const CONTRACTS = 67811592;

const people: SeedPerson[] = [
  {
    id: MAYA,
    firstName: 'Maya',
    lastName: 'Lindqvist',
    email: 'maya@harbourpine.example',
    apiKey: DEMO_API_KEY,
    projects: [WEBSITE, CAMPAIGN, OFFICE_MOVE],
  },
  {
    id: TOMAS,
    firstName: 'Tomás',
    lastName: 'Herrera',
    email: 'tomas@harbourpine.example',
    apiKey: LIMITED_API_KEY,
    projects: [WEBSITE, CAMPAIGN],
  },
  {
    id: PRIYA,
    firstName: 'Priya',
    lastName: 'Nair',
    email: 'priya@harbourpine.example',
    apiKey: READ_ONLY_API_KEY,
    projects: [WEBSITE, CAMPAIGN, OFFICE_MOVE],
    readOnlyFolders: [CONTRACTS],
  },
  {
    id: JONAS,
    firstName: 'Jonas',
    lastName: 'Weber',
    email: 'jonas@harbourpine.example',
    apiKey: SUSPENDED_API_KEY,
    projects: [WEBSITE],
    suspended: true,
  },
];

const website: SeedProject = {
  id: WEBSITE,
  title: 'Website relaunch',
  description: 'The new site, live before the summer.',
  creatorId: MAYA,
  homeFolderId: 67811577,
  createdAt: Date.UTC(2025, 8, 1, 8, 30),
  folders: [
    { id: 67811577, name: 'All files' },
    {
      id: 67811578,
      name: 'Design',
      folders: [
        {
          id: 67811579,
          name: 'Logos',
          files: [
            {
              id: 1254836,
              name: 'harbour-mark.svg',
              content:
                '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3"/></svg>\n',
              creatorId: TOMAS,
              createdAt: Date.UTC(2025, 8, 9, 13, 5, 12),
              approvedBy: [MAYA, PRIYA],
              proofCount: 1,
            },
          ],
        },
        { id: 67811580, name: 'Screens', folders: [{ id: 67811581, name: 'Mobile' }] },
      ],
    },
    {
      id: 67811582,
      name: 'Copy',
      files: [
        {
          id: 1254837,
          name: 'About us – draft 2.md',
          content: '# About us\n\nWe build quiet places by the water.\n',
          creatorId: PRIYA,
          createdAt: Date.UTC(2025, 9, 2, 9, 41, 3),
          approvedBy: [MAYA],
        },
      ],
    },
  ],
};

const campaign: SeedProject = {
  id: CAMPAIGN,
  title: 'Autumn campaign',
  description: 'Posters, radio and the newsletter.',
  creatorId: PRIYA,
  homeFolderId: 67811590,
  createdAt: Date.UTC(2025, 8, 15, 10, 0),
  folders: [
    { id: 67811590, name: 'All files' },
    { id: 67811591, name: 'Posters', folders: [{ id: 67811593, name: 'Print-ready' }] },
    {
      id: CONTRACTS,
      name: 'Contracts',
      files: [
        {
          id: 1254838,
          name: 'Radio Nord.txt',
          content: 'Twelve spots, weeks 44 to 46.\n',
          creatorId: MAYA,
          createdAt: Date.UTC(2025, 9, 6, 15, 20, 44),
          proofCount: 2,
        },
      ],
    },
  ],
};

const officeMove: SeedProject = {
  id: OFFICE_MOVE,
  title: 'Office move',
  description: 'From the harbour to Pine Street.',
  creatorId: MAYA,
  homeFolderId: 67811600,
  createdAt: Date.UTC(2025, 10, 3, 7, 15),
  folders: [
    { id: 67811600, name: 'All files' },
    { id: 67811601, name: 'Floor plans', folders: [{ id: 67811602, name: 'Second floor' }] },
    { id: 67811603, name: 'Quotes' },
  ],
};

/** A small agency: four people, three projects, folders within folders, a few files. */
export const defaultSeed: Seed = { people, projects: [website, campaign, officeMove] };

import type { Seed, SeedFile } from '../../../src/playground/file-service/index.ts';
import { BEGINNING } from '../kernel/virtual-time.ts';

/** The key that the app has. */
export const OUR_KEY = 'key-of-the-app';
/** Whose that key is. */
export const OUR_PERSON = 12009183;
/** Somebody else of the account, with a key of their own. */
export const STRANGER_KEY = 'key-of-a-stranger';
export const STRANGER = 12009184;
export const PROJECT = 23423235;
/** Folders that channels can be linked to. */
export const FOLDERS = [67811600, 67811601, 67811602] as const;
const HOME = 67811599;

const NAMES = ['Contracts', 'R&D drafts', 'Photos, summer'];

/** How folders are called at first, by their number. */
export const FIRST_NAMES: ReadonlyMap<number, string> = new Map([
  [HOME, 'All files'],
  ...FOLDERS.map((id, index) => [id, NAMES[index] ?? String(id)] as const),
]);

/** What an account holds at first: in each folder so many files of somebody else. */
export const accountSeed = (crowd: number): Seed => ({
  people: [
    {
      id: OUR_PERSON,
      firstName: 'Maya',
      lastName: 'Lindqvist',
      email: 'maya@example.com',
      apiKey: OUR_KEY,
      projects: [PROJECT],
    },
    {
      id: STRANGER,
      firstName: 'Tomás',
      lastName: 'Herrera',
      email: 'tomas@example.com',
      apiKey: STRANGER_KEY,
      projects: [PROJECT],
    },
  ],
  projects: [
    {
      id: PROJECT,
      title: 'Office move',
      creatorId: OUR_PERSON,
      homeFolderId: HOME,
      createdAt: BEGINNING - 86_400_000,
      folders: [
        { id: HOME, name: FIRST_NAMES.get(HOME) ?? '' },
        ...FOLDERS.map((id, index) => ({
          id,
          name: FIRST_NAMES.get(id) ?? '',
          files: crowdOf(crowd, (index + 1) * 1_000),
        })),
      ],
    },
  ],
});

function crowdOf(count: number, firstId: number): SeedFile[] {
  return Array.from({ length: count }, (_, index) => ({
    id: firstId + index,
    name: `scan ${index}.pdf`,
    content: `scan ${index}`,
    creatorId: STRANGER,
    createdAt: BEGINNING - 80_000_000 + index * 1_000,
  }));
}

import type { Seed, SeedFile } from '../../../src/playground/file-service/index.ts';
import { BEGINNING } from '../kernel/virtual-time.ts';

/** The app's API key. */
export const OUR_KEY = 'key-of-the-app';
/** The person whom that key belongs to. */
export const OUR_PERSON = 12009183;
/** The key of another person in the account. */
export const STRANGER_KEY = 'key-of-a-stranger';
export const STRANGER = 12009184;
export const PROJECT = 23423235;
/** The folders that channels can be linked to. */
export const FOLDERS = [67811600, 67811601, 67811602] as const;
const HOME = 67811599;

const NAMES = ['Contracts', 'R&D drafts', 'Photos, summer'];

/** The folders' initial names, by number. */
export const FIRST_NAMES: ReadonlyMap<number, string> = new Map([
  [HOME, 'All files'],
  ...FOLDERS.map((id, index) => [id, NAMES[index] ?? String(id)] as const),
]);

/** Returns the initial account: each folder holds `crowd` files of another person. */
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

import { defaultSeed, type Seed, type SeedFile } from '../../src/playground/file-service/index.ts';

export const MAYA = 12009183;
const HOUR_MS = 3_600_000;

/** Returns a file of a seed: created now, by Maya unless changed. */
export function seedFile(id: number, changes: Partial<SeedFile> = {}): SeedFile {
  const common = { content: 'abc', creatorId: MAYA, createdAt: Date.now() };
  return { id, name: `${id}.txt`, ...common, ...changes };
}

/**
 * Returns `count` files, one for each hour up to an hour ago, oldest first, as the account stores
 * them.
 */
export function seedFiles(count: number, change: (nth: number) => Partial<SeedFile>): SeedFile[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, nth) =>
    seedFile(2_000_000 + nth, { createdAt: now - (count - nth) * HOUR_MS, ...change(nth) }),
  );
}

type SeedFolder = Seed['projects'][number]['folders'][number];

/** Returns the default seed with these files in its folders, by folder number. */
export function seedWith(files: Record<number, readonly SeedFile[]>): Seed {
  const fill = (folder: SeedFolder): SeedFolder => ({
    ...folder,
    folders: (folder.folders ?? []).map(fill),
    files: files[folder.id] ?? folder.files ?? [],
  });
  const projects = defaultSeed.projects.map((project) => ({
    ...project,
    folders: project.folders.map(fill),
  }));
  return { ...defaultSeed, projects };
}

import { createHash } from 'node:crypto';
import { type Account, emptyAccount } from './account.ts';
import { applyEffect, type Effect } from './apply-effect.ts';
import type { Seed, SeedFile, SeedFolder, SeedPerson, SeedProject } from './seed.ts';

/** The account that a seed describes, and its files' bytes by attachment identifier. */
interface SeededAccount {
  account: Account;
  contents: Map<number, Buffer>;
}

export function seedAccount(seed: Seed): SeededAccount {
  const account = emptyAccount();
  const contents = new Map<number, Buffer>();
  for (const person of seed.people) addPerson(account, person);
  for (const project of seed.projects) {
    addProject(account, project);
    for (const effect of folderEffects(project, project.folders, null)) {
      applyEffect(account, effect);
    }
    for (const file of filesOf(project.folders)) contents.set(file.id, Buffer.from(file.content));
  }
  return { account, contents };
}

function addPerson(account: Account, { apiKey: _, ...person }: SeedPerson): void {
  account.people.set(person.id, { readOnlyFolders: [], suspended: false, ...person });
}

function addProject(account: Account, { folders: _, ...project }: SeedProject): void {
  account.projects.set(project.id, { description: '', archived: false, ...project });
}

function folderEffects(
  project: SeedProject,
  folders: readonly SeedFolder[],
  parentId: number | null,
): Effect[] {
  return folders.flatMap((folder) => [
    { type: 'folder-created', folder: seededFolder(project, folder, parentId) },
    ...(folder.files ?? []).flatMap((file) => fileEffects(project.id, folder.id, file)),
    ...folderEffects(project, folder.folders ?? [], folder.id),
  ]);
}

function seededFolder({ id, createdAt }: SeedProject, folder: SeedFolder, parentId: number | null) {
  return {
    id: folder.id,
    name: folder.name,
    projectId: id,
    parentId,
    createdAt,
    updatedAt: createdAt,
  };
}

function fileEffects(projectId: number, folderId: number, seed: SeedFile): Effect[] {
  const { id, name, creatorId, createdAt, approvedBy = [], proofCount = 0 } = seed;
  const content = Buffer.from(seed.content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const bytes = { id, projectId, name, byteSize: content.length, sha256 };
  const attachment = { ...bytes, uploaderId: creatorId, uploadedAt: createdAt };
  const dates = { createdAt, updatedAt: createdAt };
  const file = {
    ...bytes,
    ...dates,
    attachmentId: id,
    folderId,
    creatorId,
    approvedBy,
    proofCount,
  };
  return [
    { type: 'attachment-uploaded', attachment },
    { type: 'files-created', files: [file] },
  ];
}

function filesOf(folders: readonly SeedFolder[]): SeedFile[] {
  return folders.flatMap(({ files = [], folders: nested = [] }) => [...files, ...filesOf(nested)]);
}

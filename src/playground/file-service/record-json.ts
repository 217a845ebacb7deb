import { extname } from 'node:path';
import type { Folder, Person, Project, StoredFile } from './account.ts';

const FILE_TYPES = new Map([
  ['.csv', 'text/csv'],
  ['.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['.gif', 'image/gif'],
  ['.html', 'text/html'],
  ['.jpeg', 'image/jpeg'],
  ['.jpg', 'image/jpeg'],
  ['.json', 'application/json'],
  ['.md', 'text/markdown'],
  ['.mov', 'video/quicktime'],
  ['.mp3', 'audio/mpeg'],
  ['.mp4', 'video/mp4'],
  ['.pdf', 'application/pdf'],
  ['.png', 'image/png'],
  ['.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain'],
  ['.webp', 'image/webp'],
  ['.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['.zip', 'application/zip'],
]);

/** A file's type, by its extension alone. */
export function fileType(name: string): string {
  return FILE_TYPES.get(extname(name).toLowerCase()) ?? 'application/octet-stream';
}

/** A file as `viewer` is told of it (service interface, section 2.1 and appendix). */
export function fileJson(file: StoredFile, viewer: Person, accountUrl: string) {
  return {
    id: file.id,
    name: file.name,
    byte_size: file.byteSize,
    created_at: timeJson(file.createdAt),
    updated_at: timeJson(file.updatedAt),
    source: 'upload',
    approved_by_me: file.approvedBy.includes(viewer.id),
    approved_by: file.approvedBy,
    approved_count: file.approvedBy.length,
    file_type: fileType(file.name),
    proof_count: file.proofCount,
    by_me: file.creatorId === viewer.id,
    url: `${accountUrl}/files/${file.id}/download`,
    creator: { id: file.creatorId },
  };
}

/** Service interface, appendix. `level` is 1 for the top. */
export function folderJson(folder: Folder, level: number) {
  return {
    id: folder.id,
    level,
    name: folder.name,
    reply_email: `f+${folder.projectId}-${folder.id}@files.example`,
    created_at: timeJson(folder.createdAt),
    updated_at: timeJson(folder.updatedAt),
    parent_id: folder.parentId ?? 'root',
    type: 'folder',
    project: { id: folder.projectId },
  };
}

/** Service interface, appendix. */
export function projectJson(project: Project, people: readonly Person[]) {
  const assigned = people.filter(({ projects }) => projects.includes(project.id));
  return {
    id: project.id,
    title: project.title,
    description: project.description,
    archived: project.archived,
    assigned: assigned.map(({ id }) => id),
    creator: { id: project.creatorId },
    created_at: timeJson(project.createdAt),
    updated_at: timeJson(project.createdAt),
  };
}

/** Service interface, appendix. */
export function personJson(person: Person) {
  return {
    id: person.id,
    first_name: person.firstName,
    last_name: person.lastName,
    email: person.email,
    suspended: person.suspended,
    projects: person.projects,
  };
}

/** ISO 8601 with a numeric offset, in whole seconds, rounded down as the `Date` header is. */
function timeJson(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}

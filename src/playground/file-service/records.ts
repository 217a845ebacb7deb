import { extname } from 'node:path';
import type { Folder, Person, Project, StoredFile } from './account.ts';
import type { Behaviour } from './behaviour.ts';
import type { RequestContext } from './request-context.ts';

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

/** Returns a file's media type, judged by its extension only. */
export function fileType(name: string): string {
  return FILE_TYPES.get(extname(name).toLowerCase()) ?? 'application/octet-stream';
}

/** Returns a file record for the key's user (service interface, section 2.1, both appendices). */
export function fileJson(file: StoredFile, { person, accountUrl, behaviour }: RequestContext) {
  return {
    id: file.id,
    name: textJson(file.name, behaviour.fileNames),
    byte_size: file.byteSize,
    created_at: timeJson(file.createdAt),
    updated_at: timeJson(file.updatedAt),
    source: 'upload',
    approved_by_me: file.approvedBy.includes(person.id),
    approved_by: file.approvedBy,
    approved_count: file.approvedBy.length,
    file_type: fileType(file.name),
    proof_count: file.proofCount,
    by_me: file.creatorId === person.id,
    url: urlJson(file, `${accountUrl}/files/${file.id}/download`, behaviour),
    creator: creatorJson(file.creatorId, behaviour),
  };
}

export type FolderJson = ReturnType<typeof folderJson>;

/** Returns a folder's record (service interface, appendix); `level` is 1 for a top folder. */
export function folderJson(
  folder: Folder,
  { store, behaviour }: RequestContext,
  level = store.pathOf(folder).length,
) {
  return {
    id: folder.id,
    level,
    name: textJson(folder.name, behaviour.folderNames),
    reply_email: `f+${folder.projectId}-${folder.id}@files.example`,
    created_at: timeJson(folder.createdAt),
    updated_at: timeJson(folder.updatedAt),
    parent_id: folder.parentId ?? 'root',
    type: 'folder',
    project: { id: folder.projectId },
  };
}

/** Returns a project's record (service interface, appendix). */
export function projectJson(project: Project, { store, behaviour }: RequestContext) {
  const assigned = store.people().filter(({ projects }) => projects.includes(project.id));
  return {
    id: project.id,
    title: textJson(project.title, behaviour.titles),
    description: textJson(project.description, behaviour.titles),
    archived: project.archived,
    assigned: assigned.map(({ id }) => id),
    creator: creatorJson(project.creatorId, behaviour),
    created_at: timeJson(project.createdAt),
    updated_at: timeJson(project.createdAt),
  };
}

/** Returns a person's record (service interface, appendix). */
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

function textJson(text: string, form: 'plain' | 'escaped'): string {
  return form === 'escaped' ? escapeHtml(text) : text;
}

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#039;'],
]);

/** Escapes text as real accounts do (service interface, appendix 2, R6). */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES.get(character) ?? character);
}

function creatorJson(creatorId: number, { creator }: Behaviour) {
  return creator === 'number' ? creatorId : { id: creatorId };
}

function urlJson({ name }: StoredFile, url: string, { fileUrl }: Behaviour) {
  if (fileUrl === 'text') return url;
  return { view: url, full_image: fileType(name).startsWith('image/') ? url : null };
}

/** ISO 8601 with a numeric offset, in whole seconds, rounded down like the `Date` header. */
function timeJson(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}

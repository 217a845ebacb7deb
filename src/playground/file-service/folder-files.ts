import { extname } from 'node:path';
import type { Attachment, Folder, StoredFile } from './account.ts';
import type { Behaviour } from './behaviour.ts';
import { listed, orUnknownParent } from './lists.ts';
import { fileJson } from './records.ts';
import { jsonBody, type RequestContext } from './request-context.ts';
import { HttpError, jsonResponse, noContent, type ResponseData } from './responses.ts';
import { requireFile, requireFolder, requireProject, requireWritable } from './validation.ts';

/** Lists the folder's files (service interface, section 4.1, and appendix 2, R1 and R5). */
export function listFiles(context: RequestContext): ResponseData {
  const { ids, person, store } = context;
  const files = orUnknownParent(
    context,
    () => store.files(requireFolder(context, ids.projectId, ids.folderId).id),
    () => store.files().filter(({ projectId }) => person.projects.includes(projectId)),
  );
  const records = listed(context, 'files', files).map((file) => fileJson(file, context));
  return jsonResponse(200, records);
}

/**
 * Creates files from attachments (service interface, section 4.2). Without `folder` in the body
 * they go to the project's home folder, whatever the path names. Refuses all with 400 if one is
 * unknown, another project's, listed twice, or used before (where `attachmentUse` is `once`).
 */
export async function createFiles(context: RequestContext): Promise<ResponseData> {
  const { ids, person, store } = context;
  const body = await jsonBody(context);
  requireFolder(context, ids.projectId, ids.folderId);
  const folder = targetFolder(context, body['folder']);
  requireWritable(context, folder);
  const attachments = renamed(context, folder, readAttachments(context, body['attachments']));
  return createdResponse(context, store.createFiles(folder, attachments, person.id));
}

/** Deletes a file (service interface, section 4.3). */
export function deleteFile(context: RequestContext): ResponseData {
  const { ids, store } = context;
  const folder = requireFolder(context, ids.projectId, ids.folderId);
  const file = requireFile(context, folder, ids.fileId);
  requireWritable(context, folder);
  store.deleteFile(file.id);
  return noContent;
}

function targetFolder(context: RequestContext, folderId: unknown): Folder {
  const { projectId } = context.ids;
  if (folderId === undefined) {
    return requireFolder(context, projectId, requireProject(context, projectId).homeFolderId);
  }
  if (!isIdentifier(folderId)) throw new HttpError(400, '"folder" must be an integer.');
  return requireFolder(context, projectId, folderId);
}

function readAttachments(context: RequestContext, listed: unknown): Attachment[] {
  if (!Array.isArray(listed) || listed.length === 0 || !listed.every(isIdentifier)) {
    throw new HttpError(400, '"attachments" must be an array of integers, at least one.');
  }
  if (new Set(listed).size < listed.length) {
    throw new HttpError(400, 'An attachment is listed twice.');
  }
  return listed.map((attachmentId) => usableAttachment(context, attachmentId));
}

function usableAttachment(
  { ids, store, attachmentUse }: RequestContext,
  attachmentId: number,
): Attachment {
  const attachment = store.attachment(attachmentId);
  if (attachment?.projectId !== ids.projectId) {
    throw new HttpError(400, `This project has no attachment ${attachmentId}.`);
  }
  if (attachmentUse === 'once' && store.isUsed(attachmentId)) {
    throw new HttpError(400, `Attachment ${attachmentId} has been used already.`);
  }
  return attachment;
}

/** Returns the attachments with the names that the account gives their files. */
function renamed({ store, behaviour }: RequestContext, folder: Folder, attachments: Attachment[]) {
  const taken = new Set(store.files(folder.id).map(({ name }) => name));
  return attachments.map((attachment) => {
    const name = nameOnCreate(attachment, behaviour, taken);
    taken.add(name);
    return { ...attachment, name };
  });
}

/** Returns the name that a created file gets; a numbered one avoids the folder's `taken` names. */
function nameOnCreate(
  { id, name }: Attachment,
  { namesOnCreate }: Behaviour,
  taken: ReadonlySet<string>,
): string {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  switch (namesOnCreate) {
    case 'kept':
      return name;
    case 'own':
      return `file-${id}${extension}`;
    case 'numbered': {
      let number = 1;
      while (taken.has(`${stem}_${number}${extension}`)) number += 1;
      return `${stem}_${number}${extension}`;
    }
  }
}

function createdResponse(context: RequestContext, files: readonly StoredFile[]): ResponseData {
  const records = files.map((file) => fileJson(file, context));
  const asArray =
    context.createAnswer === 'array' ||
    (context.createAnswer === 'one-or-array' && records.length > 1);
  return jsonResponse(201, asArray ? records : records[0]);
}

function isIdentifier(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

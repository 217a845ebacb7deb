import { extname } from 'node:path';
import { ofPlace, requireFile, requireFolder, requireProject, requireWritable } from './access.ts';
import type { Attachment, Folder, StoredFile } from './account.ts';
import { type Answer, jsonAnswer, noContent } from './answer.ts';
import type { Behaviour } from './behaviour.ts';
import type { Call } from './call.ts';
import { listed } from './list-page.ts';
import { readJsonBody } from './read-json-body.ts';
import { fileJson } from './record-json.ts';
import { Refusal } from './refusal.ts';

/** Lists the folder's files (service interface, section 4.1, and appendix 2, R1 and R5). */
export function listFiles(call: Call): Answer {
  const { ids, person, store } = call;
  const files = ofPlace(
    call,
    () => store.files(requireFolder(call, ids.projectId, ids.folderId).id),
    () => store.files().filter(({ projectId }) => person.projects.includes(projectId)),
  );
  const records = listed(call, 'files', files).map((file) => fileJson(file, call));
  return jsonAnswer(200, records);
}

/**
 * Creates files from attachments (service interface, section 4.2). Without `folder` in the body
 * they go to the project's home folder, whatever the path names. Refuses all with 400 if one is
 * unknown, another project's, listed twice, or used before (where `attachmentUse` is `once`).
 */
export async function createFiles(call: Call): Promise<Answer> {
  const { ids, person, store } = call;
  const body = await readJsonBody(call.request);
  requireFolder(call, ids.projectId, ids.folderId);
  const folder = targetFolder(call, body['folder']);
  requireWritable(call, folder);
  const attachments = renamed(call, folder, readAttachments(call, body['attachments']));
  return createdAnswer(call, store.createFiles(folder, attachments, person.id));
}

/** Deletes a file (service interface, section 4.3). */
export function deleteFile(call: Call): Answer {
  const { ids, store } = call;
  const folder = requireFolder(call, ids.projectId, ids.folderId);
  const file = requireFile(call, folder, ids.fileId);
  requireWritable(call, folder);
  store.deleteFile(file.id);
  return noContent;
}

function targetFolder(call: Call, folderId: unknown): Folder {
  const { projectId } = call.ids;
  if (folderId === undefined) {
    return requireFolder(call, projectId, requireProject(call, projectId).homeFolderId);
  }
  if (!isIdentifier(folderId)) throw new Refusal(400, '"folder" must be an integer.');
  return requireFolder(call, projectId, folderId);
}

function readAttachments(call: Call, listed: unknown): Attachment[] {
  if (!Array.isArray(listed) || listed.length === 0 || !listed.every(isIdentifier)) {
    throw new Refusal(400, '"attachments" must be an array of integers, at least one.');
  }
  if (new Set(listed).size < listed.length) {
    throw new Refusal(400, 'An attachment is listed twice.');
  }
  return listed.map((attachmentId) => usableAttachment(call, attachmentId));
}

function usableAttachment({ ids, store, attachmentUse }: Call, attachmentId: number): Attachment {
  const attachment = store.attachment(attachmentId);
  if (attachment?.projectId !== ids.projectId) {
    throw new Refusal(400, `This project has no attachment ${attachmentId}.`);
  }
  if (attachmentUse === 'once' && store.isUsed(attachmentId)) {
    throw new Refusal(400, `Attachment ${attachmentId} has been used already.`);
  }
  return attachment;
}

/** Returns the attachments with the names that the account gives their files. */
function renamed({ store, behaviour }: Call, folder: Folder, attachments: Attachment[]) {
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

function createdAnswer(call: Call, files: readonly StoredFile[]): Answer {
  const records = files.map((file) => fileJson(file, call));
  const asArray =
    call.createAnswer === 'array' || (call.createAnswer === 'one-or-array' && records.length > 1);
  return jsonAnswer(201, asArray ? records : records[0]);
}

function isIdentifier(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

import { requireProject } from './access.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { type MultipartForm, readMultipartForm } from './multipart-form.ts';
import { fileType } from './record-json.ts';
import { Refusal } from './refusal.ts';

/**
 * Stores an upload (service interface, section 4.4). Returns 200 with `file_id`, the name and the
 * size. An upload that is refused or aborted leaves nothing behind.
 */
export async function uploadFile(call: Call): Promise<Answer> {
  const { person, request, store } = call;
  const form = await readMultipartForm(request, store.receive);
  try {
    const { name, bytes } = requireUpload(form);
    const { id: projectId } = requireProject(call, readProjectId(form));
    const upload = { projectId, uploaderId: person.id, name, bytes };
    const { id, byteSize } = await store.addAttachment(upload);
    return jsonAnswer(200, { file_id: id, name, byte_size: byteSize });
  } catch (error) {
    await form.file?.bytes.discard();
    throw error;
  }
}

function requireUpload({ file }: MultipartForm): NonNullable<MultipartForm['file']> {
  if (!file) throw new Refusal(400, 'The field "file" is missing.');
  return file;
}

function readProjectId({ fields }: MultipartForm): number {
  const text = fields.get('project_id');
  if (text === undefined) throw new Refusal(400, 'The field "project_id" is missing.');
  if (!/^[1-9][0-9]{0,14}$/.test(text)) {
    throw new Refusal(400, 'The field "project_id" must be an integer.');
  }
  return Number(text);
}

/** Returns a file's bytes: its record's `url` leads here. Not in the specified interface. */
export function downloadFile(call: Call): Answer {
  const { ids, store } = call;
  const file = store.file(ids.fileId);
  if (!file) throw new Refusal(404, 'There is no such file.');
  requireProject(call, file.projectId);
  const body = store.openFile(file.id);
  if (!body) throw new Refusal(404, 'The bytes of this file are not kept.');
  const headers = {
    'Content-Type': fileType(file.name),
    'Content-Length': file.byteSize,
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
  };
  return { status: 200, headers, body };
}

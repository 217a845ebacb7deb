import { requireProject } from './access.ts';
import type { Answer } from './answer.ts';
import type { Call } from './call.ts';
import { fileType } from './record-json.ts';
import { Refusal } from './refusal.ts';

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

import { type Answer, badAnswer } from './answer.ts';
import { apiOperation, type CallContext, type CallOptions, callWithRetries } from './call.ts';
import { type Folder, flattenFolders } from './folders.ts';
import { parseJson } from './json.ts';

export interface NewFolder {
  projectId: number;
  name: string;
}

/**
 * Makes a folder at the top of a project (service interface, appendix). Only what never left goes
 * again: after an error other than `sent: 'no'` the folder may be there.
 */
export function createFolder(
  context: CallContext,
  { projectId, name }: NewFolder,
  options: CallOptions,
): Promise<Folder> {
  const operation = apiOperation('POST', `/projects/${projectId}/folders`);
  return callWithRetries(context, { operation, json: { name }, options }, readCreated);
}

function readCreated(answer: Answer): Folder {
  const [folder] = flattenFolders([parseJson(answer.text)]).records;
  if (!folder) throw badAnswer(answer, 'no readable folder');
  return folder;
}

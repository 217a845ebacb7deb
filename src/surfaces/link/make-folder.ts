import { type Folder, ServiceError, type ServiceErrorCode } from '../../service/index.ts';
import type { Handler } from '../kit/answer.ts';
import { type FolderRequest, topFolder } from './search-options.ts';

/** A top-level folder of a project, by its name. */
type WantedFolder = Extract<FolderRequest, { name: string }>;

const REFUSALS: readonly ServiceErrorCode[] = [
  'SERVICE_FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'SERVICE_REFUSED',
  'SERVICE_BAD_REQUEST',
  'SERVICE_BLOCKED',
];

/**
 * Resolves with a project's top-level folder of that name, in any case, created if there is none; null if the
 * account refuses to create it. After a create without an answer it looks for the folder and never
 * repeats the request. Rejects with ServiceError.
 */
export const findOrCreate: Handler<WantedFolder, Folder | null> = async (
  asked,
  wanted,
  context,
) => {
  const { newIn: projectId, name } = wanted;
  const there = await find(asked, wanted, context);
  if (there) return there;
  try {
    const made = await context.service.createFolder({ projectId, name }, asked.call);
    // This fresh list replaces the cached one, so searches find the new folder.
    return (await find(asked, wanted, context)) ?? made;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.sent === 'no') throw error;
    if (REFUSALS.includes(error.code)) return null;
    const made = await find(asked, wanted, context);
    if (made) return made;
    throw error;
  }
};

const find: Handler<WantedFolder, Folder | null> = async ({ call }, { newIn, name }, { names }) => {
  const { list } = await names.folders(newIn, { ...call, maxAgeMs: 0 });
  return list && topFolder(list.records, name);
};

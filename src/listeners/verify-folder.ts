import type { LinkRefusal } from '../blocks/index.ts';
import { type CallOptions, type ServiceClient, ServiceError } from '../service/index.ts';
import type { Destination } from '../transfers/index.ts';
import type { Asked } from './answer.ts';
import type { ListenerContext } from './listener-context.ts';
import {
  type FolderLists,
  mayBeProject,
  type ResolvedFolder,
  resolveFolder,
} from './resolve-folder.ts';
import { listAge } from './share-used.ts';

/**
 * The folder that somebody typed or chose. What the copy does not know yet may be there: the account is
 * asked anew before anybody is refused.
 */
export async function findTyped(
  asked: Asked,
  typed: string,
  { names, service, isBusy, accountUrl, findDestination }: ListenerContext,
): Promise<ResolvedFolder> {
  const { call } = asked;
  const projectId = (await findDestination(asked))?.projectId ?? null;
  const from = { accountUrl, projectId };
  const copy = { ...call, maxAgeMs: listAge({ isBusy }).wanted };
  const copies = {
    listProjects: async () => (await names.projects(copy)).list,
    listFolders: async (id: number) => (await names.folders(id, copy)).list,
  };
  const known = await resolveFolder(typed, copies, from);
  return 'refusal' in known ? resolveFolder(typed, freshLists(service, call), from) : known;
}

function freshLists(service: ServiceClient, call: CallOptions): FolderLists {
  return {
    listProjects: () => service.listProjects(call),
    listFolders: (projectId) => service.listFolders(projectId, call),
  };
}

/**
 * Why nothing can be filed into a folder; null where it can. The folder is looked into: what cannot be
 * read cannot be filed into. That it can be does not prove that it is there: some accounts list a
 * folder that is not there as an empty one.
 */
export async function tryFolder(
  { call }: Asked,
  folder: Destination & { isKnown: boolean },
  { service }: ListenerContext,
): Promise<Extract<LinkRefusal, 'no-such-folder' | 'forbidden'> | null> {
  try {
    await service.glimpseFiles(folder, call);
    const mayBe =
      folder.isKnown || (await mayBeProject(folder.projectId, freshLists(service, call)));
    return mayBe ? null : 'no-such-folder';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'SERVICE_FORBIDDEN') return 'forbidden';
    if (error.code === 'SERVICE_NOT_FOUND') return 'no-such-folder';
    throw error;
  }
}

import {
  type AccountStore,
  type Behaviour,
  DEMO_API_KEY,
  type FileService,
  type Folder,
  inOneTree,
} from '../file-service/index.ts';
import { currentFault } from './service-controls.ts';
import type { PageState } from './state-updates.ts';

const REQUESTS_SHOWN = 30;

/**
 * Returns the state of the file service: projects, files, rate limit, requests, fault, profile, the name
 * of the user of Pigeonhole's key, and the account's address, by which the page recognizes links to
 * its files.
 */
export function serviceState(service: FileService): PageState {
  const { firstName = '', lastName = '' } = service.store.personByKey(DEMO_API_KEY) ?? {};
  return new Map<string, unknown>([
    ...accountState(service.store, service.behaviour.current().folderList),
    ['keyUser', `${firstName} ${lastName}`],
    ['account', service.accountUrl],
    ['rateLimit', rateLimitOf(service)],
    ['requests', service.requests.list().slice(-REQUESTS_SHOWN).reverse()],
    ['fault', currentFault(service)],
    ['profile', service.behaviour.profile()],
  ]);
}

/** Returns an account's projects with their folders, as it lists them, and all its files. */
export function accountState(
  store: AccountStore,
  folderList: Behaviour['folderList'] = 'flat',
): PageState {
  const state = new Map<string, unknown>();
  const creators = new Map(store.people().map(({ id, firstName }) => [id, firstName]));
  for (const project of store.projects()) {
    const { id, title } = project;
    const listed = folderList === 'one-object' ? inOneTree(store, project) : store.folders(id);
    state.set(`project/${id}`, { id, title, folders: foldersOf(store, listed) });
  }
  for (const { id, name, byteSize, sha256, createdAt, creatorId, folderId } of store.files()) {
    const creator = creators.get(creatorId) ?? '';
    state.set(`file/${folderId}/${id}`, { id, name, byteSize, sha256, createdAt, creator });
  }
  return state;
}

function foldersOf(store: AccountStore, folders: readonly Folder[]) {
  const depths = new Map<number, number>();
  // Each comes after its parent.
  return folders.map(({ id, name, parentId }) => {
    const depth = parentId === null ? 0 : (depths.get(parentId) ?? 0) + 1;
    depths.set(id, depth);
    return { id, name, parentId, depth, count: store.files(id).length };
  });
}

function rateLimitOf({ window }: FileService) {
  const { used, limit, windowMs } = window.usage();
  const { total, refused, most } = window.statistics();
  const seconds = window.history().map((second) => [second.admitted, second.refused]);
  return { used, limit, windowMs, total, refused, most, seconds };
}

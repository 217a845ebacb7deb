import {
  type AccountStore,
  type Behaviour,
  DEMO_API_KEY,
  type FileService,
  type Folder,
  inOneTree,
  type StoredFile,
} from '../file-service/index.ts';
import type { Parts } from './parts.ts';
import { currentMood } from './service-switches.ts';

const REQUESTS_SHOWN = 30;

/**
 * Returns the parts of the file service: projects, files, gauge, requests, mood, profile, the name
 * of the user of Pigeonhole's key, and the account's address, by which the page recognizes links to
 * its files.
 */
export function serviceParts(service: FileService): Parts {
  const parts = accountParts(service.store, service.behaviour.current().folderList);
  const { firstName = '', lastName = '' } = service.store.personByKey(DEMO_API_KEY) ?? {};
  parts.set('keyUser', `${firstName} ${lastName}`);
  parts.set('account', service.accountUrl);
  parts.set('gauge', gaugeOf(service));
  parts.set('requests', service.requests.list().slice(-REQUESTS_SHOWN).reverse());
  parts.set('mood', currentMood(service));
  parts.set('profile', service.behaviour.profile());
  return parts;
}

/** Returns an account's projects with their folders, as it lists them, and all its files. */
export function accountParts(
  store: AccountStore,
  folderList: Behaviour['folderList'] = 'flat',
): Parts {
  const parts: Parts = new Map();
  const creators = new Map(store.people().map(({ id, firstName }) => [id, firstName]));
  for (const project of store.projects()) {
    const { id, title } = project;
    const listed = folderList === 'one-object' ? inOneTree(store, project) : store.folders(id);
    parts.set(`project/${id}`, { id, title, folders: shownFolders(store, listed) });
  }
  for (const file of store.files()) {
    parts.set(`file/${file.folderId}/${file.id}`, shownFile(file, creators));
  }
  return parts;
}

function shownFolders(store: AccountStore, folders: readonly Folder[]) {
  const depths = new Map<number, number>();
  // Each comes after its parent.
  return folders.map(({ id, name, parentId }) => {
    const depth = parentId === null ? 0 : (depths.get(parentId) ?? 0) + 1;
    depths.set(id, depth);
    return { id, name, parentId, depth, count: store.files(id).length };
  });
}

function shownFile(file: StoredFile, creators: Map<number, string>) {
  const { id, name, byteSize, sha256, createdAt, creatorId } = file;
  return { id, name, byteSize, sha256, createdAt, creator: creators.get(creatorId) ?? '' };
}

function gaugeOf({ window }: FileService) {
  const { used, limit, windowMs } = window.usage();
  const { total, refused, most } = window.statistics();
  const seconds = window
    .history()
    .map(({ admitted, refused: turnedAway }) => [admitted, turnedAway]);
  return { used, limit, windowMs, total, refused, most, seconds };
}

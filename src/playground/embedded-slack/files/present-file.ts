import { TEAM } from '../people.ts';
import type { SlackFile } from '../slack-shapes.ts';
import type { StoredFile } from './file-store.ts';

/** Where a file object appears; some oddities show in only one place. */
export type Place = 'message' | 'info';

/** Returns the file object that the app sees, from the emulator's record and the stored file. */
export function presentFile(
  record: SlackFile,
  stored: StoredFile | undefined,
  { origin, place }: { origin: string; place: Place },
): SlackFile {
  if (!stored) return record;
  const { oddity } = stored;
  if (oddity.as === 'tombstone' || oddity.as === 'hidden_by_limit') return withheld(stored);
  if (oddity.as === 'stub' && place === 'message') return stubOf(stored, 'check_file_info');
  if (oddity.info === 'access_denied' && place === 'info') return stubOf(stored, oddity.info);
  const whole = wholeFile(record, stored, origin);
  if (oddity.as === 'external') return externalFile(whole, stored);
  return hasAddress(stored, place) ? whole : withoutAddress(whole);
}

function wholeFile(record: SlackFile, stored: StoredFile, origin: string): SlackFile {
  const { id, name, mimetype, size, oddity } = stored;
  const base = `${origin}/files-pri/${TEAM.id}-${id}`;
  const shownName = oddity.nameless ? null : name;
  return {
    ...record,
    name: shownName,
    title: shownName,
    mimetype: mimetype ?? record.mimetype ?? 'application/octet-stream',
    size: oddity.statedSize ?? size,
    file_access: 'visible',
    url_private: `${base}/${encodeURIComponent(name)}`,
    url_private_download: `${base}/download/${encodeURIComponent(name)}`,
    permalink: `${origin}/files/${record['user']}/${id}/${encodeURIComponent(name)}`,
  };
}

function hasAddress({ oddity, infos }: StoredFile, place: Place): boolean {
  if (oddity.urlAfterInfos === undefined) return true;
  return place === 'info' && infos > oddity.urlAfterInfos;
}

function withoutAddress(file: SlackFile): SlackFile {
  const { url_private: _url, url_private_download: _download, ...rest } = file;
  return rest;
}

function stubOf({ id }: StoredFile, access: string): SlackFile {
  return { id, mode: 'file_access', file_access: access, created: 0, timestamp: 0, user: '' };
}

function withheld({ id, oddity }: StoredFile): SlackFile {
  return oddity.as === 'tombstone'
    ? { id, mode: 'tombstone' }
    : { id, mode: 'hidden_by_limit', name: null, date_delete: 0 };
}

function externalFile(whole: SlackFile, { id }: StoredFile): SlackFile {
  const address = `https://drive.example.com/file/${id}`;
  const { url_private_download: _download, ...rest } = whole;
  const link = { external_type: 'gdrive', external_id: id, external_url: address };
  return {
    ...rest,
    ...link,
    mode: 'external',
    is_external: true,
    size: 0,
    url_private: address,
  };
}

import type { Json, SlackFile } from '../slack-types.ts';
import { TEAM } from '../workspace-seed.ts';

/** A failure of a download. */
export interface DownloadFault {
  /**
   * A number is that HTTP status. `html`: the sign-in page with status 200. `sign-in`: a redirect to
   * it. `truncated`: too few bytes, but a normal end. `cut`: the connection breaks midway. `stalled`:
   * the bytes stop arriving. `signed`: the file, at an address of Slack's that needs no token.
   */
  answer: number | 'html' | 'sign-in' | 'truncated' | 'cut' | 'stalled' | 'signed';
  /** Bytes sent before a download ends early, breaks or stalls. Default: half of the file. */
  after?: number;
  /** How many downloads fail before they succeed. Default: all. */
  times?: number;
}

/**
 * How a file deviates from a normal one, as some files in Slack do
 * (https://docs.slack.dev/reference/objects/file-object).
 */
export interface FileVariant {
  /**
   * `external`: a link to another site. `tombstone`: deleted. `hidden_by_limit`: out of the free
   * plan's reach. `stub`: the message has only its identifier (`check_file_info`).
   */
  mode?: 'external' | 'tombstone' | 'hidden_by_limit' | 'stub';
  /** What `files.info` returns instead: a stub with `access_denied`, or `file_not_found`. */
  info?: 'access_denied' | 'file_not_found';
  /** Messages and the first `n` responses of `files.info` omit the download addresses. */
  urlAfterInfos?: number;
  /** The size that Slack states, in bytes, instead of the real one. */
  statedSize?: number;
  /** Slack states no name. */
  nameless?: boolean;
  /** Fields that Slack states instead of the file's own. */
  fields?: Json;
  /** The same, in messages only: what Slack says early may be wrong. */
  early?: Json;
  download?: DownloadFault;
}

/** What is known about an uploaded file besides the emulator's record. */
export interface FileDetails {
  id: string;
  name: string;
  mimetype: string | undefined;
  /** Bytes. */
  size: number;
  variant: FileVariant;
  /** How often `files.info` was called. */
  infos: number;
}

/** Where a file object appears; some variants show in only one place. */
export type Place = 'message' | 'info';

/** Returns the file object that the app sees. */
export function fileObject(
  record: SlackFile,
  details: FileDetails,
  { origin, place }: { origin: string; place: Place },
): SlackFile {
  const { id, variant, infos } = details;
  if (variant.mode === 'tombstone') return { id, mode: 'tombstone' };
  if (variant.mode === 'hidden_by_limit') {
    return { id, mode: 'hidden_by_limit', name: null, date_delete: 0 };
  }
  if (variant.mode === 'stub' && place === 'message') return stub(id, 'check_file_info');
  if (variant.info === 'access_denied' && place === 'info') return stub(id, variant.info);
  const { url_private, url_private_download, ...rest } = completeObject(record, details, origin);
  if (variant.mode === 'external') return { ...rest, ...externalLink(id) };
  const { urlAfterInfos = -1, fields, early } = variant;
  const isReady = urlAfterInfos < 0 || (place === 'info' && infos > urlAfterInfos);
  const addresses = isReady ? { url_private, url_private_download } : {};
  return { ...rest, ...addresses, ...fields, ...(place === 'message' ? early : {}) };
}

function completeObject(record: SlackFile, details: FileDetails, origin: string) {
  const { id, name, mimetype, size, variant } = details;
  const path = `${TEAM.id}-${id}`;
  const shownName = variant.nameless ? null : name;
  return {
    ...record,
    name: shownName,
    title: shownName,
    mimetype: mimetype ?? record.mimetype ?? 'application/octet-stream',
    size: variant.statedSize ?? size,
    file_access: 'visible',
    url_private: `${origin}/files-pri/${path}/${encodeURIComponent(name)}`,
    url_private_download: `${origin}/files-pri/${path}/download/${encodeURIComponent(name)}`,
    permalink: `${origin}/files/${record['user']}/${id}/${encodeURIComponent(name)}`,
  };
}

function stub(id: string, access: string): SlackFile {
  return { id, mode: 'file_access', file_access: access, created: 0, timestamp: 0, user: '' };
}

function externalLink(id: string) {
  const url = `https://drive.example.com/file/${id}`;
  const external = { external_type: 'gdrive', external_id: id, external_url: url };
  return { ...external, mode: 'external', is_external: true, size: 0, url_private: url };
}

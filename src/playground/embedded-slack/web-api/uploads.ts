import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Emulator } from '../emulator.ts';
import type { FileStore, NewFile } from '../files/file-store.ts';
import { presentFile } from '../files/present-file.ts';
import type { Messages } from '../messages.ts';
import {
  isJson,
  type Json,
  objectOf,
  objectsOf,
  refusal,
  type SlackAnswer,
  type SlackFile,
  stringOf,
} from '../slack-shapes.ts';
import type { Timeline } from '../timeline.ts';
import type { Events } from '../to-app/events.ts';
import type { ApiMethods, ApiRequest } from './api-method.ts';

interface UploadParts {
  emulator: Emulator;
  events: Events;
  files: FileStore;
  messages: Messages;
  timeline: Timeline;
  origin: string;
}

/** The emulator's response to a share, and the message it created; `ts` is '' if it failed. */
interface CompletedShare {
  answer: SlackAnswer;
  channel: string;
  ts: string;
}

/** The three steps of an upload (https://docs.slack.dev/messaging/working-with-files). */
export interface Uploads {
  methods: ApiMethods;
  /** Step one; resolves with the file's identifier. The app sees `file.name` unchanged. */
  begin(account: string, file: NewFile): Promise<string>;
  /** Step two, over HTTP: stores the bytes posted to `/upload/v1/<file>`. */
  receive(request: IncomingMessage, response: ServerResponse, id: string): Promise<void>;
  /** Step three: creates the message, without delivering an event. */
  complete(request: ApiRequest): Promise<CompletedShare>;
}

export function createUploads(parts: UploadParts): Uploads {
  const { emulator, files, origin } = parts;

  const begin = async (account: string, file: NewFile) => {
    // The emulator trims names and refuses empty ones, so the front keeps the real name.
    const args = { filename: file.name.trim() || 'file', length: 0 };
    const answer = await emulator.call('files.getUploadURLExternal', args, account);
    const id = stringOf(answer, 'file_id');
    files.announce(id, file);
    return id;
  };

  return {
    begin,
    complete: (request) => complete(parts, request),
    receive: async (request, response, id) => {
      if (!files.find(id)) return void response.writeHead(404).end('file_not_found');
      await files.receive(id, request);
      await emulator.markUploaded(id);
      response.end('OK');
    },
    methods: {
      'files.getUploadURLExternal': async ({ args, account }) => {
        const name = stringOf(args, 'filename');
        if (!name) return refusal('invalid_arguments');
        const file_id = await begin(account, { name });
        return { ok: true, file_id, upload_url: `${origin}/upload/v1/${file_id}` };
      },
      'files.completeUploadExternal': async (request) => {
        const { answer, channel, ts } = await complete(parts, request);
        const message = ts ? await parts.messages.read(channel, ts) : undefined;
        if (message) {
          const event = { ...message, channel, event_ts: ts };
          parts.events.background(event, { from: request.userId });
        }
        return answer;
      },
      'files.info': (request) => info(parts, request),
      'files.list': (request) => list(parts, request),
      'files.delete': (request) => remove(parts, request),
    },
  };
}

async function complete(parts: UploadParts, request: ApiRequest): Promise<CompletedShare> {
  const { args, account, userId, method } = request;
  const answer = await parts.emulator.call(method, args, account);
  const channel = stringOf(args, 'channel_id');
  const shown = shownFiles(parts, objectsOf(answer, 'files') ?? []);
  const ts = sharedAt(objectsOf(answer, 'files')?.[0] ?? {}, channel);
  if (ts) {
    const threadTs = stringOf(args, 'thread_ts') || undefined;
    parts.timeline.posted({ channel, ts, threadTs, user: userId });
    parts.events.noticed({ what: 'message', channel });
  }
  return { answer: answer.ok ? { ...answer, files: shown } : answer, channel, ts };
}

function sharedAt(file: Json, channel: string): string {
  return sharesOf(file).find((share) => share.channel === channel)?.ts ?? '';
}

/** Returns the messages that carry a file. */
function sharesOf(file: Json): { channel: string; ts: string }[] {
  const buckets = Object.values(objectOf(file, 'shares') ?? {}).filter(isJson);
  return buckets.flatMap((bucket) =>
    Object.keys(bucket).flatMap((channel) =>
      (objectsOf(bucket, channel) ?? []).map((share) => ({ channel, ts: stringOf(share, 'ts') })),
    ),
  );
}

async function info(parts: UploadParts, { args, account }: ApiRequest): Promise<SlackAnswer> {
  const stored = parts.files.find(stringOf(args, 'file'));
  if (stored) stored.infos += 1;
  if (stored?.oddity.info === 'file_not_found') return refusal('file_not_found');
  if (stored?.deleted) return refusal('file_deleted');
  const answer = await parts.emulator.call('files.info', args, account);
  if (!answer.ok) return answer;
  const place = { origin: parts.origin, place: 'info' as const };
  return { ...answer, file: presentFile(answer['file'] as SlackFile, stored, place) };
}

async function list(parts: UploadParts, { args, account }: ApiRequest): Promise<SlackAnswer> {
  const answer = await parts.emulator.call('files.list', args, account);
  return { ...answer, files: shownFiles(parts, objectsOf(answer, 'files') ?? []) };
}

async function remove(parts: UploadParts, request: ApiRequest): Promise<SlackAnswer> {
  const { emulator, files, timeline, events } = parts;
  const { args, account } = request;
  const id = stringOf(args, 'file');
  const before = await emulator.call('files.info', { file: id }, account);
  const answer = await emulator.call('files.delete', args, account);
  const stored = files.find(id);
  if (!answer.ok || !stored) return answer;
  stored.deleted = true;
  for (const { channel, ts } of sharesOf(objectOf(before, 'file') ?? {}))
    timeline.touched(channel, ts);
  events.noticed({ what: 'file' });
  events.background({ type: 'file_deleted', file_id: id }, { from: request.userId });
  return answer;
}

function shownFiles({ files, origin }: UploadParts, records: Json[]): SlackFile[] {
  const place = { origin, place: 'message' as const };
  return (records as SlackFile[]).map((one) => presentFile(one, files.find(one.id), place));
}

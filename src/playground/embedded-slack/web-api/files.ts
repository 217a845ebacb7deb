import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SlackContext } from '../context.ts';
import type { NewFile } from '../files/file-store.ts';
import {
  errorResponse,
  isJson,
  type Json,
  objectOf,
  objectsOf,
  type SlackFile,
  type SlackResponse,
  stringOf,
} from '../slack-types.ts';
import type { ApiMethods, ApiRequest } from './api-method.ts';

/** The `files.*` methods (https://docs.slack.dev/messaging/working-with-files). */
export function fileMethods(context: SlackContext): ApiMethods {
  return {
    'files.getUploadURLExternal': async ({ args, account }) => {
      const name = stringOf(args, 'filename');
      if (!name) return errorResponse('invalid_arguments');
      const file_id = await beginUpload(context, account, { name });
      return { ok: true, file_id, upload_url: `${context.origin}/upload/v1/${file_id}` };
    },
    'files.completeUploadExternal': async (request) => {
      const { response, channel, ts } = await completeUpload(context, request);
      const message = ts ? await context.messages.read(channel, ts) : undefined;
      if (message) {
        const event = { ...message, channel, event_ts: ts };
        context.events.background(event, { from: request.userId });
      }
      return response;
    },
    'files.info': (request) => info(context, request),
    'files.list': async (request) => {
      const response = await context.emulator.forward(request);
      return { ...response, files: describeAll(context, response) };
    },
    'files.delete': (request) => remove(context, request),
  };
}

/**
 * Step one of an upload; resolves with the file's identifier. The app sees `file.name` unchanged:
 * the emulator trims names and refuses empty ones.
 */
export async function beginUpload(
  { emulator, files }: SlackContext,
  account: string,
  file: NewFile,
): Promise<string> {
  const args = { filename: file.name.trim() || 'file', length: 0 };
  const response = await emulator.call('files.getUploadURLExternal', args, account);
  const id = stringOf(response, 'file_id');
  files.add(id, file);
  return id;
}

/** Step two, over HTTP: stores the bytes posted to `/upload/v1/<file>`. */
export async function receiveUpload(
  { emulator, files }: SlackContext,
  id: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  if (!files.find(id)) return void response.writeHead(404).end('file_not_found');
  await files.receive(id, request);
  await emulator.markUploaded(id);
  response.end('OK');
}

/**
 * Step three: creates the message, without delivering an event. Resolves with the emulator's
 * response and the message's `ts`, which is '' if the share failed.
 */
export async function completeUpload(
  context: SlackContext,
  request: ApiRequest,
): Promise<{ response: SlackResponse; channel: string; ts: string }> {
  const { args, userId } = request;
  const response = await context.emulator.forward(request);
  const channel = stringOf(args, 'channel_id');
  const shares = sharesOf(objectsOf(response, 'files')?.[0] ?? {});
  const ts = shares.find((share) => share.channel === channel)?.ts ?? '';
  if (ts) {
    const threadTs = stringOf(args, 'thread_ts') || undefined;
    context.messages.posted({ channel, ts, threadTs, user: userId });
  }
  const files = describeAll(context, response);
  return { response: response.ok ? { ...response, files } : response, channel, ts };
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

async function info({ emulator, files }: SlackContext, request: ApiRequest) {
  const stored = files.find(stringOf(request.args, 'file'));
  if (stored) stored.infos += 1;
  if (stored?.variant.info === 'file_not_found') return errorResponse('file_not_found');
  if (stored?.deleted) return errorResponse('file_deleted');
  const response = await emulator.forward(request);
  if (!response.ok) return response;
  return { ...response, file: files.describe(response['file'] as SlackFile, 'info') };
}

async function remove(context: SlackContext, request: ApiRequest): Promise<SlackResponse> {
  const { emulator, files, messages, events, changes } = context;
  const id = stringOf(request.args, 'file');
  const before = await emulator.call('files.info', { file: id }, request.account);
  const response = await emulator.forward(request);
  const stored = files.find(id);
  if (!response.ok || !stored) return response;
  stored.deleted = true;
  for (const { channel, ts } of sharesOf(objectOf(before, 'file') ?? {})) {
    messages.changed(channel, ts, 'file');
  }
  changes.notify('file');
  events.background({ type: 'file_deleted', file_id: id }, { from: request.userId });
  return response;
}

function describeAll({ files }: SlackContext, response: SlackResponse): SlackFile[] {
  const records = (objectsOf(response, 'files') ?? []) as SlackFile[];
  return records.map((record) => files.describe(record, 'message'));
}

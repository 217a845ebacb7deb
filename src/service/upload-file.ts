import type { Readable } from 'node:stream';
import type { CallOptions, Upload, UploadSource } from './client.ts';
import { answerError, badAnswer } from './requests/answer-error.ts';
import { readFileId } from './requests/answer-schemas.ts';
import { type Deadline, startDeadline } from './requests/deadline.ts';
import type { Operation } from './requests/operation.ts';
import { parseJson } from './requests/parse-json.ts';
import { repeat, type ServiceParts, timeoutError } from './requests/service-calls.ts';
import { unlessAborted } from './requests/unless-aborted.ts';
import { type Place, withAdmission } from './requests/with-admission.ts';
import { createUploadBody, type UploadBody } from './upload-body.ts';

const SLOWEST_BYTES_PER_MS = (64 * 1024) / 1000;
const OPERATION: Operation = {
  method: 'POST',
  path: '/files/upload.php',
  repeatable: true,
  identifier: 'file_id',
};

export interface UploadCall {
  projectId: number;
  source: UploadSource;
  options: CallOptions;
}

/**
 * Uploads a file (service interface, section 4.4). Repeating is harmless: an attachment that no
 * folder shows. An error of the source itself comes out as it is.
 */
export function uploadFile(parts: ServiceParts, call: UploadCall): Promise<Upload> {
  return repeat(parts, call.options, () => uploadOnce(parts, call));
}

/** The longest that an upload may take, in milliseconds: time to answer, and 64 KiB a second. */
export function uploadTimeout(requestTimeoutMs: number, size: number): number {
  return Math.ceil(requestTimeoutMs + size / SLOWEST_BYTES_PER_MS);
}

function uploadOnce(parts: ServiceParts, call: UploadCall): Promise<Upload> {
  const { lane, queue, signal } = call.options;
  const timeoutMs = uploadTimeout(parts.requestTimeoutMs, call.source.size);
  const request = { lane, queue, signal, timeoutMs };
  return withAdmission({ throttle: parts.throttle, request }, async (place) => {
    const deadline = startDeadline({
      clock: parts.clock,
      signal,
      timeoutMs,
      timedOut: () => timeoutError(OPERATION, place.sent ? 'unknown' : 'no'),
    });
    try {
      return await transmit(parts, call, { place, deadline });
    } finally {
      deadline.stop();
    }
  });
}

async function transmit(
  parts: ServiceParts,
  call: UploadCall,
  { place, deadline }: { place: Place; deadline: Deadline },
): Promise<Upload> {
  const bytes = await openSource(call.source, deadline.signal);
  const body = createUploadBody({
    projectId: call.projectId,
    source: call.source,
    bytes,
    onMove: deadline.touch,
    onFailure: deadline.abort,
  });
  try {
    place.sent = true;
    deadline.watchIdle(parts.requestTimeoutMs);
    return await send(parts, call, { body, signal: deadline.signal });
  } finally {
    body.destroy();
    call.source.onEnd?.();
  }
}

async function send(
  parts: ServiceParts,
  call: UploadCall,
  { body, signal }: { body: UploadBody; signal: AbortSignal },
): Promise<Upload> {
  const apiKey = call.options.apiKey ?? parts.apiKey;
  const answer = await parts.send({
    operation: OPERATION,
    url: parts.address.uploadUrl,
    apiKey,
    headers: body.headers,
    body: body.form,
    signal,
  });
  const exchange = { operation: OPERATION, answer, apiKey };
  const error = answerError(exchange);
  if (error) throw error;
  const attachmentId = readFileId(parseJson(answer.text));
  if (attachmentId === null) throw badAnswer(exchange, 'no file_id');
  const sentBytes = body.sentBytes();
  if (sentBytes < call.source.size) throw badAnswer(exchange, 'a file_id before the whole file');
  return { attachmentId, sentBytes, serviceTime: answer.serviceTime };
}

// A stream that comes after all has been given up is closed, not left open.
async function openSource(source: UploadSource, signal: AbortSignal): Promise<Readable> {
  signal.throwIfAborted();
  const opening = source.open(signal);
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    opening.then(
      (bytes) => bytes.destroy(),
      () => undefined,
    );
    throw error;
  }
}

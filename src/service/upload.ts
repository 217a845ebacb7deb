import type { Readable } from 'node:stream';
import { type Deadline, startDeadline, unlessAborted } from '../base/index.ts';
import { badAnswer } from './answer-error.ts';
import {
  type CallContext,
  type CallOptions,
  type Slot,
  timeoutError,
  withAdmission,
} from './call.ts';
import { parseJson } from './json.ts';
import { UPLOAD } from './operation.ts';
import { readFileId } from './records.ts';
import { withRetries } from './retry.ts';
import { createUploadBody, type UploadBody, type UploadFile } from './upload-body.ts';

export interface UploadSource extends UploadFile {
  /** Opens the bytes from their start; called anew for each attempt. */
  open(signal: AbortSignal): Promise<Readable>;
  /** What was opened is not read any more: the attempt was answered, or it failed. */
  onEnd?: (() => void) | undefined;
}

export interface Upload {
  /** The `file_id` of service interface, section 4.4. */
  attachmentId: number;
  /** Bytes that went out. */
  sentBytes: number;
  /** The service's clock at the answer (its `Date` header); null when it sent none. */
  serviceTime: number | null;
}

export interface UploadRequest {
  projectId: number;
  source: UploadSource;
  options: CallOptions;
}

/**
 * Uploads a file (service interface, section 4.4). Repeating is harmless: an attachment that no
 * folder shows. An error of the source itself comes out as it is.
 */
export function uploadFile(context: CallContext, request: UploadRequest): Promise<Upload> {
  return withRetries({ ...context, ...request.options }, () => uploadOnce(context, request));
}

const SLOWEST_BYTES_PER_MS = (64 * 1024) / 1000;

/** The longest that an upload may take, in milliseconds: time to answer, and 64 KiB a second. */
export function uploadTimeout(requestTimeoutMs: number, size: number): number {
  return Math.ceil(requestTimeoutMs + size / SLOWEST_BYTES_PER_MS);
}

function uploadOnce(context: CallContext, request: UploadRequest): Promise<Upload> {
  const { clock, throttle, requestTimeoutMs } = context;
  const { lane, queue, signal, slot: own } = request.options;
  const timeoutMs = uploadTimeout(requestTimeoutMs, request.source.size);
  return withAdmission(throttle, { lane, queue, signal, timeoutMs, slot: own }, async (slot) => {
    const timedOut = () => timeoutError(UPLOAD, slot.sent ? 'unknown' : 'no');
    const deadline = startDeadline({ clock, signal, timeoutMs, timedOut });
    try {
      return await transmit(context, request, { slot, deadline });
    } finally {
      deadline.stop();
    }
  });
}

async function transmit(
  context: CallContext,
  { projectId, source }: UploadRequest,
  { slot, deadline }: { slot: Slot; deadline: Deadline },
): Promise<Upload> {
  const bytes = await openSource(source, deadline.signal);
  const onMove = deadline.touch;
  const body = createUploadBody({ projectId, source, bytes, onMove, onFailure: deadline.abort });
  try {
    slot.leave();
    deadline.watchIdle(context.requestTimeoutMs);
    return await send(context, body, deadline.signal);
  } finally {
    body.destroy();
    source.onEnd?.();
  }
}

async function send(
  context: CallContext,
  { form, headers, size, sentBytes }: UploadBody,
  signal: AbortSignal,
): Promise<Upload> {
  const answer = await context.send({ operation: UPLOAD, headers, body: form, signal });
  const attachmentId = readFileId(parseJson(answer.text));
  if (attachmentId === null) throw badAnswer(answer, 'no file_id');
  if (sentBytes() < size) throw badAnswer(answer, 'a file_id before the whole file');
  return { attachmentId, sentBytes: sentBytes(), serviceTime: answer.serviceTime };
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

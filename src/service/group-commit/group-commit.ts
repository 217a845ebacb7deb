import type { Clock, Random } from '../../base/index.ts';
import { withAdmission } from '../call.ts';
import type { FileRecord } from '../records.ts';
import { ServiceError } from '../service-error.ts';
import type { Throttle } from '../throttle/throttle.ts';
import { allAborted } from './all-aborted.ts';
import { type BatchSender, commitBatch } from './commit-batch.ts';
import { type CreateLine, firstReady, takeBatch } from './create-line.ts';
import { type FailedCreates, sortFailed } from './failed-creates.ts';
import { type CreateCall, createPending, type PendingCreate } from './pending-create.ts';
import { takeFound } from './take-found.ts';

export interface GroupCommitOptions extends BatchSender {
  throttle: Throttle;
  clock: Clock;
  random: Random;
  /** The longest that one create request takes, in milliseconds. */
  timeoutMs: number;
}

/**
 * Puts attachments into folders, many in one request: a place in the throttle is asked for as soon
 * as one is ready, and all that are ready for the same folder when it is granted go together. See `ServiceClient.createFile` for what each caller is promised.
 */
export function createGroupCommit(
  options: GroupCommitOptions,
): (call: CreateCall) => Promise<FileRecord | null> {
  const lines = new Map<string, CreateLine>();
  const onTheirWay = new Set<string>();

  function lineOf(call: CreateCall): CreateLine {
    const key = lineKey(call);
    const line = lines.get(key) ?? { waiting: [], asking: null };
    lines.set(key, line);
    return line;
  }

  // Asks for a place for every line in which somebody can go.
  function serve(): void {
    for (const [key, line] of lines) {
      const first = firstReady(line, onTheirWay);
      if (first && !line.asking) void travel(line, first);
      if (line.waiting.length === 0 && !line.asking) lines.delete(key);
    }
  }

  async function travel(line: CreateLine, first: PendingCreate): Promise<void> {
    const asking = new AbortController();
    line.asking = asking;
    const batch: PendingCreate[] = [];
    let failed: FailedCreates = { again: [], delayMs: 0 };
    try {
      await withAdmission(options.throttle, ask(first, asking), (slot) => {
        line.asking = null;
        depart(line, batch);
        return commitBatch(batch, slot, options);
      });
    } catch (error) {
      // With the asking aborted nobody is left; who has come since asks anew.
      if (!asking.signal.aborted)
        failed = sortFailed(batch.length > 0 ? batch : empty(line), error);
      if (error instanceof ServiceError && error.sent !== 'no')
        await takeFound(failed.again, { error, answeredAt: options.clock.now() });
    }
    for (const item of batch) onTheirWay.delete(item.twinKey);
    await returnToLine(failed);
    serve();
  }

  function ask({ lane, queue }: PendingCreate, { signal }: AbortController) {
    return { lane, queue, signal, timeoutMs: options.timeoutMs };
  }

  function depart(line: CreateLine, batch: PendingCreate[]): void {
    batch.push(...takeBatch(line, onTheirWay));
    for (const item of batch) onTheirWay.add(item.twinKey);
    serve();
  }

  async function returnToLine({ again, delayMs }: FailedCreates): Promise<void> {
    const [first] = again;
    if (!first) return;
    if (delayMs > 0) {
      serve();
      await waitTogether(again, delayMs);
    }
    lineOf(first).waiting.unshift(...again.filter((item) => !item.settled()));
  }

  async function waitTogether(items: PendingCreate[], delayMs: number): Promise<void> {
    const left = allAborted(items.map(({ signal }) => signal));
    await options.clock.sleep(delayMs, left.signal).catch(() => undefined);
    left.stop();
  }

  function leave(item: PendingCreate): void {
    const line = lineOf(item);
    line.waiting = line.waiting.filter((other) => other !== item);
    if (line.waiting.length === 0) {
      line.asking?.abort();
      line.asking = null;
    }
    serve();
  }

  return async (call) => {
    call.signal?.throwIfAborted();
    const item: PendingCreate = createPending(call, options, () => leave(item));
    lineOf(item).waiting.push(item);
    serve();
    return item.outcome;
  };
}

function lineKey({ request, lane }: CreateCall): string {
  const { projectId, folderId } = request.destination;
  return `${lane} ${projectId}/${folderId}`;
}

// The throttle turned the line away: that concerns all who stand in it.
function empty(line: CreateLine): PendingCreate[] {
  line.asking = null;
  return line.waiting.splice(0);
}

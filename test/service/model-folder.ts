import type { FolderRecord } from '../../src/core/index.ts';
import { ServiceError } from '../../src/service/index.ts';
import { createPaging, type ListSource, type Page } from '../../src/service/list.ts';
import { fileRecord } from '../support/builders.ts';

/** How an account lists a folder; `fixed`: by something that never changes, but no number. */
export const LIST_ORDERS = ['oldest-first', 'newest-first', 'fixed'] as const;

export interface ListedBy {
  order: (typeof LIST_ORDERS)[number];
  /** The most records of an answer; infinite for an account that does not page. */
  cap: number;
  /** Whether some requests fail, so that lists are not read to their end. */
  fails: boolean;
}

/** A record and when it was there, by the model's clock. */
interface Truth {
  record: FolderRecord;
  createdAt: number;
  /** Infinite while it is there. */
  deletedAt: number;
}

interface Waiting {
  start: number | null;
  /** What the account answers; null until it does. */
  page: Page<FolderRecord> | null;
  deliver(page: Page<FolderRecord>): void;
  fail(error: ServiceError): void;
}

const FAILURE = new ServiceError('SERVICE_FAILED', 'not now', { retry: 'later', sent: 'yes' });

/**
 * A folder of an account, which knows when each record was there. Its answers to requests for lists
 * are made at one time and delivered at another, as the test says.
 */
export function modelFolder({ order, cap, fails }: ListedBy, clock: { now(): number }) {
  const truths = new Map<number, Truth>();
  const waiting: Waiting[] = [];
  let last = 0;

  const keys = {
    'oldest-first': (id: number) => id,
    'newest-first': (id: number) => -id,
    fixed: (id: number) => (id % 3) * 1_000 + ((id * 7) % 11) * 50 + id,
  };

  function listed(): FolderRecord[] {
    const there = [...truths.values()].filter(({ deletedAt }) => deletedAt === Infinity);
    const keyOf = keys[order];
    return there.map(({ record }) => record).sort((a, b) => keyOf(a.id) - keyOf(b.id));
  }

  function pageOf(start: number | null): Page<FolderRecord> {
    const entries = listed().slice(start ?? 0, (start ?? 0) + cap);
    return { entries, whole: true, askedAt: clock.now(), serviceTime: null };
  }

  const source: ListSource<FolderRecord> = {
    paging: createPaging(new Set([Number.isFinite(cap) ? cap : 100])),
    readPage: (start) =>
      new Promise((resolve, fail) => {
        const askedAt = clock.now();
        const deliver = (page: Page<FolderRecord>) => resolve({ ...page, askedAt });
        waiting.push({ start, page: null, deliver, fail });
      }),
  };

  // As after the first long list of an account.
  if (Number.isFinite(cap)) source.paging.notePages(cap);

  return {
    source,
    waiting,
    truths,
    listed,
    create: (): FolderRecord => {
      last += 1;
      const record = fileRecord({ id: last, name: `scan ${last}.pdf`, createdAt: last * 60_000 });
      truths.set(last, { record, createdAt: clock.now(), deletedAt: Number.POSITIVE_INFINITY });
      return record;
    },
    rename: (id: number): void => {
      const truth = truths.get(id);
      if (truth) truth.record = { ...truth.record, name: `renamed ${clock.now()}.pdf` };
    },
    remove: (id: number): void => {
      const truth = truths.get(id);
      if (truth) truth.deletedAt = clock.now();
    },
    /** Has the account answer a request, or delivers the answer that it made. */
    proceed: (nth: number): void => {
      const request = waiting[nth % waiting.length];
      if (!request) return;
      if (request.page === null) {
        request.page = pageOf(request.start);
        return;
      }
      waiting.splice(waiting.indexOf(request), 1);
      if (fails && nth % 9 === 4) request.fail(FAILURE);
      else request.deliver(request.page);
    },
  };
}

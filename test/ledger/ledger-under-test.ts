import { afterEach, beforeEach } from 'vitest';
import type { ErrorCode } from '../../src/base/index.ts';
import { type Destination, nextInFolder } from '../../src/core/index.ts';
import type { Claim, Lease, Ledger, Transfer } from '../../src/ledger/index.ts';
import { DESTINATION as destination, recording } from '../support/builders.ts';
import { claimFiles } from '../support/claim-next.ts';

export { destination };
export const elsewhere = { projectId: 1, folderId: 3 };

interface Request extends Lease {
  afterQueue: string;
  largest: number | null;
}
export const claim: Request = {
  now: 1_000,
  until: 31_000,
  token: 't1',
  afterQueue: '',
  largest: null,
};

/** Long past, so that its create is claimed before any upload. */
export const upload = {
  ...{ projectId: destination.projectId, attachmentId: 7, byteSize: 10 },
  ...{ serviceTime: 5_000, now: -9_000 },
};

/** An empty ledger for each test, with helpers for the states that most tests start from. */
export interface LedgerUnderTest {
  /** The ledger of the running test. */
  ledger: Ledger;
  record(...given: Parameters<typeof recording>): ReturnType<Ledger['recordShare']>;
  /** Claims the transfer that is due next; null when none is. */
  claimNext(request: Request): Promise<Transfer | null>;
  /** Claims that transfer, by default as `claim` does; throws when none is due. */
  hold(given?: Partial<Request>): Promise<Claim>;
  /** Claims one transfer per token, one at a time. */
  claimEach(tokens: string[]): Promise<Claim[]>;
  /** Claims a folder under this token, and marks its attachments `creating`. */
  announce(claim: { token: string }, now: number): Promise<readonly Transfer[]>;
  /** Claims a folder under this token; returns the open creates to look for. */
  claimLook(claim: { token: string }, now: number): Promise<readonly Transfer[]>;
  /** Ends the claim of a folder's job as the worker does: due again for what is left. */
  endFolder(claim: { token: string }, now: number, folder?: Destination): Promise<void>;
  nextDueAt(): Promise<number | null>;
  /** Records a share of one file and claims its transfer. */
  held(): Promise<{ shareId: number; claim: Claim }>;
  /** Takes the next transfer up to its open create and refuses it with this code. */
  refuseCreating(token: string, code: ErrorCode): Promise<void>;
  states(shareId: number): Promise<string[]>;
}

/** Opens a ledger with `open` before each test of the suite and closes it afterwards. */
export function ledgerUnderTest(open: () => Promise<Ledger>): LedgerUnderTest {
  let opened: Ledger;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());
  const ledger = new Proxy({} as Ledger, { get: (_none, name) => Reflect.get(opened, name) });
  return { ledger, ...claims(ledger), ...steps(ledger) };
}

function claims(ledger: Ledger) {
  const claimNext = async (request: Request) => (await claimFiles(ledger, request))[0] ?? null;
  const hold = async (given: Partial<Request> = {}) => {
    const request = { ...claim, ...given };
    const transfer = await claimNext(request);
    if (!transfer) throw new Error('nothing is due');
    return { id: transfer.id, token: request.token };
  };
  const claimEach = async (tokens: string[]) => {
    const held: Claim[] = [];
    for (const token of tokens) held.push(await hold({ token }));
    return held;
  };
  const lease = ({ token }: { token: string }, now: number) => ({
    ...{ now, until: now + 30_000 },
    ...{ token, afterQueue: '', largest: null },
  });
  return {
    claimNext,
    hold,
    claimEach,
    announce: (by: { token: string }, now: number) => claimFiles(ledger, lease(by, now)),
    claimLook: (by: { token: string }, now: number) => claimFiles(ledger, lease(by, now)),
    endFolder: async ({ token }: { token: string }, now: number, folder = destination) => {
      const { dueAt } = nextInFolder(await ledger.unfiledIn(folder), { now });
      await ledger.endJob({ token }, { dueAt });
    },
    nextDueAt: async () => (await ledger.nextFiling({ largest: null }))?.dueAt ?? null,
  };
}

function steps(ledger: Ledger) {
  const { hold, announce, endFolder } = claims(ledger);
  const record: LedgerUnderTest['record'] = (...given) => ledger.recordShare(recording(...given));
  return {
    record,
    held: async () => {
      const { shareId } = await record();
      return { shareId, claim: await hold() };
    },
    refuseCreating: async (token: string, code: ErrorCode) => {
      const own = await hold({ token });
      await ledger.markUploaded(own, upload);
      const announced = await announce(own, 2_000);
      if (!announced.some(({ id }) => id === own.id)) throw new Error('it was not announced');
      await ledger.markRefused(own, { problem: { code, note: null }, now: 3_000 });
      await endFolder(own, 3_000);
    },
    states: async (shareId: number) =>
      (await ledger.transfersOfShare(shareId)).map(({ state }) => state),
  };
}

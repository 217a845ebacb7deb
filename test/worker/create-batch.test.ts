import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ledger, LedgerError } from '../../src/ledger/index.ts';
import { type Created, ServiceError } from '../../src/service/index.ts';
import { createBatch } from '../../src/worker/create-batch.ts';
import { DESTINATION, fileRecord, recording } from '../support/builders.ts';
import { createNext, pauseNext } from '../support/claim-next.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createListLogger, type LoggedLine } from '../support/list-logger.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { contextOf, type GivenContext } from './context-of.ts';
import { freeSlot } from './model-service.ts';

const NOW = 1_700_000_000_000;
const ref = { team: 'T1', channel: 'C1' };
let clock: FakeClock;
let ledger: Ledger;
let lines: LoggedLine[];

beforeEach(async () => {
  clock = createFakeClock(NOW);
  ledger = await openEmptyLedger(NOW);
  const folder = { ...DESTINATION, projectTitle: null, folderName: null };
  await ledger.setLink(ref, { ...folder, linkedBy: 'U1', linkedAt: 1 });
});
afterEach(() => ledger.close());

/** Creates one file, with a response 10 ms after the request; returns the transfer's state. */
async function create(whileSent: () => Promise<unknown>, given: GivenContext = {}) {
  const { shareId } = await ledger.recordShare(recording({}, { now: NOW }));
  const { token } = await createNext(ledger, { now: NOW, token: 'b' });
  const createFiles = async (): Promise<Created[]> => {
    const outcome = await whileSent();
    await clock.advance(10);
    return [outcome === 'refused' ? outcome : fileRecord({ id: 5, byteSize: 10 })];
  };
  const signal = new AbortController().signal;
  const held = { token, signal, leaseUntil: () => NOW * 2 };
  const [transfer] = await ledger.transfersOfShare(shareId);
  if (!transfer) throw new Error('the share has no transfer');
  const claimed = { transfer, signal, claim: { id: transfer.id, token } };
  const { logger, lines: logged } = createListLogger();
  lines = logged;
  const context = contextOf({ ledger, clock, logger, service: { createFiles }, ...given });
  await createBatch([claimed], { held, slot: freeSlot, isPaused: true }, context);
  return (await ledger.transfersOfShare(shareId))[0]?.state;
}

/** Pauses the link, as another file of the channel finds the folder gone. */
async function pauseAt(now: number): Promise<void> {
  await ledger.recordShare(recording({ ts: '2' }, { now: NOW }));
  await pauseNext(ledger, NOW, now);
}

it.each([
  ['ends a pause that began before its request', NOW - 1, null],
  ['keeps a pause that began during its request', NOW + 5, 'DESTINATION_GONE'],
])('a created file %s', async (_what, pausedAt, pausedFor) => {
  expect(await create(() => pauseAt(pausedAt))).toBe('filed');
  expect(await ledger.findLink(ref)).toMatchObject({ pausedFor });
});

it('a file refused as part of a batch is looked for, and then created alone', async () => {
  expect(await create(async () => 'refused')).toBe('creating');
  const [share] = await ledger.sharesOf({ ...ref, ts: recording().share.ts });
  const [transfer] = await ledger.transfersOfShare(share?.id ?? 0);
  expect(transfer).toMatchObject({ answeredAt: NOW + 10, nextTryAt: null });
});

it('a created file is filed without an error when the pause cannot be ended after it', async () => {
  const endPauses = () => Promise.reject(new LedgerError('LEDGER_UNAVAILABLE', 'disk full'));
  expect(await create(async () => undefined, { ledger: { ...ledger, endPauses } })).toBe('filed');
  expect(lines.map(({ level }) => level)).toEqual(['info', 'warn']);
});

it('a file whose create is due while the key is known to be refused stays uploaded', async () => {
  const keyBreaker = { state: 'open' } as const;
  const sent = () => Promise.reject(new Error('it was sent'));
  expect(await create(sent, { keyBreaker })).toBe('uploaded');
});

it.each([
  ['once', 'SERVICE_UNREACHABLE', undefined, null],
  ['for minutes', 'SERVICE_RATE_LIMITED', 600_000, 'SERVICE_RATE_LIMITED'],
  ['as the key is refused', 'SERVICE_UNAUTHORIZED', undefined, 'SERVICE_UNAUTHORIZED'],
] as const)(
  'createBatch returns a file to uploaded when its request could not be sent (%s): %s',
  async (_why, code, retryAfterMs, problem) => {
    const details = { retry: 'later', sent: 'no', retryAfterMs } as const;
    expect(await create(() => Promise.reject(new ServiceError(code, 'no', details)))).toBe(
      'uploaded',
    );
    const [share] = await ledger.sharesOf({ ...ref, ts: recording().share.ts });
    const [transfer] = await ledger.transfersOfShare(share?.id ?? 0);
    expect(transfer).toMatchObject({ problem, failures: 1 });
  },
);

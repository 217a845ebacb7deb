import { afterEach, beforeEach, expect, it } from 'vitest';
import { createBatch } from '../../src/engine/create-batch.ts';
import { type Ledger, LedgerError } from '../../src/ledger/index.ts';
import { type Created, ServiceError } from '../../src/service/index.ts';
import { DESTINATION, fileRecord, freeSlot, recording } from '../support/builders.ts';
import { createNext, holdFolder } from '../support/claim-next.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createListLogger, type LoggedLine } from '../support/list-logger.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { contextOf, type GivenContext } from './context-of.ts';

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
  await createBatch([claimed], { held, slot: freeSlot }, context);
  return (await ledger.transfersOfShare(shareId))[0]?.state;
}

it.each([
  ['as the probe of its folder’s hold ends that', true, null],
  ['otherwise leaves the hold to its probe', false, 'DESTINATION_GONE'],
])('a created file %s', async (_what, isProbe, heldFor) => {
  const open = async () => {
    await ledger.recordShare(recording({ ts: '2' }, { now: NOW }));
    await holdFolder(ledger, NOW);
  };
  const hold = { scope: '1/2', reason: 'DESTINATION_GONE', since: NOW } as const;
  expect(await create(open, isProbe ? { probe: hold } : {})).toBe('filed');
  expect(await ledger.findLink(ref)).toMatchObject({ heldFor });
});

it('a file refused as part of a batch is looked for, and then created alone', async () => {
  expect(await create(async () => 'refused')).toBe('creating');
  const [share] = await ledger.sharesOf({ ...ref, ts: recording().share.ts });
  const [transfer] = await ledger.transfersOfShare(share?.id ?? 0);
  expect(transfer).toMatchObject({ answeredAt: NOW + 10, nextTryAt: null });
});

it('a created file is filed without an error when the hold cannot be ended after it', async () => {
  const endHold = () => Promise.reject(new LedgerError('LEDGER_UNAVAILABLE', 'disk full'));
  const probe = { scope: '1/2', reason: 'DESTINATION_GONE', since: NOW } as const;
  const given = { ledger: { ...ledger, endHold }, probe };
  expect(await create(async () => undefined, given)).toBe('filed');
  expect(lines.map(({ level }) => level)).toEqual(['info', 'warn']);
});

it.each([
  ['once', 'SERVICE_UNREACHABLE', undefined, null],
  ['for minutes', 'SERVICE_RATE_LIMITED', 600_000, 'SERVICE_RATE_LIMITED'],
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

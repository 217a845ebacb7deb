import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PigeonholeError } from '../../src/base/index.ts';
import { toldProblem } from '../../src/core/index.ts';
import type { HeldTransfer } from '../../src/engine/job.ts';
import { settleFailure } from '../../src/engine/settle.ts';
import { type Ledger, LedgerError } from '../../src/ledger/index.ts';
import { ServiceError, type ServiceErrorDetails } from '../../src/service/errors.ts';
import { SlackFileError } from '../../src/slack/index.ts';
import { recording } from '../support/builders.ts';
import { claimNext } from '../support/claim-next.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { contextOf } from './context-of.ts';

const NOW = 1_700_000_000_000;
const HOUR_MS = 60 * 60_000;
/** The first wait, at the middle of its jitter. */
const FIRST_WAIT_MS = 5_000;

const clock = createFakeClock(NOW);
let ledger: Ledger;
let shareId: number;
beforeEach(async () => {
  ledger = await openEmptyLedger(NOW);
  shareId = (await ledger.recordShare(recording({}, { now: NOW }))).shareId;
});
afterEach(() => ledger.close());

const state = async () => (await ledger.transfersOfShare(shareId))[0];

async function claim(): Promise<HeldTransfer> {
  const transfer = await claimNext(ledger, { now: clock.now(), token: 't' });
  if (!transfer) throw new Error('nothing is due');
  const { signal } = new AbortController();
  return { transfer, claim: { id: transfer.id, token: 't' }, signal };
}

/** Fails a claim with this error; returns the transfer as the ledger has it then. */
async function settled(error: unknown, { backoffScale = 1, fraction = 0.5 } = {}) {
  const random = { fraction: () => fraction, id: () => 'id' };
  const context = contextOf({ ledger, clock, random, backoffScale, settleMs: 60_000 });
  await settleFailure(await claim(), error, context);
  const transfer = await state();
  const { problem, nextTryAt: dueAt, isClaimed } = transfer ?? {};
  return { state: transfer?.state, problem, dueAt, isClaimed };
}

const service = (code: ServiceError['code'], details: Partial<ServiceErrorDetails> = {}) =>
  new ServiceError(code, code, { retry: 'later', sent: 'yes', ...details });
const never = { retry: 'never' as const };

describe('settleFailure', () => {
  it.each([
    [service('SERVICE_FAILED')],
    [service('SERVICE_TIMEOUT', { sent: 'unknown' })],
    [service('SERVICE_UNREACHABLE', { sent: 'unknown' })],
    [service('SERVICE_BAD_ANSWER')],
    [new SlackFileError('SLACK_FILE_UNAVAILABLE', 'not yet')],
    [new SlackFileError('SLACK_FILE_NOT_FOUND', 'not yet')],
    [new LedgerError('LEDGER_CONFLICT', 'a twin is on its way')],
  ])('retries a transient failure: %s', async (error) => {
    const dueAt = clock.now() + FIRST_WAIT_MS;
    const problem = toldProblem(error.code, { since: 0, now: 0 });
    expect(await settled(error)).toMatchObject({ state: 'recorded', problem, dueAt });
  });

  it('files what was in hand during an unlink in the default folder, if its folder is gone', async () => {
    const elsewhere = { projectId: 1, folderId: 9 };
    const names = { projectTitle: null, folderName: null };
    const findDestination = async () => ({ ...elsewhere, ...names, isDefault: true });
    const context = contextOf({ ledger, clock, findDestination });
    await settleFailure(await claim(), service('SERVICE_NOT_FOUND', never), context);
    expect(await state()).toMatchObject({ state: 'recorded', destination: elsewhere });
  });

  it('believes what Slack says of a file once it says it again, some minutes later', async () => {
    const gone = new SlackFileError('SLACK_FILE_NOT_FOUND', 'no such file');
    const said: unknown[] = [];
    const states = [gone, gone, new SlackFileError('SLACK_FILE_UNAVAILABLE', 'busy'), gone, gone];
    for (const error of states) {
      const transfer = await settled(error);
      said.push([transfer.state, transfer.problem]);
      await clock.advance(90_000);
    }
    expect(said).toEqual([
      ['recorded', 'SLACK_FILE_UNAVAILABLE'],
      ['recorded', 'SLACK_FILE_UNAVAILABLE'],
      ['recorded', 'SLACK_FILE_UNAVAILABLE'],
      ['recorded', 'SLACK_FILE_NOT_FOUND'],
      ['refused', 'SLACK_FILE_NOT_FOUND'],
    ]);
  });

  it('waits for days while Slack denies a file, and is told so after some minutes', async () => {
    const denied = new SlackFileError('SLACK_FILE_DENIED', 'answered 403');
    const [waits, told] = ['SLACK_FILE_UNAVAILABLE', 'SLACK_FILE_DENIED'];
    expect(await settled(denied)).toMatchObject({ state: 'recorded', problem: waits });
    await clock.advance(3 * 60_000);
    expect(await settled(denied)).toMatchObject({ state: 'recorded', problem: told });
    await clock.advance(90 * HOUR_MS);
    expect(await settled(denied)).toMatchObject({ state: 'recorded', problem: told });
    await clock.advance(7 * HOUR_MS);
    expect(await settled(denied)).toMatchObject({ state: 'refused', problem: told });
  });

  it('reports a rate limit with short waits only when it goes on for long', async () => {
    const limited = service('SERVICE_RATE_LIMITED', { retryAfterMs: 2_000 });
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await settled(limited)).toMatchObject({ state: 'recorded', problem: null });
      await clock.advance(10_000);
    }
    expect(await settled(limited)).toMatchObject({ problem: 'SERVICE_RATE_LIMITED' });
  });

  it.each(['SERVICE_UNREACHABLE', 'SERVICE_RATE_LIMITED'] as const)(
    'retries within a second when nothing was sent, and reports only the next failure: %s',
    async (code) => {
      const dueAt = clock.now() + 1_000;
      expect(await settled(service(code, { sent: 'no' }))).toMatchObject({ problem: null, dueAt });
      await clock.advance(HOUR_MS);
      const again = service('SERVICE_UNREACHABLE', { sent: 'no' });
      expect(await settled(again)).toMatchObject({ problem: 'SERVICE_UNREACHABLE' });
    },
  );

  it.each([
    ['a wait of minutes', service('SERVICE_RATE_LIMITED', { sent: 'no', retryAfterMs: 600_000 })],
  ])('reports at once, though nothing was sent, %s', async (_what, error) => {
    expect(await settled(error)).toMatchObject({ problem: error.code });
  });

  it('retries an unexpected error, and reports it as UNEXPECTED', async () => {
    expect(await settled(new TypeError('x is undefined'))).toMatchObject({
      state: 'recorded',
      problem: 'UNEXPECTED',
    });
  });

  it.each([
    [service('SERVICE_FORBIDDEN', never), 'SERVICE_FORBIDDEN'],
    [service('SERVICE_BAD_REQUEST', never), 'SERVICE_BAD_REQUEST'],
    [service('SERVICE_NOT_FOUND', never), 'DESTINATION_GONE'],
    [new SlackFileError('SLACK_FILE_EXTERNAL', 'a link', never), 'SLACK_FILE_EXTERNAL'],
    [new PigeonholeError('RECORD_SIZE_MISMATCH', '9 of 10'), 'RECORD_SIZE_MISMATCH'],
  ])('refuses a permanent failure at once: %s', async (error, problem) => {
    const refused = { state: 'refused', problem, dueAt: null, isClaimed: false };
    expect(await settled(error)).toMatchObject(refused);
  });

  it.each([
    ['the service', service('SERVICE_RATE_LIMITED', { retryAfterMs: 90_000 })],
    ['Slack', new SlackFileError('SLACK_FILE_UNAVAILABLE', '429', { retryAfterMs: 90_000 })],
  ])('waits as long as %s asks, whatever the backoff scale', async (_who, asked) => {
    const { dueAt } = await settled(asked, { backoffScale: 0.01 });
    expect(dueAt).toBeGreaterThanOrEqual(clock.now() + 90_000);
  });

  it('waits longer each time, with jitter', async () => {
    const waits: number[] = [];
    for (const fraction of [0.5, 0.5, 0.5, 0]) {
      const { dueAt } = await settled(service('SERVICE_FAILED'), { fraction });
      waits.push((dueAt ?? 0) - clock.now());
      await clock.advance(HOUR_MS);
    }
    expect(waits).toEqual([5_000, 10_000, 20_000, 20_000]);
  });

  it('gives up after days of failures', async () => {
    await settled(service('SERVICE_FAILED'));
    await clock.advance(97 * HOUR_MS);
    expect(await settled(service('SERVICE_FAILED'))).toMatchObject({
      state: 'refused',
      problem: 'ATTEMPTS_EXHAUSTED',
    });
  });

  it('never gives up on a rejected key, which the operator must fix', async () => {
    await settled(service('SERVICE_UNAUTHORIZED', never));
    await clock.advance(30 * 24 * HOUR_MS);
    const error = service('SERVICE_UNAUTHORIZED', never);
    expect(await settled(error)).toMatchObject({ state: 'recorded', problem: error.code });
  });

  it('leaves the claim to its lease when the ledger fails', async () => {
    const away = new LedgerError('LEDGER_UNAVAILABLE', 'the disk is full');
    await expect(settled(away)).rejects.toBe(away);
    expect(await state()).toMatchObject({ state: 'recorded', isClaimed: true });
  });
});

describe('aborted work', () => {
  it('is handed back, due at once, without counting the attempt', async () => {
    const held = { ...(await claim()), signal: AbortSignal.abort(new Error('stopping')) };
    await settleFailure(held, new Error('stopping'), contextOf({ ledger, clock }));
    expect(await state()).toMatchObject({
      state: 'recorded',
      nextTryAt: clock.now(),
      isClaimed: false,
      problem: null,
    });
    const lease = { now: clock.now(), until: clock.now() + HOUR_MS, token: 'next' };
    const next = await ledger.claimFiling({ ...lease, afterQueue: '', largest: null });
    expect(next).toMatchObject({ attempts: 1 });
  });
});

describe('a file whose folder is gone', () => {
  const gone = service('SERVICE_NOT_FOUND', never);
  const ref = { team: 'T1', channel: 'C1' };
  const link = (folderId: number) => {
    const folder = { projectId: 1, folderId, projectTitle: null, folderName: null };
    return ledger.setLink(ref, { ...folder, linkedBy: 'U1', linkedAt: clock.now() });
  };
  const context = () => contextOf({ ledger, clock, settleMs: 60_000 });

  it('goes to the folder that its channel was linked to meanwhile', async () => {
    await link(2);
    const held = await claim();
    await link(3);
    await settleFailure(held, gone, context());
    expect(await state()).toMatchObject({
      ...{ state: 'recorded', problem: null, isClaimed: false },
      ...{ destination: { projectId: 1, folderId: 3 }, nextTryAt: null },
    });
  });

  it('waits, and is refused once that folder has accepted other files', async () => {
    await link(2);
    await settleFailure(await claim(), gone, context());
    expect(await state()).toMatchObject({ state: 'recorded', problem: 'DESTINATION_GONE' });
    await ledger.endHold('1/2', clock.now());
    await settleFailure(await claim(), gone, context());
    expect(await state()).toMatchObject({ state: 'refused', problem: 'DESTINATION_GONE' });
  });

  it('is refused when its channel no longer has a folder', async () => {
    await link(2);
    const held = await claim();
    await ledger.removeLink(ref);
    await settleFailure(held, gone, context());
    expect(await state()).toMatchObject({ state: 'refused', problem: 'DESTINATION_GONE' });
  });

  it('is refused when somebody chose that folder for it by hand', async () => {
    await link(3);
    const saved = recording({ ts: '2' }, { origin: 'saved', savedBy: 'U9', now: NOW });
    const own = (await ledger.recordShare(saved)).shareId;
    await claim();
    const held = await claim();
    await settleFailure(held, gone, context());
    expect(await ledger.transfersOfShare(own)).toMatchObject([
      { state: 'refused', problem: 'DESTINATION_GONE', destination: { folderId: 2 } },
    ]);
  });
});

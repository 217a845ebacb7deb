import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ledger, LedgerError } from '../../src/ledger/index.ts';
import type { StepName } from '../support/around-ledger.ts';
import { type InstanceOptions, LEASE_MS, NOTHING_FOUND, type Rig, startRig } from './start-rig.ts';

const HOUR_MS = 60 * 60_000;
const FILE = [{ name: 'a.pdf', size: 10 }];

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

/** A service whose uploads take `ms`; `uploads` lists those begun, and whether each was aborted. */
function slowUploads(ms: number) {
  const uploads: { calledOff: boolean }[] = [];
  const service: InstanceOptions['service'] = (inner) => ({
    ...inner,
    uploadFile: async (projectId, source, options) => {
      const upload = { calledOff: false };
      uploads.push(upload);
      options.signal?.addEventListener('abort', () => {
        upload.calledOff = true;
      });
      await rig.clock.sleep(ms, options.signal);
      return inner.uploadFile(projectId, source, options);
    },
  });
  return { uploads, service };
}

const renewing =
  (renewLeases: Ledger['renewLeases']) =>
  (ledger: Ledger): Ledger => ({ ...ledger, renewLeases });

describe('the lease of a transfer', () => {
  it('is renewed while its work lasts, so that nobody else starts it', async () => {
    const { uploads, service } = slowUploads(5 * LEASE_MS);
    rig.start({ service });
    await rig.share(FILE);
    await rig.clock.advance(1_000);
    rig.start({ service });
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(uploads).toEqual([{ calledOff: false }]);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('survives a renewal that fails', async () => {
    const { uploads, service } = slowUploads(5 * LEASE_MS);
    let failures = 1;
    const ledger = (inner: Ledger) =>
      renewing(async (...asked) => {
        failures -= 1;
        if (failures === 0) throw new LedgerError('LEDGER_UNAVAILABLE', 'locked');
        return inner.renewLeases(...asked);
      })(inner);
    rig.start({ service, ledger });
    await rig.share(FILE);
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(uploads).toEqual([{ calledOff: false }]);
  });

  it('ends its work at the renewal that finds it lost', async () => {
    const { uploads, service } = slowUploads(HOUR_MS);
    rig.start({ service, ledger: renewing(async () => new Set()) });
    await rig.share(FILE);
    await rig.clock.advance(0.3 * LEASE_MS - 1_000);
    expect(uploads).toEqual([{ calledOff: false }]);
    await rig.clock.advance(2_000);
    expect(uploads[0]).toEqual({ calledOff: true });
  });

  it('ends its work when it expires while the renewal hangs', async () => {
    const { uploads, service } = slowUploads(HOUR_MS);
    rig.start({ service, ledger: renewing(() => new Promise(() => undefined)) });
    await rig.share(FILE);
    await rig.clock.advance(LEASE_MS - 1_000);
    expect(uploads).toEqual([{ calledOff: false }]);
    await rig.clock.advance(LEASE_MS / 10 + 2_000);
    expect(uploads[0]).toEqual({ calledOff: true });
  });
});

describe('stopping a worker', () => {
  const first = async () => (await rig.ledger.transfersOfShare(1))[0];

  /** Claims the upload that is due; returns its number, and how often it was claimed. */
  async function nextUpload(): Promise<number[]> {
    const now = rig.clock.now();
    const lease = { now, until: now + LEASE_MS, token: 'next' };
    const claimed = await rig.ledger.claimFiling({ ...lease, afterQueue: '', largest: null });
    return claimed?.kind === 'upload' ? [claimed.transfer.id, claimed.attempts] : [];
  }

  it('waits for work in hand, keeps its lease, and starts nothing more', async () => {
    const { uploads, service } = slowUploads(2 * LEASE_MS);
    const stopping = rig.start({ service });
    await rig.share(FILE);
    await rig.clock.advance(1_000);
    rig.start({ service });
    const stopped = stopping.stop(3 * LEASE_MS);
    await rig.clock.advance(2 * LEASE_MS);
    await stopped;
    expect(await first()).toMatchObject({ attachmentId: 1 });
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(uploads).toEqual([{ calledOff: false }]);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('leaves the file that it was uploading to the next start, which files it', async () => {
    const { uploads, service } = slowUploads(LEASE_MS);
    const stopping = rig.start({ service });
    await rig.share(FILE);
    await rig.clock.advance(1_000);
    const stopped = stopping.stop(3 * LEASE_MS);
    await rig.clock.advance(LEASE_MS);
    await stopped;
    expect(await first()).toMatchObject({ state: 'uploaded' });
    rig.start({ service });
    expect(await rig.settles(HOUR_MS)).toBe(true);
    expect(uploads).toEqual([{ calledOff: false }]);
    expect(rig.findings()).toEqual(NOTHING_FOUND);
  });

  it('claims nothing more', async () => {
    const { uploads, service } = slowUploads(2 * LEASE_MS);
    const stopping = rig.start({ service });
    await rig.share(FILE);
    await rig.clock.advance(1_000);
    const stopped = stopping.stop(LEASE_MS);
    await rig.share([{ name: 'b.pdf', size: 11 }]);
    await rig.clock.advance(LEASE_MS - 1_000);
    expect(uploads).toEqual([{ calledOff: false }]);
    await rig.clock.advance(2_000);
    await stopped;
    expect(await nextUpload()).toEqual([2, 1]);
  });

  it('hands back unfinished work after the grace period, due at once', async () => {
    const { uploads, service } = slowUploads(HOUR_MS);
    const stopping = rig.start({ service });
    await rig.share(FILE);
    await rig.clock.advance(1_000);
    const stopped = stopping.stop(20_000);
    await rig.clock.advance(0);
    await rig.clock.advance(19_000);
    expect(uploads).toEqual([{ calledOff: false }]);
    await rig.clock.advance(1_000);
    await stopped;
    expect(uploads).toEqual([{ calledOff: true }]);
    const nextTryAt = rig.clock.now();
    expect(await first()).toMatchObject({ state: 'recorded', nextTryAt });
    expect(await nextUpload()).toEqual([1, 1]);
  });
});

const STEPS: StepName[] = [
  'claimed',
  'uploading',
  'upload-answered',
  'uploaded',
  'creating',
  'create-answered',
  'filed',
  'reply-begun',
  'reply-posted',
];

describe('a process suspended longer than its lease', () => {
  it.each(STEPS)(
    'repeats nothing after another has finished its work (suspended at: %s)',
    async (moment) => {
      const first = rig.start();
      first.freezeAt(moment);
      await rig.share(FILE);
      await rig.clock.advance(10_000);
      expect(first.frozen()).toBe(true);
      rig.start();
      await rig.clock.advance(3 * LEASE_MS);
      expect(await rig.settles(HOUR_MS)).toBe(true);
      first.thaw();
      await rig.clock.advance(2 * LEASE_MS);
      expect(await rig.settles(HOUR_MS)).toBe(true);
      expect(rig.findings()).toEqual(NOTHING_FOUND);
    },
  );
});

const OTHERS = 5;
const RESTARTS = 40;

it('a file that kills the process each time does not keep other files from being filed', async () => {
  await rig.share([{ name: 'deadly.zip', size: 1 }]);
  for (let n = 0; n < OTHERS; n += 1) await rig.share([{ name: `${n}.pdf`, size: 10 }]);
  for (let n = 0; n < RESTARTS && rig.service.contents().length < OTHERS; n += 1) {
    const instance = rig.start({ killedBy: 1 });
    await rig.clock.advance(LEASE_MS + 1_000);
    instance.crash();
  }
  expect(rig.findings().lost).toEqual(['F0-0']);
  expect(rig.findings().twice).toEqual([]);
});

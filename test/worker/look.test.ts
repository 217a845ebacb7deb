import { expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../src/service/index.ts';
import { heldTransfer } from '../../src/worker/job.ts';
import { look } from '../../src/worker/look.ts';
import { aroundLedger } from '../support/around-ledger.ts';
import { recording, sharedFile } from '../support/builders.ts';
import { claimFiles, createNext, endFolder } from '../support/claim-next.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { contextOf } from './context-of.ts';

const FILES = 60;

it('a look at a folder that cannot be listed hands all its files back, a few at a time', async () => {
  const clock = createFakeClock();
  const ledger = await openEmptyLedger(clock.now());
  onTestFinished(() => ledger.close());
  for (let n = 0; n < FILES; n += 1) {
    await ledger.recordShare(
      recording(
        { ts: `${1_700_000_000 + n}.000100`, files: [sharedFile({ name: `${n}.pdf` })] },
        { now: clock.now() },
      ),
    );
    const claim = await createNext(ledger, { now: clock.now(), token: `create ${n}` });
    await ledger.release(claim, { dueAt: clock.now() });
  }
  await endFolder(ledger, clock.now());
  const until = clock.now() + 30_000;
  const lease = { now: clock.now(), until, token: 'look' };
  const claimed = await claimFiles(ledger, { ...lease, afterQueue: '', largest: null });
  expect(claimed).toHaveLength(FILES);

  let [writing, most] = [0, 0];
  const watched = aroundLedger(ledger, {
    before: ({ method }) => {
      if (method !== 'postpone') return;
      writing += 1;
      most = Math.max(most, writing);
    },
    after: ({ method }) => {
      if (method === 'postpone') writing -= 1;
    },
  });
  const outage = { retry: 'later', sent: 'unknown' } as const;
  const unlisted = async () => {
    throw new ServiceError('SERVICE_FAILED', 'an outage', outage);
  };
  const service = { listFiles: unlisted, listFolders: unlisted };
  const held = { token: 'look', signal: new AbortController().signal, leaseUntil: () => until };
  const transfers = claimed.map((one) => heldTransfer(one, held));
  await look(transfers, contextOf({ ledger: watched, clock, service }));

  const after = await Promise.all(claimed.map(({ shareId }) => ledger.transfersOfShare(shareId)));
  const waiting = after.flat().filter(({ nextTryAt }) => (nextTryAt ?? 0) > clock.now());
  expect(waiting).toHaveLength(FILES);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThan(FILES / 2);
});

import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/base/index.ts';
import { claim, destination, type LedgerUnderTest } from './ledger-under-test.ts';

/** What waits for the key, in every dialect. */
export function describeWaitingForKey({
  ledger,
  record,
  claimNext,
  nextDueAt,
}: LedgerUnderTest): void {
  describe('what waits for the key', () => {
    const channel = { team: 'T1', channel: 'C2' };
    const link = { ...destination, folderName: null, linkedBy: 'U9', linkedAt: 1 };

    /** Records a share and puts it off for this reason. */
    async function putOff(code: ErrorCode, overrides = {}, token = 't'): Promise<void> {
      await record(overrides);
      const held = await claimNext({ ...claim, token });
      const put = { problem: { code, note: null }, dueAt: 9_000, failingSince: 1, now: 1_000 };
      await ledger.postpone({ id: held?.id ?? 0, token }, put);
    }

    it('is found, of a channel that somebody linked if there is one', async () => {
      await putOff('SERVICE_FAILED', { channel: 'C3' });
      expect(await ledger.firstWaitingForKey()).toBeNull();
      await putOff('SERVICE_UNAUTHORIZED');
      expect(await ledger.firstWaitingForKey()).toEqual({ destination, linkedBy: null });
      await ledger.setLink(channel, link);
      await putOff('SERVICE_UNAUTHORIZED', channel);
      expect(await ledger.firstWaitingForKey()).toEqual({ destination, linkedBy: 'U9' });
    });

    it('is made due, and nothing else', async () => {
      await putOff('SERVICE_UNAUTHORIZED');
      await putOff('SERVICE_FAILED', channel);
      expect(await ledger.hurryWaitingForKey(2_000)).toBe(1);
      expect(await nextDueAt()).toBe(2_000);
      expect(await ledger.hurryWaitingForKey(2_000)).toBe(0);
    });

    it('is left to who holds it', async () => {
      await putOff('SERVICE_UNAUTHORIZED');
      await claimNext({ ...claim, now: 9_000, until: 39_000 });
      expect(await ledger.hurryWaitingForKey(10_000)).toBe(0);
    });

    it('is told of by one, until that is dropped', async () => {
      expect(await ledger.claimKeyNotice(1_000)).toBe(false);
      await ledger.beginRun(1_000);
      const claims = [1, 2, 3].map(() => ledger.claimKeyNotice(1_000));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      await ledger.dropKeyNotice();
      expect(await ledger.claimKeyNotice(2_000)).toBe(true);
    });
  });
}

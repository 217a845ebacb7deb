import { describe, expect, it } from 'vitest';
import type { LedgerUnderTest } from './ledger-under-test.ts';

const MINUTE = 60_000;

/** Contract for every dialect: which requests of Slack's came before. */
export function describeRequests({ ledger }: LedgerUnderTest): void {
  describe('a request', () => {
    it('is the first of its signature only once, also when it comes several times at once', async () => {
      const request = { signature: 'v0=1', sentAt: 1_000 };
      const first = await Promise.all([1, 2, 3].map(() => ledger.noteRequest(request, 1_000)));
      expect(first.filter(Boolean)).toHaveLength(1);
      expect(await ledger.noteRequest({ ...request, signature: 'v0=2' }, 1_000)).toBe(true);
      expect(await ledger.noteRequest(request, 1_000)).toBe(false);
    });

    it('is the first again once it is dropped, as it had no effect', async () => {
      const request = { signature: 'press', sentAt: 1_000 };
      await ledger.noteRequest(request, 1_000);
      await ledger.noteRequest({ ...request, signature: 'other' }, 1_000);
      await ledger.dropRequest(request);
      expect(await ledger.noteRequest(request, 1_000)).toBe(true);
      expect(await ledger.noteRequest({ ...request, signature: 'other' }, 1_000)).toBe(false);
    });

    it('is remembered for longer than its signature is valid, and then forgotten', async () => {
      const request = { signature: 'v0=1', sentAt: 0 };
      await ledger.noteRequest(request, -5 * MINUTE);
      const other = (signature: string, now: number) =>
        ledger.noteRequest({ signature, sentAt: now }, now);
      await other('v0=2', 10 * MINUTE);
      expect(await ledger.noteRequest(request, 10 * MINUTE)).toBe(false);
      await other('v0=3', 15 * MINUTE + 1);
      expect(await ledger.noteRequest(request, 15 * MINUTE)).toBe(true);
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { LedgerUnderTest } from './ledger-under-test.ts';

/** Longer than any test, in milliseconds. */
const LONG_MS = 60_000;

/** Contract for every dialect: which process may send requests to the service. */
export function describeSender({ ledger }: LedgerUnderTest): void {
  const keep = (process: string, leaseMs = LONG_MS) => ledger.keepSending({ process, leaseMs });

  describe('the lease on sending', () => {
    it('is held by one process, which renews it; nobody has sent before the first', async () => {
      const first = { sentUntil: null, sentAgoMs: null, isAsked: false };
      expect(await keep('a')).toEqual(first);
      expect(await keep('b')).toBeNull();
      expect(await keep('a')).toEqual(first);
    });

    it('is held by one of many that take it at once', async () => {
      const all = Array.from({ length: 20 }, (_, index) => keep(`${index}`));
      expect((await Promise.all(all)).filter((kept) => kept !== null)).toHaveLength(1);
    });

    it('goes on with a holder that renews it late, if nobody has taken it since', async () => {
      await keep('a', -1);
      expect(await keep('a')).toMatchObject({ sentUntil: null });
    });

    it('is taken over once it has ended, with the end as the time of the last request', async () => {
      await keep('a', -LONG_MS);
      const kept = await keep('b');
      expect(kept?.sentAgoMs).toBeGreaterThanOrEqual(LONG_MS);
      expect(kept?.sentAgoMs).toBeLessThan(2 * LONG_MS);
      expect(await keep('a')).toBeNull();
      expect((await keep('b'))?.sentUntil).toBe(kept?.sentUntil);
    });

    it('is free once it is given up, and that is then the time of the last request', async () => {
      await keep('a');
      await ledger.stopSending('b');
      expect(await keep('b')).toBeNull();
      await ledger.stopSending('a');
      const kept = await keep('b');
      expect(kept?.sentAgoMs).toBeGreaterThanOrEqual(0);
      expect(kept?.sentAgoMs).toBeLessThan(LONG_MS);
    });

    it('shows a holder that others held it meanwhile', async () => {
      const before = await keep('a', -1);
      await keep('b');
      await ledger.stopSending('b');
      expect((await keep('a'))?.sentUntil).not.toBe(before?.sentUntil);
    });

    it('can be asked for by others, until somebody takes it over', async () => {
      await keep('a');
      await ledger.askToSend('a');
      expect(await keep('a')).toMatchObject({ isAsked: false });
      await ledger.askToSend('b');
      expect(await keep('a')).toMatchObject({ isAsked: true });
      await ledger.stopSending('a');
      expect(await keep('b')).toMatchObject({ isAsked: false });
    });
  });
}

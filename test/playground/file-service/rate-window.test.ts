import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateWindow } from '../../../src/playground/file-service/rate-window.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { fileServiceUnderTest } from './file-service-under-test.ts';

const LIMIT = { requests: 3, windowMs: 1000 };

describe('the sliding window', () => {
  it('admits a request again exactly one window after the oldest', async () => {
    const clock = createFakeClock();
    const window = createRateWindow(LIMIT, clock);
    for (let index = 0; index < 3; index += 1) {
      expect(window.admit()).not.toBeNull();
      await clock.advance(100);
    }
    expect(window.usage()).toEqual({ used: 3, limit: 3, windowMs: 1000, resetInMs: 700 });
    await clock.advance(699);
    expect(window.admit()).toBeNull();
    await clock.advance(1);
    expect(window.admit()).not.toBeNull();
    expect(window.admit()).toBeNull();
  });

  it('never admits more than the limit in any window, whatever arrives', async () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(gaps, async (waits) => {
        const clock = createFakeClock();
        const window = createRateWindow(LIMIT, clock);
        const admitted: number[] = [];
        for (const wait of waits) {
          await clock.advance(wait);
          if (window.admit()) admitted.push(clock.now());
          const recent = admitted.filter((at) => at > clock.now() - LIMIT.windowMs);
          expect(recent.length).toBe(window.usage().used);
          expect(recent.length).toBeLessThanOrEqual(LIMIT.requests);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('counts arrivals, refusals and the fullest window', async () => {
    const clock = createFakeClock();
    const window = createRateWindow(LIMIT, clock);
    for (let index = 0; index < 5; index += 1) window.admit();
    await clock.advance(1000);
    window.admit();
    window.countRefusal();
    expect(window.statistics()).toEqual({ total: 6, refused: 3, most: 3, mostArrived: 5 });
  });

  it('removes a request from the count', () => {
    const window = createRateWindow(LIMIT, createFakeClock());
    window.admit()?.giveBack();
    expect(window.usage()).toMatchObject({ used: 0, resetInMs: 0 });
  });

  it('reports the last minute, second by second', async () => {
    const clock = createFakeClock();
    const window = createRateWindow(LIMIT, clock);
    for (let index = 0; index < 4; index += 1) window.admit();
    await clock.advance(2500);
    window.admit();
    const history = window.history();
    expect(history).toHaveLength(60);
    const now = Date.UTC(2026, 0, 5, 9, 0, 2);
    expect(history.at(-1)).toEqual({ at: now, admitted: 1, refused: 0 });
    expect(history.at(-3)).toEqual({ at: now - 2000, admitted: 3, refused: 1 });
    await clock.advance(60_000);
    const all = window.history().map(({ admitted }) => admitted);
    expect(all).toEqual(Array.from({ length: 60 }, () => 0));
  });
});

describe('section 8: the rate limit', () => {
  it('refuses the 26th request within 10 s, of any kind', async () => {
    const { call, upload, clock, service } = await fileServiceUnderTest();
    await upload();
    await call('/api/v3/nothing');
    await call('/api/v3/people', { apiKey: null });
    await call('/api/v3/people', { headers: { 'User-Agent': '' } });
    await clock.advance(400);
    for (let index = 0; index < 21; index += 1)
      expect((await call('/api/v3/people')).ok).toBe(true);
    expect(service.window.usage()).toMatchObject({ used: 25, resetInMs: 9600 });
    for (const answer of [await call('/api/v3/people'), await upload()]) {
      expect(answer.status).toBe(429);
      expect(answer.headers.get('Retry-After')).toBe('10');
    }
    expect(service.store.unusedAttachments()).toHaveLength(1);
  });

  it('returns the time until the next free slot, rounded up, and admits a request then', async () => {
    const rateLimit = { requests: 2, windowMs: 10_000 };
    const { call, clock } = await fileServiceUnderTest({ rateLimit });
    await call('/api/v3/people');
    await clock.advance(5500);
    await call('/api/v3/people');
    const refused = await call('/api/v3/people');
    expect(refused.headers.get('Retry-After')).toBe('5');
    await clock.advance(4499);
    expect((await call('/api/v3/people')).headers.get('Retry-After')).toBe('1');
    await clock.advance(1);
    expect((await call('/api/v3/people')).status).toBe(200);
    expect((await call('/api/v3/people')).headers.get('Retry-After')).toBe('6');
  });

  it('gives no slot to refused requests', async () => {
    const rateLimit = { requests: 1, windowMs: 10_000 };
    const { call, clock, service } = await fileServiceUnderTest({ rateLimit });
    await call('/api/v3/people');
    await clock.advance(9000);
    expect((await call('/api/v3/people')).status).toBe(429);
    await clock.advance(1000);
    expect((await call('/api/v3/people')).status).toBe(200);
    expect(service.window.statistics()).toEqual({
      total: 3,
      refused: 1,
      most: 1,
      mostArrived: 2,
    });
  });

  it('responds to a large upload that is refused, and keeps the connection open', async () => {
    const rateLimit = { requests: 1, windowMs: 10_000 };
    const { call, upload } = await fileServiceUnderTest({ rateLimit });
    await call('/api/v3/people');
    const content = new Uint8Array(20_000_000);
    expect((await upload({ content })).status).toBe(429);
    expect((await call('/api/v3/people')).status).toBe(429);
  });
});

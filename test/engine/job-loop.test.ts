import { expect, it, onTestFinished } from 'vitest';
import { createOutage, silentLogger, systemRandom } from '../../src/base/index.ts';
import type { HeldLease } from '../../src/engine/job.ts';
import { CLAIM_OUTAGE, JobLoop } from '../../src/engine/job-loop.ts';
import { type Lease, LedgerError } from '../../src/ledger/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createListLogger } from '../support/list-logger.ts';

const TIMES = { leaseMs: 30_000, pollMs: 5_000 };

it('the job loop logs a ledger outage once when it begins and once when it ends, and each renewal that fails', async () => {
  const { logger, lines } = createListLogger();
  const clock = createFakeClock();
  let isOut = false;
  const call = async <T>(result: T): Promise<T> => {
    if (isOut) throw new LedgerError('LEDGER_UNAVAILABLE', 'away');
    return result;
  };
  const ledger = {
    renewLeases: ({ tokens }: { tokens: string[] }) => call(new Set(tokens)),
    sweepLeases: () => call(0),
  };
  const context = { ledger, clock, random: systemRandom, logger, ...TIMES };
  const job = ({ signal }: HeldLease) => clock.sleep(60 * 60_000, signal).catch(() => undefined);
  const jobs = [job];
  const handler = {
    ...{ kinds: ['upload' as const], concurrency: 2 },
    next: () => call(jobs.length > 0 ? clock.now() : null),
    claim: (lease: () => Lease) => {
      lease();
      return call(jobs.pop() ?? null);
    },
  };
  const loop = new JobLoop(context, [handler]);
  loop.start();
  onTestFinished(() => loop.stop(0));
  await clock.advance(1_000);
  expect(loop.inHand).toBe(1);
  isOut = true;
  const texts = () => lines.map(({ level, text }) => `${level}: ${text}`);
  await clock.advance(10 * 60_000);
  expect(texts()).toEqual([
    'warn: The database fails: no job can be claimed, and it is asked again every second',
    ...Array(3).fill('warn: Leases could not be renewed: work whose lease runs out is ended'),
  ]);
  expect(lines[0]?.fields).toMatchObject({ error: { code: 'LEDGER_UNAVAILABLE' } });
  isOut = false;
  jobs.push(job);
  await clock.advance(60_000);
  expect(texts().slice(4)).toEqual(['info: The database works again: jobs can be claimed']);
});

it('job loops that share an outage log it once for all their kinds, and its end when all work again', async () => {
  const { logger, lines } = createListLogger();
  const clock = createFakeClock();
  const ledger = {
    renewLeases: async () => new Set<string>(),
    sweepLeases: async () => 0,
  };
  const outage = createOutage(logger, CLAIM_OUTAGE);
  const context = { ledger, clock, random: systemRandom, logger, outage, ...TIMES };
  const out = new Set(['upload', 'message', 'watch', 'backfill'] as const);
  const handlers = [...out].map((kind) => ({
    ...{ kinds: [kind], concurrency: 1, claim: async () => null },
    next: async () => {
      if (out.has(kind)) throw new LedgerError('LEDGER_UNAVAILABLE', 'away');
      return null;
    },
  }));
  for (const own of [handlers.slice(0, 2), handlers.slice(2)]) {
    const loop = new JobLoop(context, own);
    loop.start();
    onTestFinished(() => loop.stop(0));
  }
  await clock.advance(5_000);
  for (const kind of ['backfill', 'upload', 'watch'] as const) out.delete(kind);
  await clock.advance(5_000);
  expect(lines.map(({ text }) => text)).toEqual([CLAIM_OUTAGE.begins]);
  out.clear();
  await clock.advance(5_000);
  expect(lines.map(({ text }) => text)).toEqual([CLAIM_OUTAGE.begins, CLAIM_OUTAGE.ends]);
});

it('the job loop polls at its usual pace while the next row is due far ahead', async () => {
  const clock = createFakeClock();
  const ledger = {
    renewLeases: async () => new Set<string>(),
    sweepLeases: async () => 0,
  };
  const context = { ledger, clock, random: systemRandom, logger: silentLogger, ...TIMES };
  let looks = 0;
  const handler = {
    ...{ kinds: ['message' as const], concurrency: 1 },
    next: async () => {
      looks += 1;
      return clock.now() + 24 * 60 * 60_000;
    },
    claim: async () => null,
  };
  const loop = new JobLoop(context, [handler]);
  loop.start();
  onTestFinished(() => loop.stop(0));
  await clock.advance(60_000);
  expect(looks).toBe(13);
});

it('the job loop sweeps expired leases even while it always has work itself', async () => {
  const clock = createFakeClock();
  const swept: string[] = [];
  const ledger = {
    renewLeases: async ({ tokens }: { tokens: string[] }) => new Set(tokens),
    sweepLeases: async (kinds: readonly string[]) => swept.push(...kinds),
  };
  const context = { ledger, clock, random: systemRandom, logger: silentLogger, ...TIMES };
  const handler = {
    ...{ kinds: ['upload' as const], concurrency: 1 },
    next: async () => clock.now(),
    claim: async (lease: () => Lease) => {
      lease();
      return ({ signal }: HeldLease) => clock.sleep(60_000, signal).catch(() => undefined);
    },
  };
  const loop = new JobLoop(context, [handler]);
  loop.start();
  onTestFinished(() => loop.stop(0));
  await clock.advance(25_000);
  expect(swept).toEqual(['upload', 'upload']);
});

it('what one handler frees by its sweep is claimed by another of the same kind of jobs', async () => {
  const clock = createFakeClock();
  let isFree = false;
  let isDone = false;
  const ledger = {
    renewLeases: async ({ tokens }: { tokens: string[] }) => new Set(tokens),
    sweepLeases: async () => {
      const freed = isFree ? 0 : 1;
      isFree = true;
      return freed;
    },
  };
  const context = { ledger, clock, random: systemRandom, logger: silentLogger, ...TIMES };
  const next = async () => (isDone ? null : clock.now());
  const job = async () => {
    isDone = true;
  };
  const both = { kinds: ['upload' as const], concurrency: 1, next };
  const other = { ...both, claim: async () => null };
  const own = { ...both, claim: async () => (isFree ? job : null) };
  const loop = new JobLoop(context, [other, own]);
  loop.start();
  onTestFinished(() => loop.stop(0));
  await clock.advance(1_000);
  expect(isDone).toBe(true);
});

it('the end of a job has only its own handler read the ledger again', async () => {
  const clock = createFakeClock();
  const ledger = {
    renewLeases: async () => new Set<string>(),
    sweepLeases: async () => 0,
  };
  const context = { ledger, clock, random: systemRandom, logger: silentLogger, ...TIMES };
  const looks: string[] = [];
  let left = 3;
  const job = async () => {
    await clock.sleep(10);
    left -= 1;
  };
  const busy = {
    ...{ kinds: ['message' as const], concurrency: 1, claim: async () => job },
    next: async () => {
      looks.push('busy');
      return left > 0 ? clock.now() : null;
    },
  };
  const idle = {
    ...{ kinds: ['deletion' as const], concurrency: 1, claim: async () => null },
    next: async () => {
      looks.push('idle');
      return null;
    },
  };
  const loop = new JobLoop(context, [busy, idle]);
  loop.start();
  onTestFinished(() => loop.stop(0));
  await clock.advance(1_000);
  expect(left).toBe(0);
  expect(looks.filter((one) => one === 'idle')).toHaveLength(1);
});

const { leaseMs } = TIMES;
type Renewal = (leases: { tokens: string[] }) => Promise<Set<string>>;
const renewed: Renewal = async ({ tokens }) => new Set(tokens);

/** Starts a loop whose jobs take so long each; `jobs` tells how each began and ended. */
function startLoop(jobMs: number, renewLeases = renewed) {
  const clock = createFakeClock();
  const ledger = { renewLeases, sweepLeases: async () => 0 };
  const context = { ledger, clock, random: systemRandom, logger: silentLogger, ...TIMES };
  const jobs: string[] = [];
  const handler = {
    ...{ kinds: ['upload' as const], concurrency: 1 },
    next: async () => clock.now(),
    claim: async (lease: () => Lease) => {
      lease();
      const nth = jobs.push('begun') - 1;
      return async ({ signal, leaseUntil }: HeldLease) => {
        const ended = await clock.sleep(jobMs, signal).then(
          () => 'done',
          () => 'aborted',
        );
        jobs[nth] = leaseUntil() > clock.now() ? ended : `${ended} too late`;
      };
    },
  };
  const loop = new JobLoop(context, [handler]);
  loop.start();
  onTestFinished(() => loop.stop(0));
  return { clock, jobs, loop };
}

it.each([
  ['while its work lasts', renewed],
  ['also after a renewal that failed', failingOnce()],
])('the lease of a job is renewed %s', async (_when, renewal) => {
  const { clock, jobs } = startLoop(5 * leaseMs, renewal);
  await clock.advance(5 * leaseMs + 1);
  expect(jobs).toEqual(['done', 'begun']);
});

function failingOnce(): Renewal {
  let failures = 1;
  return async (leases) => {
    failures -= 1;
    if (failures === 0) throw new LedgerError('LEDGER_UNAVAILABLE', 'locked');
    return renewed(leases);
  };
}

it('a job ends at the renewal that finds its lease lost', async () => {
  const { clock, jobs } = startLoop(60 * 60_000, async () => new Set());
  await clock.advance(0.3 * leaseMs - 1);
  expect(jobs).toEqual(['begun']);
  await clock.advance(1);
  expect(jobs[0]).toBe('aborted');
});

it('a job ends when its lease expires while the renewal hangs', async () => {
  const hung = Promise.withResolvers<Set<string>>();
  const { clock, jobs } = startLoop(60 * 60_000, () => hung.promise);
  onTestFinished(() => hung.resolve(new Set()));
  await clock.advance(leaseMs - 1);
  expect(jobs).toEqual(['begun']);
  await clock.advance(1);
  expect(jobs[0]).toBe('aborted too late');
});

it('a stop waits for the work in hand, renews its lease, and begins nothing more', async () => {
  const { clock, jobs, loop } = startLoop(2 * leaseMs);
  await clock.advance(1_000);
  const stopped = loop.stop(3 * leaseMs);
  await clock.advance(2 * leaseMs);
  await stopped;
  expect(jobs).toEqual(['done']);
});

it('a stop ends unfinished work when its grace is over', async () => {
  const { clock, jobs, loop } = startLoop(60 * 60_000);
  await clock.advance(1_000);
  const stopped = loop.stop(20_000);
  await clock.advance(19_999);
  expect(jobs).toEqual(['begun']);
  await clock.advance(1);
  await stopped;
  expect(jobs).toEqual(['aborted']);
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { silentLogger } from '../src/base/index.ts';
import { type Check, checksOf, createHealth } from '../src/health.ts';
import { listen, listenerFor } from '../src/http-server.ts';
import { type ServiceClient, ServiceError } from '../src/service/index.ts';
import { createFakeClock } from './support/fake-clock.ts';

type HealthParts = Parameters<typeof checksOf>[0];

const clock = createFakeClock();

/** Starts the probes of one part; `logged` collects what went to the log. */
async function started(run: Check['run'], keep: Partial<Check> = {}) {
  const logged: object[] = [];
  const note = (fields: object, text?: string) => void logged.push({ ...fields, text });
  const logger = { ...silentLogger, warn: note, info: note };
  const checks = [{ name: 'database', keepMs: 1_000, run, ...keep }];
  const listener = createHealth({ checks, gauges: {}, clock, logger });
  const server = await listen({ port: 0, host: '127.0.0.1', listener, clock });
  onTestFinished(() => server.close());
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    await clock.advance(1_000);
    const body = (await answer.json()) as object;
    return { status: answer.status, ...body };
  };
  return { logged, ask };
}

it('a probe names the part that does not respond, and logs the reason once for each change', async () => {
  let problem: string | null = 'connect ECONNREFUSED 10.0.0.7:5432 /var/lib/db';
  const { logged, ask } = await started(async () => {
    if (problem !== null) throw new Error(problem);
  });
  const begins = 'Not ready: database does not work';
  const away = { status: 503, ok: false, database: 'does not work' };
  expect([await ask(), await ask()]).toEqual([away, away]);
  problem = 'password refused';
  expect([await ask(), await ask()]).toEqual([away, away]);
  problem = null;
  expect([await ask(), await ask()]).toMatchObject([{ database: 'ok' }, { status: 200 }]);
  expect(logged).toEqual([
    { part: 'database', problem: 'connect ECONNREFUSED 10.0.0.7:5432 /var/lib/db', text: begins },
    { part: 'database', problem: 'password refused', text: begins },
    { part: 'database', text: 'Works again: database' },
  ]);
});

it('a probe checks again soon after a failure, however long a good result is kept', async () => {
  let fails = true;
  const { ask } = await started(
    async () => {
      if (fails) throw new Error('away');
    },
    { keepMs: 60_000 },
  );
  expect(await ask()).toMatchObject({ status: 503 });
  fails = false;
  expect(await ask()).toMatchObject({ status: 503 });
  expect(await ask()).toMatchObject({ status: 200 });
  fails = true;
  expect(await ask()).toMatchObject({ status: 200 });
});

/** Asks a probe of a check that hangs; `answered` says whether it has its answer. */
async function askHanging({ ask }: Pick<Awaited<ReturnType<typeof started>>, 'ask'>) {
  const asleep = clock.sleepers();
  let isAnswered = false;
  const asking = ask().finally(() => {
    isAnswered = true;
  });
  await vi.waitUntil(() => clock.sleepers() > asleep, { timeout: 20_000 });
  return { asking, answered: () => isAnswered };
}

it('a probe waits a second for a check that hangs, and the next one sees its later result', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { logged, ...probes } = await started(() => promise);
  const { asking, answered } = await askHanging(probes);
  await clock.advance(999);
  expect(answered()).toBe(false);
  await clock.advance(1);
  expect(await asking).toMatchObject({ status: 503, database: 'does not work' });
  resolve();
  expect(await probes.ask()).toMatchObject({ status: 200, database: 'ok' });
  expect(logged).toMatchObject([
    { part: 'database', problem: 'no answer within 1 s' },
    { text: 'Works again: database' },
  ]);
});

it('a check that hangs fails after ten seconds, and is not begun again before', async () => {
  let begun = 0;
  const probes = await started(() => {
    begun += 1;
    return new Promise(() => undefined);
  });
  for (let probe = 1; probe <= 5; probe += 1) {
    const { asking } = await askHanging(probes);
    await clock.advance(1_000);
    expect(await asking).toMatchObject({ status: 503 });
    expect(begun).toBe(1);
  }
  await clock.advance(2_000);
  expect(probes.logged.at(-1)).toMatchObject({ problem: 'no answer within 10 s' });
  const { asking } = await askHanging(probes);
  await clock.advance(1_000);
  await asking;
  expect(begun).toBe(2);
});

it('a check that waits for our own rate limit leaves a probe the result before', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const probes = await started(() => promise, { waitsForSlot: () => true });
  const { asking } = await askHanging(probes);
  await clock.advance(1_000);
  expect(await asking).toMatchObject({ status: 200, database: 'ok' });
  expect(probes.logged).toEqual([]);
  resolve();
});

it('a probe keeps a failure as long as the part says, and ends a check that takes too long', async () => {
  const signals: AbortSignal[] = [];
  const run = (signal: AbortSignal) => {
    signals.push(signal);
    return Promise.reject(new Error('away'));
  };
  const { ask } = await started(run, { keepMs: 60_000, keepFailureMs: 30_000 });
  for (let second = 0; second < 60; second += 1) await ask();
  expect(signals).toHaveLength(2);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});

it.each(['SERVICE_RATE_LIMITED', 'SERVICE_LIMIT_AWAY'] as const)(
  'a probe repeats its last result if %s prevents a check, and checks again soon',
  async (code) => {
    const held = new ServiceError(code, 'held', { retry: 'later', sent: 'no' });
    const answers = [held, new Error('away'), held];
    const run = async () => {
      const answer = answers.shift();
      if (answer) throw answer;
    };
    const { ask, logged } = await started(run, { keepMs: 60_000, keepFailureMs: 1_000 });
    expect(await ask()).toMatchObject({ status: 200 });
    expect(logged).toEqual([]);
    await ask();
    expect(await ask()).toMatchObject({ status: 503 });
    expect(await ask()).toMatchObject({ status: 503 });
    await ask();
    expect(await ask()).toMatchObject({ status: 200 });
    expect(logged).toMatchObject([{ problem: 'away' }, { text: expect.stringContaining('again') }]);
  },
);

it('a part that works may show a word of its own, which lasts while the rate limit prevents a check', async () => {
  const held = new ServiceError('SERVICE_RATE_LIMITED', 'held', { retry: 'later', sent: 'no' });
  const answers = [async () => 'works in part', () => Promise.reject(held), async () => undefined];
  const run = () => answers.shift()?.() ?? Promise.resolve(undefined);
  const { ask, logged } = await started(run);
  const inPart = { status: 200, ok: true, database: 'works in part' };
  expect([await ask(), await ask()]).toEqual([inPart, inPart]);
  await ask();
  expect(await ask()).toEqual({ status: 200, ok: true, database: 'ok' });
  expect(logged).toEqual([]);
});

function checkOfService(check: () => Promise<boolean>) {
  const service = { check } as Partial<ServiceClient> as ServiceClient;
  const parts: Partial<HealthParts> = { clock, service };
  const own = checksOf(parts as HealthParts).find(({ name }) => name === 'service');
  return own?.run(new AbortController().signal);
}

it('the check of the service says if no projects are shown', async () => {
  expect(await checkOfService(async () => true)).toBe('ok');
  expect(await checkOfService(async () => false)).toBe('shows no projects');
});

it.each([
  ['is fine when the service answers 429: others use the account', 'RATE_LIMITED', 'yes', true],
  ['is unknown when our own rate limit holds the request back', 'RATE_LIMITED', 'no', false],
  ['is unknown while Redis is away', 'LIMIT_AWAY', 'no', false],
] as const)('the check of the service %s', async (_title, code, sent, isFine) => {
  const limited = new ServiceError(`SERVICE_${code}`, 'limited', { retry: 'later', sent });
  const run = checkOfService(() => Promise.reject(limited));
  await (isFine ? expect(run).resolves.toBe('ok') : expect(run).rejects.toBe(limited));
});

it('the metrics are computed once a second at most, however many clients ask', async () => {
  let computed = 0;
  const value = async () => {
    computed += 1;
    return computed;
  };
  const gauges = { pigeonhole_test: { help: 'A test', value } };
  const listener = createHealth({ checks: [], gauges, clock, logger: silentLogger });
  const server = await listen({ port: 0, host: '127.0.0.1', listener, clock });
  onTestFinished(() => server.close());
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    return /^pigeonhole_test (\d+)$/m.exec(await answer.text())?.[1];
  };
  expect(new Set(await Promise.all(Array.from({ length: 50 }, ask)))).toEqual(new Set(['1']));
  await clock.advance(999);
  expect(await ask()).toBe('1');
  await clock.advance(1);
  expect(await ask()).toBe('2');
});

it.each(['/healthz', '/readyz', '/metrics'])(
  '%s answers a probe that asks by HEAD',
  async (path) => {
    const checks = [{ name: 'database', keepMs: 1_000, run: async () => undefined }];
    const probes = createHealth({ checks, gauges: {}, clock, logger: silentLogger });
    const slack = () => expect.unreachable('Slack’s requests are POST');
    const listener = listenerFor(slack, probes);
    const server = await listen({ port: 0, host: '127.0.0.1', listener, clock });
    onTestFinished(() => server.close());
    const url = `http://127.0.0.1:${server.port}${path}`;
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  },
);

it('a part that stays silent is logged once, though its check says more than a probe', async () => {
  const { logged, ...probes } = await started(() => new Promise(() => undefined));
  for (let probe = 0; probe < 4; probe += 1) {
    const { asking } = await askHanging(probes);
    await clock.advance(10_000);
    await asking;
  }
  expect(logged).toMatchObject([
    { problem: 'no answer within 1 s' },
    { problem: 'no answer within 10 s' },
  ]);
});

import { expect, it } from 'vitest';
import { silentLogger } from '../src/base/index.ts';
import { createOnSignal, createShutdown } from '../src/shutdown.ts';
import { createFakeClock } from './support/fake-clock.ts';

const clock = createFakeClock();

function world() {
  const closed: string[] = [];
  const shutdown = createShutdown({ clock, logger: silentLogger });
  const part = (name: string, close: () => Promise<void> = async () => void closed.push(name)) => ({
    name,
    close,
    withinMs: 1_000,
  });
  return { closed, shutdown, part };
}

it('a shutdown closes parts in the opposite order, each once', async () => {
  const { closed, shutdown, part } = world();
  for (const name of ['ledger', 'service', 'server']) shutdown.opened(part(name));
  await shutdown.close();
  await shutdown.close();
  expect(closed).toEqual(['server', 'service', 'ledger']);
});

it('a shutdown goes on if a part fails to close', async () => {
  const { closed, shutdown, part } = world();
  shutdown.opened(part('ledger'));
  shutdown.opened(part('service', () => Promise.reject(new Error('no'))));
  await shutdown.close();
  expect(closed).toEqual(['ledger']);
});

it('a shutdown leaves a hanging part behind when its time is up', async () => {
  const { closed, shutdown, part } = world();
  shutdown.opened(part('ledger'));
  shutdown.opened(part('service', () => new Promise(() => undefined)));
  const ended = shutdown.close();
  await clock.advance(999);
  expect(closed).toEqual([]);
  await clock.advance(1);
  await ended;
  expect(closed).toEqual(['ledger']);
});

it('a shutdown closes parts that are named together at the same time', async () => {
  const { closed, shutdown, part } = world();
  const second = Promise.withResolvers<void>();
  const waits = async () => {
    await second.promise;
    closed.push('first');
  };
  shutdown.opened(
    part('first', waits),
    part('second', async () => {
      closed.push('second');
      second.resolve();
    }),
  );
  await shutdown.close();
  expect(closed).toEqual(['second', 'first']);
  expect(clock.sleepers()).toBe(0);
});

it('a shutdown first closes what a start opens during it, and ends that start', async () => {
  const { closed, shutdown, part } = world();
  const gone = Promise.withResolvers<void>();
  shutdown.opened(part('ledger'));
  shutdown.opened(part('throttle', () => gone.promise));
  const ended = shutdown.close();
  await Promise.resolve();
  expect(() => shutdown.opened(part('server'))).toThrow(
    expect.objectContaining({ code: 'STOPPED' }),
  );
  gone.resolve();
  await ended;
  expect(closed).toEqual(['server', 'ledger']);
});

function signalled() {
  const clock = createFakeClock();
  const done: string[] = [];
  const onSignal = createOnSignal({
    clock,
    stop: (signal) => void done.push(`stop ${signal}`),
    endAtOnce: () => void done.push('end'),
  });
  return { clock, done, onSignal };
}

it('a signal begins the shutdown once', async () => {
  const { clock, done, onSignal } = signalled();
  onSignal('SIGTERM');
  await clock.advance(30);
  onSignal('SIGTERM');
  await clock.advance(219);
  onSignal('SIGINT');
  await clock.advance(10_000);
  onSignal('SIGTERM');
  expect(done).toEqual(['stop SIGTERM']);
});

it('a second Ctrl-C ends the process at once, after longer than npm takes to pass a signal on', async () => {
  const { clock, done, onSignal } = signalled();
  onSignal('SIGINT');
  await clock.advance(249);
  onSignal('SIGINT');
  await clock.advance(1);
  onSignal('SIGINT');
  expect(done).toEqual(['stop SIGINT', 'end']);
});

import { expect, it } from 'vitest';
import { silentLogger } from '../src/base/index.ts';
import { createClosing } from '../src/closing.ts';
import { createFakeClock } from './support/fake-clock.ts';

const clock = createFakeClock();

function world() {
  const closed: string[] = [];
  const closing = createClosing({ clock, logger: silentLogger });
  const part = (name: string, close: () => Promise<void> = async () => void closed.push(name)) => ({
    name,
    close,
    withinMs: 1_000,
  });
  return { closed, closing, part };
}

it('closes in the opposite order, and each part once', async () => {
  const { closed, closing, part } = world();
  for (const name of ['ledger', 'service', 'server']) closing.opened(part(name));
  await closing.close();
  await closing.close();
  expect(closed).toEqual(['server', 'service', 'ledger']);
});

it('goes on when a part cannot be closed', async () => {
  const { closed, closing, part } = world();
  closing.opened(part('ledger'));
  closing.opened(part('service', () => Promise.reject(new Error('no'))));
  await closing.close();
  expect(closed).toEqual(['ledger']);
});

it('leaves what hangs behind when its time is up', async () => {
  const { closed, closing, part } = world();
  closing.opened(part('ledger'));
  closing.opened(part('service', () => new Promise(() => undefined)));
  const ended = closing.close();
  await clock.advance(999);
  expect(closed).toEqual([]);
  await clock.advance(1);
  await ended;
  expect(closed).toEqual(['ledger']);
});

it('closes what is named together at the same time', async () => {
  const { closed, closing, part } = world();
  const second = Promise.withResolvers<void>();
  const waits = async () => {
    await second.promise;
    closed.push('first');
  };
  closing.opened(
    part('first', waits),
    part('second', async () => {
      closed.push('second');
      second.resolve();
    }),
  );
  await closing.close();
  expect(closed).toEqual(['second', 'first']);
  expect(clock.sleepers()).toBe(0);
});

it('closes what is opened once closing has begun, before what was open, and ends the start', async () => {
  const { closed, closing, part } = world();
  const gone = Promise.withResolvers<void>();
  closing.opened(part('ledger'));
  closing.opened(part('throttle', () => gone.promise));
  const ended = closing.close();
  await Promise.resolve();
  expect(() => closing.opened(part('server'))).toThrow(
    expect.objectContaining({ code: 'STOPPED' }),
  );
  gone.resolve();
  await ended;
  expect(closed).toEqual(['server', 'ledger']);
});

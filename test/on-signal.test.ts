import { expect, it } from 'vitest';
import { createOnSignal } from '../src/on-signal.ts';
import { createFakeClock } from './support/fake-clock.ts';

function world() {
  const clock = createFakeClock();
  const done: string[] = [];
  const onSignal = createOnSignal({
    clock,
    stop: (signal) => void done.push(`stop ${signal}`),
    endAtOnce: () => void done.push('end'),
  });
  return { clock, done, onSignal };
}

it('begins the stop, once', async () => {
  const { clock, done, onSignal } = world();
  onSignal('SIGTERM');
  await clock.advance(30);
  onSignal('SIGTERM');
  await clock.advance(219);
  onSignal('SIGINT');
  expect(done).toEqual(['stop SIGTERM']);
});

it('ends at once when it is told again after more than npm takes to pass a signal on', async () => {
  const { clock, done, onSignal } = world();
  onSignal('SIGINT');
  await clock.advance(249);
  onSignal('SIGINT');
  await clock.advance(1);
  onSignal('SIGINT');
  expect(done).toEqual(['stop SIGINT', 'end']);
});

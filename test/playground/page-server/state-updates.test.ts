import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/index.ts';
import {
  createStatePublisher,
  type StateUpdate,
  trackChanges,
} from '../../../src/playground/page-server/state-updates.ts';

function publisherOf(state: Map<string, unknown>) {
  let readings = 0;
  const read = async () => {
    readings += 1;
    return new Map(state);
  };
  const publisher = createStatePublisher({ read, clock: systemClock, minMsBetween: 1 });
  onTestFinished(() => publisher.stop());
  return { publisher, readings: () => readings };
}

/** Collects the updates that a subscriber gets, in order. */
function updatesOf(publisher: ReturnType<typeof createStatePublisher>) {
  const received: StateUpdate[] = [];
  let wake = () => {};
  const unsubscribe = publisher.subscribe((update) => {
    received.push(update);
    wake();
  });
  const next = async (): Promise<StateUpdate> => {
    const update = received.shift();
    if (update) return update;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    return next();
  };
  return { next, unsubscribe };
}

test('a subscriber gets all entries, then those that change, appear or disappear', async () => {
  const state = new Map<string, unknown>([
    ['a', { n: 1 }],
    ['b', 2],
  ]);
  const { publisher } = publisherOf(state);
  const { next } = updatesOf(publisher);
  expect(await next()).toEqual({ whole: true, set: { a: { n: 1 }, b: 2 }, gone: [] });
  state.set('a', { n: 3 }).set('c', 4).delete('b');
  publisher.invalidate();
  expect(await next()).toEqual({ whole: false, set: { a: { n: 3 }, c: 4 }, gone: ['b'] });
});

test('a later subscriber gets everything, and the others nothing', async () => {
  const { publisher } = publisherOf(new Map([['a', 1]]));
  const first = updatesOf(publisher);
  await first.next();
  const second = updatesOf(publisher);
  expect(await second.next()).toEqual({ whole: true, set: { a: 1 }, gone: [] });
  expect(publisher.subscribers()).toBe(2);
  first.unsubscribe();
  expect(publisher.subscribers()).toBe(1);
});

test('the state is not read while nobody subscribes', async () => {
  const { publisher, readings } = publisherOf(new Map([['a', 1]]));
  publisher.invalidate();
  await publisher.stop();
  expect(readings()).toBe(0);
});

test('a tracker of changes reports everything at first, and then only what was added, changed or removed', () => {
  const state = new Map<string, unknown>([
    ['file/7/1', { name: 'a' }],
    ['file/7/2', { name: 'b' }],
  ]);
  const changesIn = trackChanges();
  expect(changesIn(state)).toEqual({ set: Object.fromEntries(state), gone: [] });
  expect(changesIn(state)).toEqual({ set: {}, gone: [] });
  state.delete('file/7/1');
  state.set('file/7/2', { name: 'B' });
  state.set('file/7/3', { name: 'c' });
  expect(changesIn(state)).toEqual({
    set: { 'file/7/2': { name: 'B' }, 'file/7/3': { name: 'c' } },
    gone: ['file/7/1'],
  });
});

test('a tracker of changes keeps earlier values when the entries change later', () => {
  const message = { text: 'before' };
  const state = new Map([['message/C1/1', message]]);
  const changesIn = trackChanges();
  const { set } = changesIn(state);
  message.text = 'after';
  expect(set).toEqual({ 'message/C1/1': { text: 'before' } });
  expect(changesIn(state).set).toEqual({ 'message/C1/1': { text: 'after' } });
});

import { describe, expect, it } from 'vitest';
import { createSemaphore, type Semaphore } from '../../src/worker/semaphore.ts';

const AWAY = { comeBackInMs: expect.any(Number) };

function leaver(semaphore: Semaphore, id: number, queue = 'a') {
  const entry = semaphore.enter({ id, queue }, 0);
  if ('comeBackInMs' in entry) throw new Error(`${id} found no place`);
  return entry.leave;
}

/** Who of these gets the place that is free at `now`, when all come back in this order. */
function winner(semaphore: Semaphore, order: { id: number; queue: string }[], now = 1) {
  return order.find((who) => 'leave' in semaphore.enter(who, now))?.id;
}

describe('places for large files', () => {
  it('are so many, and nobody waits inside for one', () => {
    const semaphore = createSemaphore(2);
    const leave = leaver(semaphore, 1);
    leaver(semaphore, 2);
    expect(semaphore.enter({ id: 3, queue: 'a' }, 0)).toEqual(AWAY);
    leave();
    expect(semaphore.enter({ id: 3, queue: 'a' }, 0)).not.toEqual(AWAY);
  });

  it('go to who came first, whoever asks first when one is free', () => {
    const semaphore = createSemaphore(1);
    const leave = leaver(semaphore, 1);
    const second = { id: 2, queue: 'a' };
    const third = { id: 3, queue: 'a' };
    semaphore.enter(second, 0);
    semaphore.enter(third, 0);
    leave();
    expect(winner(semaphore, [third, { id: 4, queue: 'a' }, second])).toBe(2);
  });

  it('go to the queues in turn', () => {
    const semaphore = createSemaphore(1);
    const leave = leaver(semaphore, 1);
    const many = [2, 3, 4, 5].map((id) => ({ id, queue: 'a' }));
    const other = { id: 6, queue: 'b' };
    for (const who of [...many, other]) semaphore.enter(who, 0);
    leave();
    expect(winner(semaphore, [...many, other])).toBe(6);
  });

  it('do not wait for one who never comes back', () => {
    const semaphore = createSemaphore(1);
    const leave = leaver(semaphore, 1);
    semaphore.enter({ id: 2, queue: 'a' }, 0);
    semaphore.enter({ id: 3, queue: 'a' }, 0);
    leave();
    expect(winner(semaphore, [{ id: 3, queue: 'a' }], 1)).toBeUndefined();
    expect(winner(semaphore, [{ id: 3, queue: 'a' }], 12_001)).toBe(3);
  });

  it('are asked for less often the longer the line is', () => {
    const semaphore = createSemaphore(3);
    for (const id of [1, 2, 3]) leaver(semaphore, id);
    const waits = Array.from({ length: 200 }, (_, index) => {
      const entry = semaphore.enter({ id: index + 4, queue: 'a' }, 0);
      return 'comeBackInMs' in entry ? entry.comeBackInMs : 0;
    });
    expect(waits.slice(0, 4)).toEqual([2_000, 2_000, 2_000, 4_000]);
    expect(waits.at(-1)).toBe(60_000);
  });
});

import inject from 'light-my-request';
import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import type { AppInstance } from './app-instance.ts';
import type { World } from './world.ts';

const METRICS_MS = 5_000;
const IN_WINDOW = /^pigeonhole_requests_in_window (\d+)$/m;

/**
 * How often to look: a slot held for a call comes back meanwhile, and files that nobody waits for
 * may still make calls.
 */
const LOOKS = 5;
const BETWEEN_MS = 13_000;

/** Checks that no instance holds a slot at rest, as its metrics show it. */
export async function checkSlots({ seats, truth }: World): Promise<void> {
  // Requests for shares that nobody waits for may still be under way.
  if (!truth.isQuiet()) return;
  for (const { instance, name } of seats) {
    const held = instance && (await fewestHeld(instance));
    if (held !== null && held !== 0) truth.fail('every place comes back', `${name} holds ${held}`);
  }
}

async function fewestHeld(instance: AppInstance): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let look = 1; look <= LOOKS && fewest > 0; look += 1) {
    if (look > 1) await runUntil(() => false, virtualNow() + BETWEEN_MS);
    const text = await metricsOf(instance);
    if (text === null) return 0;
    fewest = Math.min(fewest, Number(IN_WINDOW.exec(text)?.[1] ?? Number.NaN));
  }
  return fewest;
}

async function metricsOf(instance: AppInstance): Promise<string | null> {
  const answers = instance.listener();
  if (!answers) return null;
  let text: string | null = null;
  void instance.process
    .run(() => inject(answers, { method: 'GET', url: '/metrics' }))
    .then((reply) => (text = reply.payload));
  await runUntil(() => text !== null, virtualNow() + METRICS_MS);
  return text;
}

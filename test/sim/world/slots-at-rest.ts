import inject from 'light-my-request';
import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import type { AppInstance } from './app-instance.ts';
import type { World } from './world.ts';

const METRICS_MS = 5_000;
const IN_WINDOW = /^pigeonhole_requests_in_window (\d+)$/m;

/** At rest no instance holds a place of the rate window: its metrics say so. */
export async function checkSlots({ seats, truth }: World): Promise<void> {
  // Shares that nobody waits for may still be on their way.
  if (!truth.isQuiet()) return;
  for (const { instance, name } of seats) {
    const text = instance ? await metricsOf(instance) : null;
    if (text === null) continue;
    const held = IN_WINDOW.exec(text)?.[1];
    if (held !== '0')
      truth.fail('every place comes back', `${name} holds ${held ?? 'nobody knows how many'}`);
  }
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

import { runUntil, virtualNow } from '../kernel/virtual-time.ts';
import { isChecking } from './form-answers.ts';
import type { World } from './world.ts';

const ADMIN = 0;
/**
 * How long the service is slow, and then the longest time until the result shows, in milliseconds.
 */
const SLOW_MS = 45_000;
const SHOWN_MS = 45_000;

/**
 * At the very end, with no other fault, an admin links a channel in the form while the service
 * takes longer than Slack waits. The modal must not go on saying that the folder is being checked.
 */
export async function formOnSlowService({ plan, people, faults, slack, truth }: World) {
  if (plan.seed % 4 !== 1) return;
  const known = slack.state.modals.length;
  faults.begin('slow-service', SLOW_MS);
  people.command('/files', 'link', { channel: 0, user: ADMIN });
  await runUntil(() => truth.violations.length > 0, virtualNow() + SLOW_MS + SHOWN_MS);
  for (const modal of slack.state.modals.slice(known))
    if (modal.isOpen && isChecking(modal))
      truth.fail('a form says what came of it', `${modal.user} still reads that it is checked`);
}

import { say } from './say.ts';
import type { View } from './view.ts';

/** The private answer to whatever a deactivated account or a bot asks for. */
export function notForAccounts(): View {
  return say([
    'Deactivated accounts and bots can’t use Pigeonhole. If this account is yours, ask a workspace admin to activate it.',
  ]);
}

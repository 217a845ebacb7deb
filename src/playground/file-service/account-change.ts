import type { Clock } from '../../base/index.ts';
import type { Account } from './account.ts';
import type { Effect } from './apply-effect.ts';
import type { BytesFolder } from './bytes-folder.ts';

/** What a change of the account needs. */
export interface AccountChange {
  account: Account;
  bytes: BytesFolder;
  clock: Clock;
  /** Makes an effect durable, then visible. */
  happen(effect: Effect): void;
}

import type { Clock } from '../../base/index.ts';
import type { Account } from './account.ts';
import type { Effect } from './apply-effect.ts';
import type { BytesFolder } from './bytes-folder.ts';

/** What a function needs to change the account. */
export interface AccountChange {
  account: Account;
  bytes: BytesFolder;
  clock: Clock;
  /** Writes an effect to disk, then applies it to the account. */
  happen(effect: Effect): void;
}

import type { Behaviour } from './behaviour.ts';
import { PROFILES, type ProfileName } from './profiles.ts';

/** How the account behaves, settable while the service runs. */
export interface BehaviourControl {
  profile(): ProfileName;
  current(): Behaviour;
  /** From the next answer on; earlier changes are forgotten. */
  set(profile: ProfileName, changes?: Partial<Behaviour>): void;
}

export function createBehaviourControl(
  profile: ProfileName,
  changes: Partial<Behaviour> = {},
): BehaviourControl {
  let name = profile;
  let behaviour: Behaviour = { ...PROFILES[profile], ...changes };
  return {
    profile: () => name,
    current: () => behaviour,
    set: (nextName, nextChanges = {}) => {
      name = nextName;
      behaviour = { ...PROFILES[nextName], ...nextChanges };
    },
  };
}

import type { Behaviour } from './behaviour.ts';
import { PROFILES, type ProfileName } from './profiles.ts';

/** How the account behaves, settable while the service runs. */
export interface BehaviourControl {
  profile(): ProfileName;
  current(): Behaviour;
  /** From the next request on; earlier changes are forgotten. */
  set(profile: ProfileName, changes?: Partial<Behaviour>): void;
}

export function createBehaviourControl(
  profile: ProfileName,
  changes: Partial<Behaviour> = {},
): BehaviourControl {
  let now = behaving(profile, changes);
  return {
    profile: () => now.profile,
    current: () => now.behaviour,
    set: (nextProfile, nextChanges = {}) => {
      now = behaving(nextProfile, nextChanges);
    },
  };
}

function behaving(profile: ProfileName, changes: Partial<Behaviour>) {
  const behaviour: Behaviour = { ...PROFILES[profile], ...changes };
  return { profile, behaviour };
}

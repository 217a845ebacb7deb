import type { Behaviour } from './behaviour.ts';
import { PROFILES, type ProfileName } from './profiles.ts';

/** Reads and sets the account's behaviour while the service runs. */
export interface BehaviourControl {
  profile(): ProfileName;
  current(): Behaviour;
  /** Sets the behaviour from the next request on. Discards earlier `changes`. */
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

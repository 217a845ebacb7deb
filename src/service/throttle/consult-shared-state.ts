import type { Clock } from '../../base/index.ts';
import type { AllowedPlaces } from './allowed-places.ts';
import type { Gate } from './gate.ts';
import type { SharedState } from './shared-state.ts';

export interface ConsultOptions {
  clock: Clock;
  gate: Gate;
  allowed: AllowedPlaces;
  /** How long a place is kept after its call, in milliseconds. */
  holdMs: number;
}

/**
 * Learns what other instances know: that the gate is closed, and how many places are allowed. A
 * store that has lost its memory closes the gate for everybody until all places that it may have
 * forgotten would have come back. Rejects when the store cannot be asked.
 */
export async function consultSharedState(
  state: SharedState,
  { clock, gate, allowed, holdMs }: ConsultOptions,
): Promise<void> {
  const known = await state.read();
  const now = clock.now();
  if (known.forgotten) {
    gate.close(now + holdMs);
    await state.close(now + holdMs);
  }
  if (known.closedUntil !== null && known.closedUntil > now) gate.close(known.closedUntil);
  allowed.follow(known.allowance);
}

import type { Admission } from './throttle/throttle.ts';

/** The right to one request, asked for before it is known which request that is. */
export interface BulkSlot {
  /** For the first who asks, as the throttle settled it; null for all others. */
  take(): Promise<Admission> | null;
  /** Lets others have it, unless it was taken. */
  giveBack(): void;
}

/** Resolves once the throttle has admitted or rejected: what was rejected is for who takes it. */
export async function openBulkSlot(admitted: Promise<Admission>): Promise<BulkSlot> {
  await admitted.catch(() => undefined);
  let taken = false;
  const take = () => {
    if (taken) return null;
    taken = true;
    return admitted;
  };
  return {
    take,
    giveBack: () =>
      void take()?.then(
        (admission) => admission.done({ sent: false }),
        () => undefined,
      ),
  };
}

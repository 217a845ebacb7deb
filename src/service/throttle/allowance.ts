const KEPT_SHARE = 0.75;
const FEWEST_PLACES = 2;

/** How many places the throttle allows itself: the limit, or fewer once the service said 429. */
export interface Allowance {
  places: number;
  /** When it last changed, in milliseconds since the epoch. */
  changedAt: number;
}

/**
 * After an answer of 429 to a call that was sent at `sentAt`: a quarter fewer places, at least two
 * (one where the limit is one). Calls that were under way when it was last changed say nothing new.
 */
export function afterRateLimit(
  allowance: Allowance,
  answer: { sentAt: number; now: number },
): Allowance {
  if (answer.sentAt < allowance.changedAt) return allowance;
  const places = Math.floor(allowance.places * KEPT_SHARE);
  const fewest = Math.min(FEWEST_PLACES, allowance.places);
  return { places: Math.max(fewest, places), changedAt: answer.now };
}

/** One place more when a whole window has passed since the last change, up to the limit. */
export function afterCleanWindow(
  allowance: Allowance,
  limit: { requests: number; windowMs: number },
  now: number,
): Allowance {
  const clean = now - allowance.changedAt >= limit.windowMs;
  if (!clean || allowance.places >= limit.requests) return allowance;
  return { places: allowance.places + 1, changedAt: now };
}

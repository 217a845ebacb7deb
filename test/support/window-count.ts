/** Returns the most times that lie in any window of `windowMs`, whose later edge is excluded. */
export function mostInAnyWindow(times: readonly number[], windowMs: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  sorted.forEach((time, index) => {
    while (time - (sorted[first] ?? time) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/**
 * Returns the most calls that a service could count in one window of `windowMs` if it may count
 * each at any moment between its sending and its response.
 */
export function mostPossiblyCounted(
  calls: readonly { sentAt: number; answeredAt: number }[],
  windowMs: number,
): number {
  const counts = calls.map(({ sentAt }) => {
    const mayMeet = calls.filter(
      (call) => call.sentAt <= sentAt && call.answeredAt > sentAt - windowMs,
    );
    return mayMeet.length;
  });
  return Math.max(0, ...counts);
}

/** The most times that lie in any window of `windowMs`, its later edge excluded. */
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

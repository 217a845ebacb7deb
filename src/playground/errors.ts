/** A failure whose message is written for the person at the terminal. */
export class PlaygroundError extends Error {
  override name = 'PlaygroundError';
}

/** An invalid command line. */
export class UsageError extends PlaygroundError {
  override name = 'UsageError';
}

/** Sends requests no faster than a limit, and again when the service answers 429. */
export interface Limited {
  /** `urgent`: somebody waits for it; a limiter that knows no such thing takes it as any other. */
  run<T>(request: () => Promise<T>, urgent?: boolean): Promise<T>;
}

export interface Limit {
  requests: number;
  windowMs: number;
}

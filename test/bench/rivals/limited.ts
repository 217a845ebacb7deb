/** Sends requests within a limit, and repeats those that get a 429. */
export interface Limited {
  /** `urgent`: a person waits for it; a limiter without priorities treats it like any other. */
  run<T>(request: () => Promise<T>, urgent?: boolean): Promise<T>;
}

export interface Limit {
  requests: number;
  windowMs: number;
}

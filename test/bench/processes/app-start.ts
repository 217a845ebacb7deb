/** What an app of a bench needs to know of its environment. */
export interface AppStart {
  slackApiUrl: string;
  botToken: string;
  signingSecret: string;
  accountUrl: string;
  rateLimit: { requests: number; windowMs: number };
  /** Where it may store its data. */
  dataDir: string;
}

/** The calls that every measured app serves. */
export interface AppCalls {
  [name: string]: (argument: never) => unknown;
  /** Returns the port. */
  start(options: AppStart): Promise<number>;
  /** Returns the process's processor time so far, user and system, in seconds. */
  cpuSeconds(): number;
  beginProfile(): Promise<void>;
  /** Returns the self time in microseconds by owner: see profile.ts. */
  endProfile(): Promise<[owner: string, microseconds: number][]>;
}

/** What an app of a bench needs to know of its surroundings. */
export interface AppStart {
  slackApiUrl: string;
  botToken: string;
  signingSecret: string;
  accountUrl: string;
  rateLimit: { requests: number; windowMs: number };
  /** Where it may keep its data. */
  dataDir: string;
}

/** What every app under measure can be asked, whatever it is. */
export interface AppCalls {
  [name: string]: (argument: never) => unknown;
  /** Answers the port. */
  start(options: AppStart): Promise<number>;
  /** Processor time of the process so far, user and system, in seconds. */
  cpuSeconds(): number;
  beginProfile(): Promise<void>;
  /** Self time in microseconds by who is to answer for it: see profile.ts. */
  endProfile(): Promise<[owner: string, microseconds: number][]>;
}

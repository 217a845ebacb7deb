import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appSettings } from '../../support/app-settings.ts';
import { startProfile, stopProfile } from './cpu-profile.ts';
import { serveCalls } from './rpc.ts';

/** What a measured app needs to know of its environment. */
export interface MeasuredAppOptions {
  slack: { apiUrl: string; botToken: string; signingSecret: string };
  service: { accountUrl: string };
  rateLimit: { requests: number; windowMs: number };
  /** Where it may store its data. */
  dataDir: string;
}

/** The calls that the process of every measured app serves. */
export type AppCalls = {
  /** Returns the port. */
  start(options: MeasuredAppOptions): Promise<number>;
  /** Returns the process's processor time so far, user and system, in seconds. */
  cpuSeconds(): number;
  startProfile(): Promise<void>;
  /** Returns the self time in microseconds by owner: see cpu-profile.ts. */
  stopProfile(): Promise<[owner: string, microseconds: number][]>;
};

/** Serves an app, and what its process costs, to the bench that started the process. */
export function serveApp(start: AppCalls['start']): void {
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  serveCalls<AppCalls>({ start, cpuSeconds, startProfile, stopProfile });
}

/** Returns the port of a server as Bolt starts it. */
export function portOf(server: unknown): number {
  return ((server as Server).address() as AddressInfo).port;
}

/** Returns Pigeonhole's settings, as an operator would give them, with any free port. */
export function pigeonholeSettings(options: MeasuredAppOptions): Record<string, string> {
  const { requests, windowMs } = options.rateLimit;
  return {
    ...appSettings(options),
    FILES_RATE_LIMIT: `${requests}/${windowMs / 1000}s`,
    DATA_DIR: options.dataDir,
  };
}

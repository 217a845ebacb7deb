import type { AppCalls } from './app-start.ts';
import { startFlags } from './start-flags.ts';
import { type BenchProcess, startProcess } from './start-process.ts';

/** A measured app: its name in the tables, and how its process is started. */
export interface Contestant {
  name: string;
  start(): Promise<BenchProcess<AppCalls>>;
}

export const pigeonhole: Contestant = {
  name: 'Pigeonhole',
  start: () => startProcess('pigeonhole-process.ts', { flags: startFlags() }),
};

/** axios, form-data and Bottleneck's reservoir: the set-up that most people would write first. */
export const obviousSetUp = rival('the obvious set-up', 'bottleneck-reservoir');

export const emptyBolt: Contestant = {
  name: 'empty Bolt app',
  start: () => startProcess('empty-bolt-process.ts'),
};

/** The same bot with each of the limiters that people would choose from. */
export const rivals: Contestant[] = [
  obviousSetUp,
  rival('the same, one call every 400 ms', 'bottleneck-spread'),
  rival('the same on axios-rate-limit', 'axios-rate-limit'),
  rival('the same on p-throttle (strict)', 'p-throttle'),
];

function rival(name: string, limiter: string): Contestant {
  return { name, start: () => startProcess('rival-process.ts', { args: [limiter] }) };
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LimiterName } from './limiters.ts';
import type { AppCalls } from './measured-app.ts';
import { type BenchProcess, startProcess } from './rpc.ts';

/** A measured app: its name in the tables, and how its process is started. */
export interface MeasuredApp {
  name: string;
  start(): Promise<BenchProcess<AppCalls>>;
}

export const pigeonhole: MeasuredApp = {
  name: 'Pigeonhole',
  start: () => startProcess('pigeonhole-process.ts', { flags: startFlags() }),
};

export const emptyBolt: MeasuredApp = {
  name: 'empty Bolt app',
  start: () => startProcess('empty-bolt-process.ts'),
};

/** axios, form-data and Bottleneck's reservoir: the set-up that most people would write first. */
export const obviousSetUp = obviousBot('the obvious set-up', 'bottleneck-reservoir');

/** The same bot with each of the limiters that people would choose from. */
export const baselines: MeasuredApp[] = [
  obviousSetUp,
  obviousBot('the same, one call every 400 ms', 'bottleneck-spread'),
  obviousBot('the same on axios-rate-limit', 'axios-rate-limit'),
  obviousBot('the same on p-throttle (strict)', 'p-throttle'),
];

function obviousBot(name: string, limiter: LimiterName): MeasuredApp {
  return { name, start: () => startProcess('obvious-bot-process.ts', { args: [limiter] }) };
}

const ROOT = new URL('../../../', import.meta.url);

/**
 * Returns the Node flags of the product's own `npm start`, so that the bench measures what runs in
 * production.
 */
export function startFlags(): string[] {
  const text = readFileSync(new URL('package.json', ROOT), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: { start: string } };
  const flags = scripts.start.split(' ').filter((word) => word.startsWith('--'));
  // Paths are relative to the product's folder, wherever the measured process has its data.
  return flags.map((flag) => flag.replace('=./', `=${fileURLToPath(ROOT)}`));
}

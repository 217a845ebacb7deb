import { createApp } from '../../src/app.ts';
import type { AppOptions } from '../../src/app-options.ts';
import { createLogger, systemClock } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { aroundLedger, isStep, type LedgerCall, type StepName } from './around-ledger.ts';
import { withLines } from './with-lines.ts';

/** The moment at which a process is to die: the `nth` time that it is reached, counted from 1. */
export type KillPoint = { nth: number } & (
  | { when: 'at'; name: StepName }
  | { when: 'before' | 'after'; name: keyof Ledger }
);

/** How the process runs the app: its one argument, as JSON. */
export interface AppProcessOptions {
  env: Record<string, string>;
  appOptions: Partial<Omit<AppOptions, 'clock' | 'random' | 'logger' | 'aroundLedger'>>;
  /** Where to die; a message may set it later. Default: nowhere. */
  kill?: KillPoint | null;
}

/** A message to the process. `rest`: report when there is nothing left to do. */
export type Message = { arm: KillPoint | null } | 'rest';

const options: AppProcessOptions = JSON.parse(process.argv[2] ?? '');
let point = options.kill ?? null;
let passed = 0;
let ledger: Ledger | null = null;

function killAtPoint(call: LedgerCall): void {
  if (!point) return;
  const { when, name } = point;
  if (when === 'at' ? !isStep(name, call) : when !== call.when || name !== call.method) return;
  passed += 1;
  if (passed === point.nth) process.kill(process.pid, 'SIGKILL');
}

async function isAtRest(): Promise<boolean> {
  if (!ledger) return false;
  if ((await ledger.countActive()) > 0) return false;
  return (await ledger.nextDue('message')) === null;
}

async function reportWhenAtRest(): Promise<void> {
  while (!(await isAtRest())) await systemClock.sleep(20);
  process.send?.('at rest');
}

process.on('message', (message: Message) => {
  if (message === 'rest') return void reportWhenAtRest();
  point = message.arm;
  passed = 0;
  process.send?.('armed');
});
process.on('disconnect', () => process.exit(1));

const config = loadConfig(options.env);
const app = createApp(config, {
  ...options.appOptions,
  logger: createLogger(config.logLevel),
  aroundLedger: (inner) => {
    ledger = inner;
    return withLines(aroundLedger(inner, { before: killAtPoint, after: killAtPoint }));
  },
});
process.on('SIGTERM', async () => {
  await app.stop();
  process.exit(0);
});
process.send?.(await app.start());

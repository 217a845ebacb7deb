import { createApp } from '../../src/app.ts';
import type { AppOptions } from '../../src/app-options.ts';
import { createLogger, systemClock } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { aroundLedger, isStep, type LedgerCall } from '../support/around-ledger.ts';
import type { KillPoint } from './kill-point.ts';

/** The process's orders, in its one argument as JSON. */
export interface Orders {
  env: Record<string, string>;
  appOptions: Partial<
    Pick<
      AppOptions,
      | 'worker'
      | 'requestTimeoutMs'
      | 'settleMs'
      | 'messageLeaseMs'
      | 'backoffScale'
      | 'historyEveryMs'
      | 'graceMs'
      | 'acknowledge'
    >
  >;
  /** Where to die; a message may set it later. */
  kill: KillPoint | null;
}

/** A message to the process. `rest`: report when there is nothing left to do. */
export type Message = { arm: KillPoint | null } | 'rest';

// Runs the real app in a process that kills itself where it is ordered to.
const orders: Orders = JSON.parse(process.argv[2] ?? '');
let point = orders.kill;
let passed = 0;
let ledger: Ledger | null = null;

function pass(call: LedgerCall): void {
  if (!point) return;
  const { when, name } = point;
  if (when === 'at' ? !isStep(name, call) : when !== call.when || name !== call.method) return;
  passed += 1;
  if (passed === point.nth) process.kill(process.pid, 'SIGKILL');
}

async function isAtRest(): Promise<boolean> {
  if (!ledger) return false;
  if ((await ledger.countActive()) > 0) return false;
  const due = [ledger.nextDue('shares'), ledger.nextDue('reports')];
  return (await Promise.all(due)).every((time) => time === null);
}

async function sayWhenAtRest(): Promise<void> {
  while (!(await isAtRest())) await systemClock.sleep(20);
  process.send?.('at rest');
}

process.on('message', (message: Message) => {
  if (message === 'rest') return void sayWhenAtRest();
  point = message.arm;
  passed = 0;
  process.send?.('armed');
});
process.on('disconnect', () => process.exit(1));

const config = loadConfig(orders.env);
const app = createApp(config, {
  ...orders.appOptions,
  logger: createLogger(config.logLevel),
  aroundLedger: (inner) => {
    ledger = inner;
    return aroundLedger(inner, { before: pass, after: pass });
  },
});
process.on('SIGTERM', async () => {
  await app.stop();
  process.exit(0);
});
process.send?.(await app.start());

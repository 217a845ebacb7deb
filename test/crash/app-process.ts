import { createApp } from '../../src/app.ts';
import { createLogger } from '../../src/base/index.ts';
import { loadConfig } from '../../src/config.ts';
import type { Seams } from '../../src/seams.ts';
import { aroundLedger } from '../support/around-ledger.ts';
import type { KillPoint } from './kill-point.ts';

/** What the process is told as its one argument, as JSON. */
export interface Orders {
  env: Record<string, string>;
  seams: Partial<
    Pick<
      Seams,
      | 'worker'
      | 'requestTimeoutMs'
      | 'settleMs'
      | 'backoffScale'
      | 'historyEveryMs'
      | 'graceMs'
      | 'acknowledge'
    >
  >;
  /** Where to die; may be set later, by a message. */
  kill: KillPoint | null;
}

// The real app, in a process that kills itself where it is told to.
const orders: Orders = JSON.parse(process.argv[2] ?? '');
let point = orders.kill;
let passed = 0;

function pass(when: KillPoint['when'], name: string): void {
  if (point?.when !== when || point.name !== name) return;
  passed += 1;
  if (passed === point.nth) process.kill(process.pid, 'SIGKILL');
}

process.on('message', (next: KillPoint | null) => {
  point = next;
  passed = 0;
  process.send?.('armed');
});
process.on('disconnect', () => process.exit(1));

const config = loadConfig(orders.env);
const app = createApp(config, {
  ...orders.seams,
  logger: createLogger(config.logLevel),
  checkpoint: async (name) => pass('at', name),
  aroundLedger: (ledger) =>
    aroundLedger(ledger, {
      before: (method) => pass('before', method),
      after: (method) => pass('after', method),
    }),
});
process.on('SIGTERM', async () => {
  await app.stop();
  process.exit(0);
});
process.send?.(await app.start());

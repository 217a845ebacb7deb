import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openLedger, sqliteDialect } from '../../../src/ledger/index.ts';
import { type Outcome, runWorld } from '../world/run-world.ts';
import { type Cut, cutPlan } from './cut-plan.ts';

/** Where worlds keep their databases: in memory, if the machine has an in-memory folder. */
const ROOT = '/dev/shm';

/** Runs worlds in this process, one after another. */
export interface WorldRunner {
  run(seed: number, cut: Cut, record?: boolean): Promise<Outcome>;
  close(): void;
}

/** Creates one empty database, which each world copies. */
export async function openWorldRunner(): Promise<WorldRunner> {
  const folder = join(ROOT, `pigeonhole-sim-${process.pid}`);
  const seeds = join(folder, 'template');
  mkdirSync(seeds, { recursive: true });
  const ledger = await openLedger(sqliteDialect(seeds), 0);
  await ledger.close();
  const template = join(seeds, 'pigeonhole.sqlite');
  return {
    run: (seed, cut, record = false) => {
      const data = join(folder, 'world');
      mkdirSync(data, { recursive: true });
      return runWorld(cutPlan(seed, cut), { data, template }, record);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

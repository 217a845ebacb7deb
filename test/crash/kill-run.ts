import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { FaultMoment } from '../../src/playground/file-service/index.ts';
import { NOTHING } from '../support/watch-shares.ts';
import { type CrashWorld, startCrashWorld, type WorldOptions } from './crash-world.ts';
import { describePoint, type KillPoint } from './kill-point.ts';

/** A call of this kind, before or after it took effect. */
export type Call = Pick<FaultMoment, 'operation' | 'when'>;

/** Shares files, kills the app meanwhile, starts it again, and checks the result. */
export interface KillRun {
  /** Shares this many files, and waits until they are filed. */
  share(files: number): Promise<void>;
  /**
   * Shares files while the app dies at each of the points in turn; each file must be filed once.
   */
  dieAt(points: KillPoint[]): Promise<void>;
  /** The same, with the app killed while the service handles a call. */
  dieDuring(call: Call): Promise<void>;
  /** Makes the next such calls hang until the app's timeout. */
  silence(call: Call): void;
  /** Makes the next create take effect only after this many milliseconds. */
  delayCreate(ms: number): void;
  /** Restores a running app and service between two tests, even if the previous test failed. */
  recover(): Promise<void>;
  /** Stops the app; resolves with the run's figures. */
  stop(): Promise<string>;
}

const PATIENCE_MS = 25_000;

export async function startKillRun({
  appOptions,
  ...options
}: WorldOptions = {}): Promise<KillRun> {
  // Shares arrive only by events and their redelivery, so that no catch-up hides a lost one.
  const world = await startCrashWorld({
    ...options,
    appOptions: { historyEveryMs: 10 ** 9, ...appOptions },
  });
  let app = await world.start();
  let kills = 0;

  async function survive(label: string, killed: () => Promise<void>): Promise<void> {
    const posting = shareFiles(world, `${kills} ${label}`, [20_000, 300]);
    await killed();
    await posting;
    await world.watch.settled(AbortSignal.timeout(PATIENCE_MS));
    expect(await app.atRest()).toBe(true);
    expect(await world.watch.findings()).toEqual(NOTHING);
  }

  async function comeBack(next: KillPoint | null): Promise<void> {
    expect(await app.died(PATIENCE_MS)).toBe(true);
    kills += 1;
    const started = await world.begin(next).started;
    if (started) app = started;
  }

  return {
    share: async (files) => {
      await shareFiles(world, 'before', Array<number>(files).fill(300));
      await world.watch.settled(AbortSignal.timeout(PATIENCE_MS));
    },
    dieAt: async (points) => {
      await app.arm(points[0] ?? null);
      await survive(`${points.map(describePoint)}`, async () => {
        for (const next of [...points.slice(1), null]) await comeBack(next);
      });
    },
    dieDuring: async (call) => {
      const end = world.service.faults.intercept(async (moment) => {
        if (!isSame(call, moment)) return undefined;
        end();
        app.kill();
        await app.died(PATIENCE_MS);
        return undefined;
      });
      await survive(`${call.when} ${call.operation}`, () => comeBack(null));
    },
    silence: (call) => {
      // The client itself retries each of the two uploads once.
      let left = call.operation === 'upload' ? 4 : 1;
      world.service.faults.intercept((moment) => {
        if (left === 0 || !isSame(call, moment)) return undefined;
        left -= 1;
        return { mode: 'hang' };
      });
    },
    delayCreate: (ms) => world.service.faults.next({ mode: 'slow', ms }, 1, 'create'),
    recover: async () => {
      world.service.faults.clear();
      if (await app.died(0)) app = await world.start();
      else await app.arm(null);
    },
    stop: async () => {
      await app.stop();
      const { watch } = world;
      const states = JSON.stringify(world.readLedger().states);
      await world.stop();
      return `${watch.shares()} shares of ${watch.files()} files, ${kills} kills; in the ledger ${states}`;
    },
  };
}

function isSame(call: Call, moment: FaultMoment): boolean {
  return moment.operation === call.operation && moment.when === call.when;
}

async function shareFiles({ watch }: CrashWorld, label: string, sizes: number[]): Promise<void> {
  await watch.share({
    channel: 'general',
    user: 'ben',
    text: label,
    files: sizes.map((size, nth) => ({ name: `${label} ${nth}.bin`, bytes: randomBytes(size) })),
  });
}

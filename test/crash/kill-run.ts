import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Ledger } from '../../src/ledger/index.ts';
import type { FaultMoment } from '../../src/playground/file-service/index.ts';
import type { AppProcess } from '../support/app-process.ts';
import type { KillPoint } from '../support/app-process-main.ts';
import type { StepName } from '../support/around-ledger.ts';
import { NOTHING } from '../support/watch-shares.ts';
import {
  type CrashEnvironment,
  type EnvironmentOptions,
  startCrashEnvironment,
} from './environment.ts';

/** The first time that a transfer or a message reaches this moment. */
export function at(name: StepName): KillPoint {
  return { when: 'at', name, nth: 1 };
}

/** Just before and just after a call of the ledger. */
export function around(name: keyof Ledger): KillPoint[] {
  return [
    { when: 'before', name, nth: 1 },
    { when: 'after', name, nth: 1 },
  ];
}

/** Returns each point with its name, for `it.each`. */
export function named(points: readonly KillPoint[]): (readonly [name: string, KillPoint])[] {
  return points.map((point) => [describePoint(point), point]);
}

// As `at filed`, `before markFiled`.
function describePoint({ when, name, nth }: KillPoint): string {
  return `${when} ${name}${nth > 1 ? ` (${nth}.)` : ''}`;
}

/** A call of this kind, before or after it took effect. */
export type Call = Pick<FaultMoment, 'operation' | 'when'>;

export const CALLS: readonly Call[] = [
  { operation: 'upload', when: 'before' },
  { operation: 'upload', when: 'after' },
  { operation: 'create', when: 'before' },
  { operation: 'create', when: 'after' },
];

/** Shares files, kills the app meanwhile, starts it again, and checks the result. */
interface KillRun {
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
}

interface KillRunOptions extends EnvironmentOptions {
  /** How many files are filed before the first test. Default: none. */
  filed?: number;
}

// From a list of exactly 100, which may be incomplete, the app must not conclude that a create failed.
export const MORE_THAN_A_PAGE = 101;

const PATIENCE_MS = 25_000;

/**
 * Runs the app before a file's tests, restores it and the service between two, even if one failed,
 * and stops it after them; the run's figures are then printed under the title.
 */
export function useKillRun(
  title: string,
  { filed = 0, appOptions, ...options }: KillRunOptions = {},
): KillRun {
  let environment: CrashEnvironment;
  let app: AppProcess;
  let kills = 0;

  beforeAll(async () => {
    // Shares arrive only by events and their redelivery, so that no catch-up hides a lost one.
    environment = await startCrashEnvironment({
      ...options,
      appOptions: { historyEveryMs: 10 ** 9, ...appOptions },
    });
    app = await environment.start();
    if (filed === 0) return;
    await shareFiles(environment, 'before', Array<number>(filed).fill(300));
    await environment.watch.settled(AbortSignal.timeout(PATIENCE_MS));
  });
  afterEach(async () => {
    environment.service.faults.clear();
    if (await app.died(0)) app = await environment.start();
    else await app.arm(null);
  });
  afterAll(async () => {
    await app.stop();
    const { watch } = environment;
    const states = JSON.stringify(environment.readLedger().states);
    await environment.stop();
    const shared = `${watch.shares()} shares of ${watch.files()} files`;
    console.info(`${title}: ${shared}, ${kills} kills; in the ledger ${states}`);
  });

  async function survive(label: string, killed: () => Promise<void>): Promise<void> {
    const posting = shareFiles(environment, `${kills} ${label}`, [20_000, 300]);
    await killed();
    await posting;
    await environment.watch.settled(AbortSignal.timeout(PATIENCE_MS));
    expect(await app.atRest()).toBe(true);
    expect(await environment.watch.findings()).toEqual(NOTHING);
  }

  async function comeBack(next: KillPoint | null): Promise<void> {
    expect(await app.died(PATIENCE_MS)).toBe(true);
    kills += 1;
    const started = await environment.begin(next).started;
    if (started) app = started;
  }

  return {
    dieAt: async (points) => {
      await app.arm(points[0] ?? null);
      await survive(`${points.map(describePoint)}`, async () => {
        for (const next of [...points.slice(1), null]) await comeBack(next);
      });
    },
    dieDuring: async (call) => {
      const end = environment.service.faults.intercept(async (moment) => {
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
      environment.service.faults.intercept((moment) => {
        if (left === 0 || !isSame(call, moment)) return undefined;
        left -= 1;
        return { mode: 'hang' };
      });
    },
    delayCreate: (ms) => environment.service.faults.next({ mode: 'slow', ms }, 1, 'create'),
  };
}

function isSame(call: Call, moment: FaultMoment): boolean {
  return moment.operation === call.operation && moment.when === call.when;
}

async function shareFiles(
  { watch }: CrashEnvironment,
  label: string,
  sizes: number[],
): Promise<void> {
  await watch.share({
    channel: 'general',
    user: 'ben',
    text: label,
    files: sizes.map((size, nth) => ({ name: `${label} ${nth}.bin`, bytes: randomBytes(size) })),
  });
}

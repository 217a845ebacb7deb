import type { ClaimedFiling, Ledger } from '../../src/ledger/index.ts';
import { filing, JobLoop, notifyingReports, notifyingShares } from '../../src/worker/index.ts';
import {
  aroundLedger,
  isStep,
  type LedgerCall,
  type LedgerHooks,
  type StepName,
} from '../support/around-ledger.ts';
import { recording, sharedFile } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { contextOf } from './context-of.ts';
import { createModelService, type FilingCalls, type ModelService } from './model-service.ts';
import { createModelSlack, type ModelSlack } from './model-slack.ts';
import { createProcessLife } from './process-life.ts';

export const LEASE_MS = 30_000;
/** As in the product, longer than a create may take: see model-service.ts. */
const SETTLE_MS = 70_000;
const STEP_MS = 5_000;
/** Longer than a lease, a late create and the wait before a look together. */
const REST_MS = 5 * 60_000;

/** One process of the app: a worker and a notifier on the shared ledger. */
export interface Instance {
  /** Stops its worker, which may finish what is in hand within `graceMs`. */
  stop(graceMs: number): Promise<void>;
  crash(): void;
  /** Signals that work may be due. */
  wake(): void;
  /** Suspends the process, as with its machine, the next time that it reaches this moment. */
  freezeAt(name: StepName | null): void;
  frozen(): boolean;
  thaw(): void;
}

export interface InstanceOptions {
  /** Wraps this process's ledger or service. */
  ledger?: (ledger: Ledger) => Ledger;
  service?: (service: ModelService) => FilingCalls;
  /** How far its clock runs ahead, in milliseconds. */
  clockAhead?: () => number;
  /** Stops its clock from the first freeze on. */
  clockStands?: boolean;
  /** The id of the transfer whose upload kills the process. */
  killedBy?: number;
  /** How long it waits before it looks for an unanswered create, in milliseconds. */
  settleMs?: number;
}

export interface RigFindings {
  lost: string[];
  twice: string[];
  /** Shares without a line (`silent`), and with several (`chatty`). */
  silent: number[];
  chatty: number[];
}

export const NOTHING_FOUND: RigFindings = { lost: [], twice: [], silent: [], chatty: [] };

/** The real worker, notifier and ledger in virtual time, with a modelled service and Slack. */
export interface Rig {
  clock: FakeClock;
  ledger: Ledger;
  service: ModelService;
  slack: ModelSlack;
  /** Records a share of files of these names and sizes; returns its number. */
  share(files: { name: string; size: number }[]): Promise<number>;
  /** Records the share again, as a second delivery of its event does. */
  redeliver(number: number): Promise<void>;
  retry(number: number): Promise<void>;
  start(options?: InstanceOptions): Instance;
  /** Lets time pass until all is filed and reported; resolves to false if not within `withinMs`. */
  settles(withinMs: number): Promise<boolean>;
  /** The same, and then long enough for everything late to arrive. */
  comesToRest(withinMs: number): Promise<void>;
  findings(): RigFindings;
  stop(): Promise<void>;
}

interface Given {
  id: number;
  files: { id: string; name: string; size: number }[];
}

export async function startRig(): Promise<Rig> {
  const clock = createFakeClock();
  const ledger = await openEmptyLedger(clock.now());
  const slack = createModelSlack();
  const service = createModelService(clock, slack.contentOf);
  const random = seededRandom(1);
  const given: Given[] = [];
  const instances: { wake(): void; crash(): void }[] = [];

  const record = async (number: number, files: Given['files']) => {
    const ts = `17000000${String(number).padStart(2, '0')}.000100`;
    const shared = { ts, files: files.map((file) => sharedFile(file)) };
    const { shareId } = await ledger.recordShare(recording(shared, { now: clock.now() }));
    for (const { wake } of instances) wake();
    return shareId;
  };

  const isSettled = async () => {
    const [active, shares] = [await ledger.countActive(), await ledger.nextDue('share')];
    return active === 0 && shares === null;
  };

  const settles = async (withinMs: number) => {
    const end = clock.now() + withinMs;
    while (clock.now() < end && !(await isSettled())) await clock.advance(STEP_MS);
    return isSettled();
  };

  return {
    clock,
    ledger,
    service,
    slack,
    share: async (files) => {
      const number = given.length;
      const named = files.map((file, i) => ({ ...file, id: `F${number}-${i}` }));
      given.push({ id: await record(number, named), files: named });
      return number;
    },
    redeliver: async (number) => {
      const one = given[number];
      if (one) await record(number, one.files);
    },
    retry: async (number) => {
      const one = given[number];
      if (one) await ledger.retryShare(one.id, { now: clock.now() });
      for (const { wake } of instances) wake();
    },
    start: (options = {}) => {
      const instance = startInstance({ clock, ledger, service, slack, random }, options);
      instances.push(instance);
      return instance;
    },
    settles,
    comesToRest: async (withinMs) => {
      await settles(withinMs);
      await clock.advance(REST_MS);
    },
    findings: () => compare(given, service, slack),
    stop: async () => {
      for (const { crash } of instances) crash();
      await ledger.close();
    },
  };
}

function compare(given: Given[], service: ModelService, slack: ModelSlack): RigFindings {
  const contents = service.contents();
  const times = (id: string) => contents.filter((content) => content === id).length;
  const lines = (id: number) => slack.posted.filter((mark) => mark.id === id).length;
  const files = given.flatMap((one) => one.files.map(({ id }) => id));
  const shares = given.map(({ id }) => id);
  return {
    lost: files.filter((id) => times(id) === 0),
    twice: files.filter((id) => times(id) > 1),
    silent: shares.filter((id) => lines(id) === 0),
    chatty: shares.filter((id) => lines(id) > 1),
  };
}

type Parts = Pick<Rig, 'clock' | 'ledger' | 'service' | 'slack'> & {
  random: ReturnType<typeof seededRandom>;
};

function isOf(transfer: number | undefined, call: LedgerCall): boolean {
  const claimed = call.when === 'after' ? (call.answer as ClaimedFiling | null) : null;
  return claimed?.kind === 'upload' && claimed.transfer.id === transfer;
}

function startInstance(parts: Parts, options: InstanceOptions): Instance & { wake(): void } {
  const life = createProcessLife(parts.clock);
  let freezeAt: StepName | null = null;
  let frozenAt: number | null = null;
  const guard = async (call: LedgerCall) => {
    if (isStep('uploading', call) && isOf(options.killedBy, call)) life.crash();
    if (freezeAt && isStep(freezeAt, call)) {
      freezeAt = null;
      frozenAt = parts.clock.now();
      life.freeze();
    }
    await life.turn();
  };
  const stands = options.clockStands ?? false;
  const ahead = options.clockAhead ?? (() => 0);
  const clock = {
    sleep: life.clock.sleep,
    now: () => (stands && frozenAt !== null ? frozenAt : parts.clock.now()) + ahead(),
  };
  const guards: LedgerHooks = { before: guard, after: guard };
  const ledger = aroundLedger(options.ledger?.(parts.ledger) ?? parts.ledger, guards);
  const context = contextOf({
    ledger,
    service: options.service?.(parts.service) ?? parts.service,
    workspace: parts.slack,
    names: {
      nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
    },
    clock,
    random: parts.random,
    settleMs: options.settleMs ?? SETTLE_MS,
    backoffScale: 0.1,
  });
  const tools = { ...context, pollMs: 5_000 };
  const notifier = new JobLoop({ ...tools, leaseMs: 2 * LEASE_MS }, [
    notifyingShares(context),
    notifyingReports(context),
  ]);
  const worker = new JobLoop({ ...tools, leaseMs: LEASE_MS, onDone: () => notifier.wake() }, [
    filing(context, 6),
  ]);
  worker.start();
  notifier.start();
  return {
    stop: (graceMs) => worker.stop(graceMs),
    crash: life.crash,
    freezeAt: (name) => {
      freezeAt = name;
    },
    frozen: () => frozenAt !== null,
    thaw: life.thaw,
    wake: () => {
      worker.wake();
      notifier.wake();
    },
  };
}

import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/index.ts';
import type { SimProcess } from '../kernel/process.ts';
import { createRng, pickAt, type Rng } from '../kernel/random.ts';
import { createMutex, type Mutex, sharedDialect } from '../kernel/shared-database.ts';
import { START_TIME, virtualNow } from '../kernel/virtual-time.ts';
import { heldLeases } from '../oracle/leaks.ts';
import { createObserver } from '../oracle/observer.ts';
import { createOracle, type Oracle } from '../oracle/oracle.ts';
import type { ByUser } from '../plan/actions.ts';
import type { Plan } from '../plan/plan.ts';
import {
  ACCOUNT_URL,
  APP_KEY,
  createServiceModel,
  FOLDER_URL,
  FOLDERS,
  PROJECT,
  type ServiceModel,
} from '../service/service-model.ts';
import { createServiceAdapter } from '../service/transport.ts';
import { createSlackModel, type SlackModel } from '../slack/slack-model.ts';
import type { AppObserver } from '../slack/state.ts';
import { BOT_TOKEN, createGetFile, createWebFetch, SIGNING_SECRET } from '../slack/transport.ts';
import { createFaultInjector, type FaultInjector } from './fault-injector.ts';
import { Machine } from './machine.ts';
import { createTrace, type Trace } from './trace.ts';
import { createUsers, USER_ACCOUNTS, type Users } from './users.ts';

export interface World {
  plan: Plan;
  trace: Trace;
  oracle: Oracle;
  faults: FaultInjector;
  service: ServiceModel;
  slack: SlackModel;
  users: Users;
  machines: Machine[];
  /** Runs a change of the account as another person's. */
  asOtherUser<T>(change: () => T): T;
  /** The folder of the database, which several instances share. */
  dataDir: string;
  dispose(): void;
}

export interface WorldFolders {
  /** Where this world keeps its database. */
  data: string;
  /** A migrated, empty database to copy. */
  template: string;
}

export function createWorld(plan: Plan, folders: WorldFolders): World {
  const { behaviour } = plan.traits;
  const rng = createRng(plan.seed, 'world');
  const trace = createTrace();
  let isOtherUser = false;
  const listsAll = (folder: number) =>
    behaviour.unknownParent === 'whole-collection' && !service.store.folder(folder);
  const oracle: Oracle = createOracle({
    store: () => service.store,
    state: () => slack.state,
    follows: plan.onSlackDelete === 'follow',
    keepsNames: (behaviour.namesOnCreate ?? 'kept') === 'kept',
    hasDefaultFolder: plan.hasDefaultFolder,
    mayMakeTwice: mayMakeTwice(plan),
    listsAll,
    clocksDiffer: plan.steps.some(({ action }) => action.kind === 'clock'),
    refusedWrongly: () => {
      const refused = ['before', 'after'].map((when) => `service status-${when} 403`);
      const times = refused.reduce((sum, one) => sum + (faults.injected.get(one) ?? 0), 0);
      // By itself, the create's must be confirmed by that of the look for it.
      return times >= (faults.injected.has('wrong-refusals') ? 1 : 2);
    },
  });
  const service = createServiceModel({
    traits: plan.traits,
    clock: systemClock,
    rng: rng.fork('service'),
    onEffect: (effect) => oracle.changed(effect, !isOtherUser),
  });
  const faults = createFaultInjector(plan.rates, START_TIME + plan.faultsUntil, rng.fork('faults'));
  const machines: Machine[] = [];
  const targets = rng.fork('targets');
  const slack = createSlackModel({
    users: USER_ACCOUNTS,
    channels: plan.channels,
    rng: rng.fork('slack'),
    faults: faults.deliveries,
    target: () => {
      const up = machines.flatMap(({ instance, isUp }) => (instance && isUp ? [instance] : []));
      return up.length === 0 ? null : pickAt(up, targets.fraction());
    },
    everUp: () => machines.some(({ wasUp }) => wasUp),
    onAcknowledged: (event) => noteAcknowledged(oracle, event),
    onUnacknowledged: (title) => oracle.fail('requests are acknowledged within 3 s', title),
    trace: trace.add,
  });
  const observer = createObserver({
    oracle,
    state: slack.state,
    hasDefaultFolder: plan.hasDefaultFolder,
    listsAll,
    opened: (modal) => users.fill(modal),
    clocksDiffer: plan.machines > 1 && plan.steps.some(({ action }) => action.kind === 'clock'),
  });
  const users: Users = createUsers({ slack, oracle, observer, rng: rng.fork('people') });
  if (plan.nonMember) setMember(slack, plan.nonMember, false);
  const dataDir = join(folders.data, 'machine-0');
  mkdirSync(dataDir, { recursive: true });
  copyFileSync(folders.template, join(dataDir, 'pigeonhole.sqlite'));
  const parts = { plan, trace, oracle, faults, service, slack, users, machines, dataDir };
  const mutex = createMutex();
  for (let number = 0; number < plan.machines; number += 1)
    machines.push(createMachine(number, { ...parts, observer, rng, mutex }));
  return {
    ...parts,
    asOtherUser: (change) => {
      isOtherUser = true;
      try {
        return change();
      } finally {
        isOtherUser = false;
      }
    },
    dispose: () => rmSync(folders.data, { recursive: true, force: true }),
  };
}

// A new folder may not be listed yet, or its create may still be on its way.
function mayMakeTwice({ machines, rates, steps }: Plan): boolean {
  const hides = ({ kind }: { kind: string }) => kind === 'late-effect' || kind === 'stale-list';
  const late = ['slow-network', 'second-process'];
  const isLate = steps.some(({ action }) => late.includes(action.kind));
  return machines > 1 || rates.service.kinds.some(hides) || isLate;
}

/** Makes a person a member of a channel, or not. */
export function setMember({ state }: SlackModel, { user, channel }: ByUser, isIn: boolean): void {
  const who = [...state.users.keys()][user] ?? '';
  const members = [...state.channels.values()][channel]?.members;
  if (isIn) members?.add(who);
  else members?.delete(who);
}

type EventMessage = { ts: string; subtype?: string; files?: { id: string }[] };
type MessageEvent = { channel?: string; message?: EventMessage; previous_message?: EventMessage };

function noteAcknowledged({ shares }: Oracle, event: Record<string, unknown>): void {
  const share = shares.find(
    ({ channel, message }) => channel === event['channel'] && message.ts === event['ts'],
  );
  if (share) share.acknowledgedAt ??= virtualNow();
  const { previous_message: previous, message: next, channel } = event as MessageEvent;
  const isGone = event['subtype'] === 'message_deleted' || next?.subtype === 'tombstone';
  const before = shares.find((one) => one.channel === channel && one.message.ts === previous?.ts);
  if (before?.deleted && isGone) before.deletionAcknowledged = true;
  // From an edit of the words only, the app learns of no file.
  const idsIn = (message: EventMessage | undefined) => new Set(message?.files?.map(({ id }) => id));
  const [now, then] = [idsIn(next), idsIn(previous)];
  for (const one of before?.added ?? [])
    if (now.has(one.file.id) && !then.has(one.file.id)) one.acknowledgedAt ??= virtualNow();
}

type MachineParts = Omit<World, 'asOtherUser' | 'dispose'> & {
  observer: AppObserver;
  rng: Rng;
  mutex: Mutex;
};

// Several instances share one database.
function createMachine(number: number, parts: MachineParts): Machine {
  const { rng, trace, dataDir, plan, mutex, faults } = parts;
  const isAlone = plan.machines === 1;
  return new Machine({
    number,
    rng: rng.fork('ids'),
    trace,
    env: environment(plan, dataDir),
    network: createNetwork(parts, rng.fork(`network ${number}`)),
    onStopped: ({ name, now }) => {
      const hasSecond = plan.steps.some(({ action }) => action.kind === 'second-process');
      // A process that is suspended while it stops runs out of time; if its last writes failed, the
      // rows stay claimed.
      const mayFail = [...faults.injected.keys()].some((one) => /^(pause$|disk)/.test(one));
      if (isAlone && !hasSecond && !mayFail) checkHandedBack(name, now, parts);
    },
    openDialect: isAlone ? undefined : () => sharedDialect(dataDir, mutex),
  });
}

const OF_MESSAGES = ['message', 'deletion'];

// A row that stays claimed after an orderly shutdown waits until its lease ends, which a clock that
// was set forward may have done. A message that takes long at Slack may be left with its claim.
function checkHandedBack(name: string, now: number, { dataDir, oracle }: MachineParts): void {
  for (const { kind, held } of heldLeases(dataDir, now))
    if (!OF_MESSAGES.includes(kind))
      oracle.fail('a shutdown releases its leases', `${name} stopped, and left ${held} of ${kind}`);
}

function createNetwork(parts: MachineParts, rng: Rng) {
  const { trace, oracle, faults, service, slack, observer } = parts;
  const common = { rng, sleep: systemClock.sleep, trace: trace.add };
  const { state, responseUrls } = slack;
  return (process: SimProcess) => ({
    service: createServiceAdapter(process, {
      ...common,
      service,
      faults: faults.service,
      // Requests of a dead process arrive at any time; nothing can wait for them.
      onArrival: ({ dead }) => {
        if (!dead) oracle.arrived();
      },
    }),
    slack: createWebFetch(process, {
      ...common,
      ...{ state, observer, responseUrls, faults: faults.slack },
    }),
    files: createGetFile(process, { ...common, state, faults: faults.downloads }),
  });
}

function environment(plan: Plan, dataDir: string): Record<string, string> {
  const destination = { FILES_PROJECT_ID: String(PROJECT), FILES_FOLDER_ID: String(FOLDERS[0]) };
  return {
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    FILES_ACCOUNT_URL: ACCOUNT_URL,
    FILES_API_KEY: APP_KEY,
    FILES_FOLDER_URL: FOLDER_URL,
    FILES_CONTACT: 'ops@example.com',
    DATA_DIR: dataDir,
    ON_SLACK_DELETE: plan.onSlackDelete,
    ...(plan.hasDefaultFolder ? destination : {}),
  };
}

import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/index.ts';
import type { SimProcess } from '../kernel/process.ts';
import { type Chance, createChance, pickAt } from '../kernel/random.ts';
import { createMutex, type Mutex, sharedDialect } from '../kernel/shared-database.ts';
import { BEGINNING, virtualNow } from '../kernel/virtual-time.ts';
import { leasesLeft } from '../oracle/leaks.ts';
import { watchApp } from '../oracle/observer.ts';
import { createTruth, type Truth } from '../oracle/oracle.ts';
import { createDiscretion } from '../oracle/privacy.ts';
import type { Deed } from '../plan/actions.ts';
import type { Plan } from '../plan/plan.ts';
import { FOLDERS, OUR_KEY, PROJECT } from '../service/account.ts';
import { ACCOUNT_URL, createServiceModel, type ServiceModel } from '../service/service-model.ts';
import { createServiceAdapter } from '../service/transport.ts';
import { SIGNING_SECRET } from '../slack/deliver.ts';
import { createSlackModel, type SlackModel } from '../slack/slack-model.ts';
import type { AppWatch } from '../slack/state.ts';
import { BOT_TOKEN, createGetFile, createWebFetch } from '../slack/transport.ts';
import { createFaultSource, type FaultSource } from './fault-injector.ts';
import { Seat } from './machine.ts';
import { createTrace, type Trace } from './trace.ts';
import { createPeople, type People, peopleOf } from './users.ts';

/** Everything that exists in one world. */
export interface World {
  plan: Plan;
  trace: Trace;
  truth: Truth;
  faults: FaultSource;
  service: ServiceModel;
  slack: SlackModel;
  people: People;
  seats: Seat[];
  /** Runs a change of the account as another person's. */
  asStranger<T>(deed: () => T): T;
  /** The folders of the instances' databases. */
  dataDirs: string[];
  dispose(): void;
}

export interface WorldFolders {
  /** Where this world keeps its databases. */
  data: string;
  /** A migrated, empty database to copy; null: each world migrates its own. */
  template: string | null;
}

export function createWorld(plan: Plan, folders: WorldFolders): World {
  const chance = createChance(plan.seed, 'world');
  const trace = createTrace();
  let byStranger = false;
  const truth = createTruth({
    store: () => service.store,
    state: () => slack.state,
    follows: plan.onSlackDelete === 'follow',
    keepsNames: (plan.traits.behaviour.namesOnCreate ?? 'kept') === 'kept',
    hasDefault: plan.hasDefault,
    mayMakeTwice: mayMakeTwice(plan),
    refusedWrongly: () =>
      faults.struck.has('wrong-refusals') && faults.struck.has('service status-before 403'),
  });
  const service = createServiceModel({
    traits: plan.traits,
    clock: systemClock,
    chance: chance.fork('service'),
    onEffect: (effect) => truth.changed(effect, !byStranger),
  });
  const faults = createFaultSource(plan.rates, BEGINNING + plan.calmAt, chance.fork('faults'));
  const seats: Seat[] = [];
  const turns = createMutex();
  const targets = chance.fork('targets');
  const slack = createSlackModel({
    users: peopleOf(),
    channels: plan.channels,
    chance: chance.fork('slack'),
    faults: faults.deliveries,
    target: () => {
      const up = seats.flatMap(({ instance, isUp }) => (instance && isUp ? [instance] : []));
      return up.length === 0 ? null : pickAt(up, targets.fraction());
    },
    everUp: () => seats.some(({ wasUp }) => wasUp),
    onTaken: (event) => noteTaken(truth, event),
    onUnacknowledged: (title) => truth.fail('who acts is acknowledged within 3 s', title),
    trace: trace.add,
  });
  const { state } = slack;
  const watch = watchApp({
    truth,
    read: createDiscretion({
      ...{ state, truth, hasDefault: plan.hasDefault },
      listsAll: (folder) =>
        plan.traits.behaviour.unknownPlace === 'whole-collection' && !service.store.folder(folder),
    }),
    opened: (modal) => people.fill(modal),
    clocksDiffer: plan.seats > 1 && plan.steps.some(({ deed }) => deed.kind === 'clock'),
  });
  const people = createPeople({ slack, truth, watch, chance: chance.fork('people') });
  if (plan.away) leave(slack, plan.away);
  const parts = { plan, trace, truth, faults, service, slack, people, seats };
  for (let number = 0; number < plan.seats; number += 1)
    seats.push(createSeat(number, { ...parts, watch, chance, folders }, turns));
  return {
    ...parts,
    asStranger: (deed) => {
      byStranger = true;
      try {
        return deed();
      } finally {
        byStranger = false;
      }
    },
    dataDirs: [dataDirOf(folders, 0)],
    dispose: () => rmSync(folders.data, { recursive: true, force: true }),
  };
}

// A new folder may not be listed yet, or its create may still be on its way.
function mayMakeTwice({ seats, rates, steps }: Plan): boolean {
  const hides = ({ kind }: { kind: string }) => kind === 'late-effect' || kind === 'stale-list';
  return (
    seats > 1 || rates.service.kinds.some(hides) || steps.some(({ deed }) => SLOW.has(deed.kind))
  );
}

const SLOW = new Set<Deed['kind']>(['slow-way', 'started-twice']);

type Away = NonNullable<Plan['away']>;

function leave({ state }: SlackModel, { user, channel }: Away): void {
  const who = [...state.users.keys()][user];
  if (who) [...state.channels.values()][channel]?.members.delete(who);
}

/** Makes a person a member of a channel. */
export function comeIn({ slack: { state } }: World, { user, channel }: Away): void {
  const who = [...state.users.keys()][user];
  if (who) [...state.channels.values()][channel]?.members.add(who);
}

interface Shown {
  ts: string;
  subtype?: string;
  files?: { id: string }[];
}

interface MessageEvent {
  channel?: string;
  message?: Shown;
  previous_message?: Shown;
}

function noteTaken({ shares }: Truth, event: Record<string, unknown>): void {
  const share = shares.find(
    ({ channel, message }) => channel === event['channel'] && message.ts === event['ts'],
  );
  if (share) share.takenAt ??= virtualNow();
  const { previous_message: previous, message: next, channel } = event as MessageEvent;
  const isGone = event['subtype'] === 'message_deleted' || next?.subtype === 'tombstone';
  const before = shares.find((one) => one.channel === channel && one.message.ts === previous?.ts);
  if (before?.deleted && isGone) before.deletionTaken = true;
  // From an edit of the words only, the app learns of no file.
  const idsIn = (shown: Shown | undefined) => new Set(shown?.files?.map(({ id }) => id));
  const [now, then] = [idsIn(next), idsIn(previous)];
  for (const one of before?.added ?? [])
    if (now.has(one.file.id) && !then.has(one.file.id)) one.takenAt ??= virtualNow();
}

type SeatParts = Omit<World, 'asStranger' | 'dataDirs' | 'dispose'> & {
  watch: AppWatch;
  chance: Chance;
  folders: WorldFolders;
};

// Several instances share one database.
function createSeat(number: number, parts: SeatParts, turns: Mutex): Seat {
  const { chance, trace, folders, plan } = parts;
  const shared = plan.seats > 1;
  const dataDir = dataDirOf(folders, shared ? 0 : number);
  mkdirSync(dataDir, { recursive: true });
  if (folders.template && (!shared || number === 0))
    copyFileSync(folders.template, join(dataDir, 'pigeonhole.sqlite'));
  return new Seat({
    number,
    chance: chance.fork('ids'),
    trace,
    env: settings(plan, dataDir),
    network: createNetwork(parts, chance.fork(`network ${number}`)),
    onStopped: ({ name, clockOffMs }) => {
      const alone = !shared && plan.steps.every(({ deed }) => deed.kind !== 'started-twice');
      // A process that is suspended while it stops runs out of time.
      const isInTime = !parts.faults.struck.has('pause');
      const now = virtualNow() + clockOffMs;
      if (alone && isInTime && !diskFailed(parts)) checkLeases({ name, dataDir, now }, parts);
    },
    openDialect: shared ? () => sharedDialect(dataDir, turns) : undefined,
  });
}

// If its last writes failed, the rows stay claimed.
function diskFailed({ faults }: Pick<World, 'faults'>): boolean {
  return [...faults.struck.keys()].some((name) => name.startsWith('disk'));
}

const MESSAGE = /(shares|reports|deletions)\.lease_token$/;

// A row that stays claimed after an orderly shutdown waits until its lease ends, which a clock that
// was set forward may have done. A message that takes long at Slack may be left with its claim.
function checkLeases(
  { name, dataDir, now }: { name: string; dataDir: string; now: number },
  { truth }: Pick<World, 'truth'>,
): void {
  for (const held of leasesLeft(dataDir, now).filter((one) => !MESSAGE.test(one)))
    truth.fail('a stop hands back its leases', `${name} stopped, and left ${held}`);
}

function dataDirOf(folders: WorldFolders, number: number): string {
  return join(folders.data, `seat-${number}`);
}

function createNetwork(parts: SeatParts, chance: Chance) {
  const { trace, truth, faults, service, slack, watch } = parts;
  const common = { chance, sleep: systemClock.sleep, trace: trace.add };
  const { state, responseUrls } = slack;
  return (process: SimProcess) => ({
    service: createServiceAdapter(process, {
      ...common,
      service,
      faults: faults.service,
      // Requests of a dead process arrive at any time; nothing can wait for them.
      onArrival: ({ dead }) => {
        if (!dead) truth.arrived();
      },
    }),
    slack: createWebFetch(process, { ...common, state, watch, responseUrls, faults: faults.slack }),
    files: createGetFile(process, { ...common, state, faults: faults.downloads }),
  });
}

function settings(plan: Plan, dataDir: string): Record<string, string> {
  const destination = plan.hasDefault
    ? { FILES_PROJECT_ID: String(PROJECT), FILES_FOLDER_ID: String(FOLDERS[0]) }
    : {};
  return {
    SLACK_BOT_TOKEN: BOT_TOKEN,
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    FILES_ACCOUNT_URL: ACCOUNT_URL,
    FILES_API_KEY: OUR_KEY,
    FILES_CONTACT: 'ops@example.com',
    DATA_DIR: dataDir,
    ON_SLACK_DELETE: plan.onSlackDelete,
    FILES_RATE_LIMIT: `${Math.floor(25 / plan.seats)}/10s`,
    ...destination,
  };
}

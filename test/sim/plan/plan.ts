import { ON_SLACK_DELETE, type OnSlackDelete } from '../../../src/core/index.ts';
import { everyList } from '../../../src/playground/file-service/behaviour.ts';
import { createRng, type Rng } from '../kernel/random.ts';
import { FOLDERS, type ServiceTraits } from '../service/service-model.ts';
import {
  type Action,
  ADMIN,
  type ByUser,
  drawShare,
  type PlanContext,
  type TimedAction,
  USERS,
} from './actions.ts';
import { drawRates, type FaultRates } from './faults.ts';
import { drawExtraScenarios, drawSaves, drawScenario, LONG_SILENCES } from './scenarios.ts';

/** A timed action of a plan. */
export interface Step extends TimedAction {
  /** Its number in the whole plan; leaving out other steps does not change it. */
  id: number;
  /** In [0, 1): chooses among what exists by then. */
  pick: number;
}

/** Everything about a world that is decided before it begins. */
export interface Plan {
  seed: number;
  machines: number;
  channels: number;
  /** A person who is not in one of the channels; null: everybody is in all. */
  nonMember: ByUser | null;
  /** Whether files from a channel without a link go to a default folder. */
  hasDefaultFolder: boolean;
  onSlackDelete: OnSlackDelete;
  traits: ServiceTraits;
  rates: FaultRates;
  /** The time after which nothing fails any more, in milliseconds from the beginning. */
  faultsUntil: number;
  steps: Step[];
}

/** Returns the plan of a seed; that of seed 0 is written by hand. */
export function drawPlan(seed: number): Plan {
  if (seed === 0) return pausedInLook();
  const rng = createRng(seed, 'plan');
  const channels = rng.int(1, 2);
  const machines = rng.pick([1, 1, 1, 1, 1, 1, 1, 2, 2, 3]);
  const rates = drawRates(rng.fork('rates'));
  const context = { machines, channels, rates };
  const scenario = rng.chance(0.4) ? drawScenario(rng.fork('scene'), context) : [];
  const faultsUntil = Math.max(
    rng.pick([30_000, 60_000, 90_000, 90_000, 240_000, 600_000]),
    ...scenario.map(({ at }) => at + 20_000),
  );
  const hasDefaultFolder = rng.chance(0.8) || scenario.length > 0;
  const base = { seed, channels, faultsUntil, machines, hasDefaultFolder, rates };
  const nonMember = drawNonMember(rng.fork('away'), channels);
  const traits = drawTraits(rng);
  const steps = drawSteps(rng, base, scenario);
  const [saves, extra] = [rng.fork('saves'), rng.fork('besides')];
  const more = [
    ...withPicks(saves, drawSaves(saves, context, sharesIn(steps))),
    ...withPicks(extra, drawExtraScenarios(extra, { ...context, nonMember })),
  ];
  return {
    ...base,
    nonMember,
    onSlackDelete: rng.fork('on Slack delete').pick(['ask', ...ON_SLACK_DELETE]),
    traits,
    steps: addSteps(steps, more, faultsUntil - 2_000),
  };
}

/**
 * A create is lost, and the instance that looks for it is paused while it reads the folder. The other
 * one looks, too, and creates the file again, without an answer. Then the first goes on with what it
 * read before.
 */
function pausedInLook(): Plan {
  const files = [{ name: 'report.pdf', size: 300, hiddenMs: 0 }];
  const actions: TimedAction[] = [
    // Until the first instance is paused, it is alone.
    { at: 1_000, action: { kind: 'restart', machine: 1, downMs: 223_000 } },
    { at: 20_000, action: { kind: 'creates-unsent', ms: 60_000 } },
    { at: 20_001, action: { kind: 'share', channel: 0, user: ADMIN, files, inThread: false } },
    { at: 190_000, action: { kind: 'slow-service', ms: 120_000 } },
    { at: 190_001, action: { kind: 'creates-unanswered', ms: 100_000 } },
    { at: 222_000, action: { kind: 'pause', machine: 0, ms: 48_000 } },
  ];
  const none = { probability: 0, kinds: [] };
  const rates = { service: none, slack: none, downloads: none, deliveries: none };
  return {
    ...{ seed: 0, machines: 2, channels: 1, nonMember: null, hasDefaultFolder: true },
    ...{ onSlackDelete: 'keep', faultsUntil: 600_000 },
    traits: {
      ...{ createAnswer: 'array', attachmentUse: 'often', profile: 'specified', behaviour: {} },
      ...{ otherFiles: 0, clockOffMs: 0 },
    },
    rates: { ...rates, disk: 0, incidents: [] },
    steps: actions.map((one, id) => ({ ...one, id, pick: 0 })),
  };
}

function drawNonMember(rng: Rng, channels: number): Plan['nonMember'] {
  if (channels === 1 || rng.chance(0.5)) return null;
  return { user: rng.int(0, USERS - 1), channel: channels - 1 };
}

function drawTraits(rng: Rng): ServiceTraits {
  return {
    createAnswer: rng.pick(['one-or-array', 'one-or-array', 'array', 'first']),
    attachmentUse: rng.pick(['once', 'once', 'often']),
    ...drawAccount(rng),
    otherFiles: rng.pick([0, 0, 0, 0, 0, 0, 0, 30, 130, 230]),
    clockOffMs: rng.pick([0, 0, 0, -1_500, 2_500, -40_000, 300_000]),
  };
}

// Half of the accounts follow the interface document; the others behave like real ones, each in its
// way.
function drawAccount(rng: Rng): Pick<ServiceTraits, 'profile' | 'behaviour'> {
  if (rng.chance(0.5)) return { profile: 'specified', behaviour: {} };
  const behaviour = {
    listPaging: everyList(rng.pick(['paged', 'paged', 'whole'] as const)),
    listOrder: everyList(rng.pick(['oldest-first', 'newest-first'] as const)),
    folderList: rng.pick(['flat', 'nested', 'one-object'] as const),
    unknownParent: rng.pick(['refused', 'empty-list', 'whole-collection'] as const),
    creator: rng.pick(['object', 'number'] as const),
    namesOnCreate: rng.pick(['kept', 'kept', 'numbered', 'numbered', 'own'] as const),
    fileNames: rng.pick(['plain', 'escaped'] as const),
  };
  return { profile: 'real', behaviour };
}

function sharesIn(actions: readonly TimedAction[]): number[] {
  return actions.flatMap(({ at, action }) => (action.kind === 'share' ? [at] : []));
}

function withPicks(rng: Rng, actions: readonly TimedAction[]): Omit<Step, 'id'>[] {
  return actions.map((one) => ({ pick: rng.fraction(), ...one }));
}

function addSteps(steps: Step[], more: Omit<Step, 'id'>[], latest: number): Step[] {
  const added = more.map((one, nth): Step => {
    return { ...one, id: steps.length + nth, at: Math.min(one.at, latest) };
  });
  return [...steps, ...added].sort((a, b) => a.at - b.at);
}

type StepContext = PlanContext & Pick<Plan, 'faultsUntil' | 'hasDefaultFolder'>;

function drawSteps(rng: Rng, context: StepContext, scenario: readonly TimedAction[]): Step[] {
  const { faultsUntil, hasDefaultFolder, channels, machines, rates } = context;
  const actions = [...scenario];
  const add = (at: number, action: Action) => void actions.push({ at, action });
  const anyFolder = () => rng.int(0, FOLDERS.length - 1);
  if (!hasDefaultFolder)
    for (let channel = 0; channel < channels; channel += 1)
      add(2_000, { kind: 'link', channel, user: ADMIN, folder: anyFolder() });
  const when = () => rng.int(5_000, Math.max(6_000, faultsUntil - 10_000));
  // Many small worlds find more bugs in the same time than few large ones.
  const shares = scenario.length > 0 ? rng.int(0, 2) : rng.pick([1, 1, 1, 2, 2, 3, 6]);
  const burstAt = rng.chance(0.3) ? when() : null;
  for (let n = 0; n < shares; n += 1)
    add(burstAt === null ? when() : burstAt + n * 40, drawShare(rng, context));
  const sharedAt = sharesIn(actions);
  // Events during an open share find more bugs than events at rest.
  const soon = () =>
    rng.chance(0.6)
      ? Math.min(faultsUntil - 2_000, rng.pick(sharedAt) + rng.int(0, 12_000))
      : when();
  const others = rng.pick([0, 0, 1, 2, 4, 8]);
  for (let n = 0; n < others; n += 1) add(when(), drawUserAction(rng, context));
  const incidents = rates.incidents.length === 0 ? 0 : rng.int(1, 3);
  for (let n = 0; n < incidents; n += 1) add(soon(), drawIncident(rng, context));
  const kills = rng.chance(0.45) ? rng.int(1, 3) : 0;
  for (let n = 0; n < kills; n += 1) add(soon(), drawKill(rng, context));
  if (machines > 1 && rng.chance(0.3)) add(1, drawWrongClock(rng, context));
  actions.sort((a, b) => a.at - b.at);
  return withPicks(rng, actions).map((one, id) => ({ ...one, id }));
}

/** The buttons that people press, by the beginning of their action. */
const BUTTONS = [
  ...['file_menu', 'delete_file', 'delete_copies', 'retry_share', 'retry_share', 'files_page'],
  ...['file_share', 'file_share'],
  ...['attention', 'found', 'home', 'link_channel', 'any'],
];

/** What people search for: in the middle of names, in several names, in none. */
const SEARCHES = ['', 'report', 'pdf 1', 'photo', 'a&b', 'nothing of that'];

const USER_ACTIONS = [
  ...(['list', 'list', 'press', 'press', 'press', 're-share', 'edit', 'folders'] as const),
  ...(['status', 'link', 'unlink', 'message-deleted', 'find', 'form', 'home'] as const),
  ...(['where', 'bot-removed'] as const),
];

/** Draws an action of a person other than a share. */
function drawUserAction(rng: Rng, { channels }: PlanContext): Action {
  const channel = rng.int(0, channels - 1);
  const user = rng.int(0, USERS - 1);
  const kind = rng.pick(USER_ACTIONS);
  switch (kind) {
    case 'link':
      return { kind, channel, user, folder: rng.int(0, FOLDERS.length - 1) };
    case 'press': {
      const actionId = rng.pick(BUTTONS);
      return { kind, actionId, times: rng.pick([1, 1, 2, 3]), newest: rng.chance(0.7) };
    }
    case 'edit':
      return { kind, files: [], last: false };
    case 'message-deleted':
      return { kind, withFiles: rng.chance(0.7), last: false };
    case 'find':
      return { kind, channel, user, words: rng.pick(SEARCHES) };
    case 'home':
    case 'where':
      return { kind, user };
    case 'bot-removed':
      // Nothing is expected of the app for what it misses, so this is drawn less often.
      if (rng.chance(0.6)) return { kind: 'home', user };
      return { kind, channel, ms: rng.pick([100, 5_000, 40_000]), inviter: user };
    default:
      return { kind, channel, user };
  }
}

/** Draws a fault that lasts for a while, or an event outside the app. */
function drawIncident(rng: Rng, context: PlanContext): Action {
  const kind = rng.pick(context.rates.incidents);
  const ms = rng.pick([2_000, 15_000, 45_000, 70_000, 200_000]);
  const machine = rng.int(0, context.machines - 1);
  const channel = rng.int(0, context.channels - 1);
  switch (kind) {
    case 'other-requests':
      return { kind, calls: rng.int(5, 40) };
    case 'outage':
      return { kind, ms: rng.chance(0.1) ? 3 * 3_600_000 : ms };
    case 'slow-service':
    case 'wrong-refusals':
    case 'rate-limiting':
    case 'key-revoked':
      return { kind, ms };
    case 'slack-silent':
      return { kind, ms: rng.fork('silence').pick([ms, ms, ms, ...LONG_SILENCES]) };
    case 'pause':
    case 'disk-full':
      return { kind, machine, ms };
    case 'history-fails':
      return { kind, ms: rng.pick([200_000, 1_500_000]) };
    case 'clock':
      return drawWrongClock(rng, context);
    case 'second-process':
      return { kind, machine };
    case 'bot-removed':
      return { kind, channel, ms, inviter: null };
    case 'archived':
      return { kind, channel };
    default:
      return { kind };
  }
}

/** Sets a machine's clock wrong. */
function drawWrongClock(rng: Rng, { machines }: PlanContext): Action {
  const ms = rng.pick([-3_600_000, -20_000, -2_000, 2_000, 20_000, 240_000]);
  return { kind: 'clock', machine: rng.int(0, machines - 1), ms };
}

/** Kills a process and starts it again. */
function drawKill(rng: Rng, { machines }: PlanContext): Action {
  const machine = rng.int(0, machines - 1);
  const downMs = rng.pick([100, 2_000, 2_000, 15_000, 90_000]);
  if (rng.chance(0.25)) return { kind: 'restart', machine, downMs };
  if (rng.chance(0.2)) return { kind: 'kill-on-ack', machine, downMs };
  return { kind: 'kill', machine, crashPoints: rng.int(1, 60), downMs };
}

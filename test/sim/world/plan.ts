import { everyList } from '../../../src/playground/file-service/behaviour.ts';
import { ON_SLACK_DELETE, type OnSlackDelete } from '../../../src/transfers/index.ts';
import { type Chance, createChance } from '../kernel/chance.ts';
import { FOLDERS } from '../service/account-seed.ts';
import type { ServiceTraits } from '../service/service-model.ts';
import { drawRates, type FaultRates } from './fault-rates.ts';
import { drawScene, type Timed } from './scenes.ts';

/** A file that somebody shares. What it holds is its own, whatever its name and size. */
export interface PlannedFile {
  name: string;
  size: number;
  /** Slack shows it only so many milliseconds after the share; 0: at once. */
  hiddenMs: number;
}

/** What is done in a world, and when; `pick` chooses among what is there by then. */
export type Deed =
  | { kind: 'share'; channel: number; user: number; files: PlannedFile[]; inThread: boolean }
  | { kind: 're-share'; channel: number; user: number }
  | { kind: 'edit' }
  | { kind: 'list'; channel: number; user: number }
  | { kind: 'folders'; channel: number; user: number }
  | { kind: 'status'; channel: number; user: number }
  | { kind: 'link'; channel: number; user: number; folder: number }
  | { kind: 'unlink'; channel: number; user: number }
  | { kind: 'announce'; channel: number; user: number; on: boolean }
  | { kind: 'press'; action: string; times: number; newest: boolean }
  | { kind: 'stranger-calls'; calls: number }
  | { kind: 'stranger-files' }
  | { kind: 'stranger-deletes' }
  | { kind: 'attachments-forgotten' }
  | { kind: 'started-twice'; seat: number }
  | { kind: 'outage'; ms: number }
  | { kind: 'slow-service'; ms: number }
  | { kind: 'slow-way'; ms: number }
  | { kind: 'lost-creates'; ms: number }
  | { kind: 'wrong-refusals'; ms: number }
  | { kind: 'storm'; ms: number }
  | { kind: 'key-revoked'; ms: number }
  | { kind: 'folder-deleted' }
  | { kind: 'slack-silent'; ms: number }
  | { kind: 'slack-file-deleted' }
  | { kind: 'message-deleted'; withFiles: boolean }
  | { kind: 'bot-removed'; channel: number; ms: number }
  | { kind: 'archived'; channel: number }
  | { kind: 'history-fails'; ms: number }
  | { kind: 'kill'; seat: number; edges: number; downMs: number }
  | { kind: 'killed-answering'; seat: number; downMs: number }
  | { kind: 'restart'; seat: number; downMs: number }
  | { kind: 'pause'; seat: number; ms: number }
  | { kind: 'clock'; seat: number; ms: number }
  | { kind: 'disk-full'; seat: number; ms: number };

export interface Step {
  /** Its number in the whole plan: cutting others does not change it. */
  id: number;
  /** Milliseconds after the beginning. */
  at: number;
  /** In [0, 1): chooses among what is there. */
  pick: number;
  deed: Deed;
}

/** All that is decided of a world before it begins. */
export interface Plan {
  seed: number;
  seats: number;
  channels: number;
  /** Whether a channel without a link has a folder all the same. */
  hasDefault: boolean;
  onSlackDelete: OnSlackDelete;
  traits: ServiceTraits;
  rates: FaultRates;
  /** After this nothing goes wrong any more, in milliseconds from the beginning. */
  calmAt: number;
  steps: Step[];
}

export const USERS = 4;

const NAMES = ['report.pdf', 'photo 1.jpg', 'notes.txt', 'Entwurf Ä.docx', 'a&b <c>.png', 'v2.zip'];
const SIZES = [1, 300, 300, 2_000, 2_000, 9_000];

/** The plan of a seed. */
export function drawPlan(seed: number): Plan {
  const chance = createChance(seed, 'plan');
  const channels = chance.whole(1, 2);
  const seats = chance.pick([1, 1, 1, 1, 1, 1, 1, 2, 2, 3]);
  const rates = drawRates(chance.fork('rates'));
  const stage = { seats, channels, diskFails: rates.disk > 0 };
  const scene = chance.happens(0.4) ? drawScene(chance.fork('scene'), stage) : [];
  const calmAt = Math.max(
    chance.pick([30_000, 60_000, 90_000, 90_000, 240_000, 600_000]),
    ...scene.map(({ at }) => at + 20_000),
  );
  const base = {
    seed,
    channels,
    calmAt,
    seats,
    hasDefault: chance.happens(0.8) || scene.length > 0,
  };
  return {
    ...base,
    onSlackDelete: chance.fork('on Slack delete').pick(['ask', ...ON_SLACK_DELETE]),
    traits: drawTraits(chance),
    rates,
    steps: drawSteps(chance, { ...base, rates }, scene),
  };
}

function drawTraits(chance: Chance): ServiceTraits {
  return {
    createAnswer: chance.pick(['one-or-array', 'one-or-array', 'array', 'first']),
    attachmentUse: chance.pick(['once', 'once', 'often']),
    ...drawAccount(chance),
    crowd: chance.pick([0, 0, 0, 0, 0, 0, 0, 30, 130, 230]),
    clockOffMs: chance.pick([0, 0, 0, -1_500, 2_500, -40_000, 300_000]),
  };
}

// Every other account is as the interface says; the others as real ones were met, each in its way.
function drawAccount(chance: Chance): Pick<ServiceTraits, 'profile' | 'behaviour'> {
  if (chance.happens(0.5)) return { profile: 'specified', behaviour: {} };
  const behaviour = {
    listPaging: everyList(chance.pick(['paged', 'paged', 'whole'] as const)),
    listOrder: everyList(chance.pick(['oldest-first', 'newest-first'] as const)),
    folderList: chance.pick(['flat', 'nested', 'one-object'] as const),
    unknownPlace: chance.pick(['refused', 'empty-list', 'whole-collection'] as const),
    creator: chance.pick(['object', 'number'] as const),
    namesOnCreate: chance.pick(['kept', 'kept', 'numbered', 'numbered', 'own'] as const),
    fileNames: chance.pick(['plain', 'escaped'] as const),
  };
  return { profile: 'real', behaviour };
}

type Setting = Pick<Plan, 'channels' | 'calmAt' | 'seats' | 'hasDefault' | 'rates'>;

function drawSteps(chance: Chance, setting: Setting, scene: readonly Timed[]): Step[] {
  const deeds = [...scene];
  const add = (at: number, deed: Deed) => void deeds.push({ at, deed });
  if (!setting.hasDefault)
    for (let channel = 0; channel < setting.channels; channel += 1)
      add(2_000, { kind: 'link', channel, user: 0, folder: chance.whole(0, FOLDERS.length - 1) });
  const when = () => chance.whole(5_000, Math.max(6_000, setting.calmAt - 10_000));
  const shares = scene.length > 0 ? chance.whole(0, 2) : chance.pick([1, 1, 2, 2, 3, 4, 6]);
  const burstAt = chance.happens(0.3) ? when() : null;
  for (let n = 0; n < shares; n += 1)
    add(burstAt === null ? when() : burstAt + n * 40, drawShare(chance, setting));
  const sharedAt = deeds.flatMap(({ at, deed }) => (deed.kind === 'share' ? [at] : []));
  // What happens while a share is in hand finds more than what happens while all rest.
  const soon = () =>
    chance.happens(0.6)
      ? Math.min(setting.calmAt - 2_000, chance.pick(sharedAt) + chance.whole(0, 12_000))
      : when();
  const others = chance.pick([0, 1, 2, 3, 5, 8]);
  for (let n = 0; n < others; n += 1) add(when(), drawDoing(chance, setting));
  const { incidents } = setting.rates;
  const count = incidents.length === 0 ? 0 : chance.whole(1, 3);
  for (let n = 0; n < count; n += 1) add(soon(), drawIncident(chance, setting));
  const kills = chance.happens(0.45) ? chance.whole(1, 3) : 0;
  for (let n = 0; n < kills; n += 1) add(soon(), drawKill(chance, setting));
  if (setting.seats > 1 && chance.happens(0.3)) add(1, drawWrongClock(chance, setting));
  deeds.sort((a, b) => a.at - b.at);
  return deeds.map((one, id) => ({ id, pick: chance.fraction(), ...one }));
}

/** Somebody shares so many files; null: a few as a rule, and at times more. */
export function drawShare(
  chance: Chance,
  { channels }: Pick<Setting, 'channels'>,
  files: number | null = null,
): Extract<Deed, { kind: 'share' }> {
  const some = () => (chance.happens(0.8) ? chance.whole(1, 3) : chance.whole(1, 14));
  const count = files ?? some();
  const twins = chance.happens(0.3);
  const name = chance.pick(NAMES);
  const size = chance.pick(SIZES);
  const shared = Array.from({ length: count }, (_, index) => ({
    name: twins ? name : `${index + 1} ${chance.pick(NAMES)}`,
    size: twins ? size : chance.pick(SIZES),
    hiddenMs: chance.happens(0.05) ? chance.whole(500, 60_000) : 0,
  }));
  return {
    kind: 'share',
    channel: chance.whole(0, channels - 1),
    user: chance.whole(0, USERS - 1),
    files: shared,
    inThread: chance.happens(0.2),
  };
}

const ACTIONS = [
  'delete_file',
  'delete_file',
  'delete_copies',
  'retry_share',
  'retry_share',
  'files_page',
  'attention',
  'any',
];

function drawDoing(chance: Chance, { channels }: Setting): Deed {
  const channel = chance.whole(0, channels - 1);
  const user = chance.whole(0, USERS - 1);
  const kind = chance.pick([
    'list',
    'list',
    'press',
    'press',
    'press',
    're-share',
    'edit',
    'folders',
    'status',
    'link',
    'unlink',
    'message-deleted',
  ] as const);
  switch (kind) {
    case 'link':
      return { kind, channel, user, folder: chance.whole(0, FOLDERS.length - 1) };
    case 'press': {
      const action = chance.pick(ACTIONS);
      return { kind, action, times: chance.pick([1, 1, 2, 3]), newest: chance.happens(0.7) };
    }
    case 'edit':
      return { kind };
    case 'message-deleted':
      return { kind, withFiles: chance.happens(0.7) };
    default:
      return { kind, channel, user };
  }
}

function drawIncident(chance: Chance, { rates, seats, channels }: Setting): Deed {
  const kind = chance.pick(rates.incidents);
  const ms = chance.pick([2_000, 15_000, 45_000, 70_000, 200_000]);
  const seat = chance.whole(0, seats - 1);
  const channel = chance.whole(0, channels - 1);
  switch (kind) {
    case 'stranger-calls':
      return { kind, calls: chance.whole(5, 40) };
    case 'outage':
      return { kind, ms: chance.happens(0.1) ? 3 * 3_600_000 : ms };
    case 'slow-service':
    case 'wrong-refusals':
    case 'storm':
    case 'key-revoked':
    case 'slack-silent':
      return { kind, ms };
    case 'pause':
    case 'disk-full':
      return { kind, seat, ms };
    case 'history-fails':
      return { kind, ms: chance.pick([200_000, 1_500_000]) };
    case 'clock':
      return drawWrongClock(chance, { seats });
    case 'started-twice':
      return { kind, seat };
    case 'bot-removed':
      return { kind, channel, ms };
    case 'archived':
      return { kind, channel };
    default:
      return { kind };
  }
}

function drawWrongClock(chance: Chance, { seats }: Pick<Setting, 'seats'>): Deed {
  const ms = chance.pick([-3_600_000, -20_000, -2_000, 2_000, 20_000, 240_000]);
  return { kind: 'clock', seat: chance.whole(0, seats - 1), ms };
}

function drawKill(chance: Chance, { seats }: Setting): Deed {
  const seat = chance.whole(0, seats - 1);
  const downMs = chance.pick([100, 2_000, 2_000, 15_000, 90_000]);
  if (chance.happens(0.25)) return { kind: 'restart', seat, downMs };
  if (chance.happens(0.2)) return { kind: 'killed-answering', seat, downMs };
  return { kind: 'kill', seat, edges: chance.whole(1, 60), downMs };
}

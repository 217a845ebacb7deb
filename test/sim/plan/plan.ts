import { everyList } from '../../../src/playground/file-service/behaviour.ts';
import { ON_SLACK_DELETE, type OnSlackDelete } from '../../../src/transfers/index.ts';
import { type Chance, createChance } from '../kernel/random.ts';
import { FOLDERS } from '../service/account.ts';
import type { ServiceTraits } from '../service/service-model.ts';
import {
  type Deed,
  drawDoing,
  drawIncident,
  drawKill,
  drawShare,
  drawWrongClock,
  USERS,
} from './actions.ts';
import { drawBesides, drawSaves } from './extra-scenarios.ts';
import { drawRates, type FaultRates } from './faults.ts';
import { drawScene, type Timed } from './scenarios.ts';

export interface Step {
  /** Its number in the whole plan; cutting other steps does not change it. */
  id: number;
  /** Milliseconds after the beginning. */
  at: number;
  /** In [0, 1): chooses among what exists by then. */
  pick: number;
  deed: Deed;
}

/** Everything about a world that is decided before it begins. */
export interface Plan {
  seed: number;
  seats: number;
  channels: number;
  /** A person who is not in one of the channels; null: everybody is in all. */
  away: { user: number; channel: number } | null;
  /** Whether files from a channel without a link go to a default folder. */
  hasDefault: boolean;
  onSlackDelete: OnSlackDelete;
  traits: ServiceTraits;
  rates: FaultRates;
  /** The time after which nothing fails any more, in milliseconds from the beginning. */
  calmAt: number;
  steps: Step[];
}

/** Returns the plan of a seed. */
export function drawPlan(seed: number): Plan {
  const chance = createChance(seed, 'plan');
  const channels = chance.whole(1, 2);
  const seats = chance.pick([1, 1, 1, 1, 1, 1, 1, 2, 2, 3]);
  const rates = drawRates(chance.fork('rates'));
  const stage = { seats, channels, rates };
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
  const away = drawAway(chance.fork('away'), channels);
  const traits = drawTraits(chance);
  const steps = drawSteps(chance, { ...base, rates }, scene);
  const sharedAt = steps.flatMap(({ at, deed }) => (deed.kind === 'share' ? [at] : []));
  const more = [
    ...drawApart(chance.fork('saves'), (own) => drawSaves(own, stage, sharedAt)),
    ...drawApart(chance.fork('besides'), (own) => drawBesides(own, { ...stage, away })),
  ];
  return {
    ...base,
    away,
    onSlackDelete: chance.fork('on Slack delete').pick(['ask', ...ON_SLACK_DELETE]),
    traits,
    rates,
    steps: withMore(steps, more, calmAt - 2_000),
  };
}

function drawAway(chance: Chance, channels: number): Plan['away'] {
  if (channels === 1 || chance.happens(0.5)) return null;
  return { user: chance.whole(0, USERS - 1), channel: channels - 1 };
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

// Half of the accounts follow the interface document; the others behave like real ones, each in its
// way.
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

// A source of its own leaves the rest of the world's plan unchanged.
function drawApart(chance: Chance, draw: (own: Chance) => Timed[]): Omit<Step, 'id'>[] {
  return draw(chance).map(({ at, deed }) => ({ at, pick: chance.fraction(), deed }));
}

function withMore(steps: Step[], more: Omit<Step, 'id'>[], latest: number): Step[] {
  const added = more.map((one, nth): Step => {
    return { ...one, id: steps.length + nth, at: Math.min(one.at, latest) };
  });
  return [...steps, ...added].sort((a, b) => a.at - b.at);
}

type Setting = Pick<Plan, 'channels' | 'calmAt' | 'seats' | 'hasDefault' | 'rates'>;

function drawSteps(chance: Chance, setting: Setting, scene: readonly Timed[]): Step[] {
  const deeds = [...scene];
  const add = (at: number, deed: Deed) => void deeds.push({ at, deed });
  if (!setting.hasDefault)
    for (let channel = 0; channel < setting.channels; channel += 1)
      add(2_000, { kind: 'link', channel, user: 0, folder: chance.whole(0, FOLDERS.length - 1) });
  const when = () => chance.whole(5_000, Math.max(6_000, setting.calmAt - 10_000));
  // Many small worlds find more bugs in the same time than few large ones.
  const shares = scene.length > 0 ? chance.whole(0, 2) : chance.pick([1, 1, 1, 2, 2, 3, 6]);
  const burstAt = chance.happens(0.3) ? when() : null;
  for (let n = 0; n < shares; n += 1)
    add(burstAt === null ? when() : burstAt + n * 40, drawShare(chance, setting));
  const sharedAt = deeds.flatMap(({ at, deed }) => (deed.kind === 'share' ? [at] : []));
  // Events during an open share find more bugs than events at rest.
  const soon = () =>
    chance.happens(0.6)
      ? Math.min(setting.calmAt - 2_000, chance.pick(sharedAt) + chance.whole(0, 12_000))
      : when();
  const others = chance.pick([0, 0, 1, 2, 4, 8]);
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

import type { Rng } from '../kernel/random.ts';
import {
  type Action,
  ADMIN,
  drawShare,
  EXTERNAL,
  GUEST,
  MEMBERS,
  type PlanContext,
  type TimedAction,
} from './actions.ts';
import {
  anyChannel,
  anyFolder,
  anyMachine,
  drawCrash,
  LONG_SILENCES,
  pressNewest,
} from './scenarios.ts';

/** What extra scenarios need to know of a world. */
interface ExtraContext extends PlanContext {
  /** A person who is not in one of the channels; null: everybody is in all. */
  nonMember: { user: number; channel: number } | null;
}

type ExtraScenario = (rng: Rng, context: ExtraContext) => TimedAction[];

/** Each with the name of its random source, and the fraction of worlds in which it happens. */
const EXTRA_SCENARIOS: [string, number, ExtraScenario][] = [
  ['left out', 0.8, searchesWithoutAccess],
  ['other folder', 0.06, opensFormAtHome],
  ['brought in', 0.3, reAdded],
  ['edited', 0.15, edited],
  ['unheard', 0.04, unheard],
];

/** Draws the extra scenarios of a world: situations that seldom come about by themselves. */
export function drawExtraScenarios(rng: Rng, context: ExtraContext): TimedAction[] {
  return EXTRA_SCENARIOS.flatMap(([name, fraction, draw]) => {
    const own = rng.fork(name);
    return own.chance(fraction) ? draw(own, context) : [];
  });
}

// A person searches and opens their App Home, twice, after others shared in a channel that the
// person is not in. An admin may have linked that channel meanwhile.
function searchesWithoutAccess(rng: Rng, context: ExtraContext): TimedAction[] {
  const { nonMember } = context;
  const people = [ADMIN, ...MEMBERS];
  if (nonMember === null || !people.includes(nonMember.user)) return [];
  const { user, channel } = nonMember;
  const at = rng.int(5_000, 8_000);
  const sharer = rng.pick(people.filter((one) => one !== user));
  const share = { ...drawShare(rng, context, rng.int(1, 3)), channel, user: sharer };
  const link: Action = { kind: 'link', channel, user: ADMIN, folder: anyFolder(rng) };
  const foundAt = at + rng.int(4_000, 10_000);
  return [
    { at, action: share },
    { at: foundAt, action: { kind: 'find', channel: 0, user, words: '' } },
    ...(rng.chance(0.7) ? [{ at: at + 1_000, action: link }] : []),
    { at: at + 9_000, action: { kind: 'home', user } },
    { at: at + 17_000, action: { kind: 'home', user } },
  ];
}

// An admin reads in their App Home that files are waiting, and opens the form for another folder
// there.
function opensFormAtHome(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(6_000, 10_000);
  const openedAt = at + rng.int(4_000, 15_000);
  return [
    { at: at - 1, action: { kind: 'outage', ms: 20_000 } },
    { at, action: drawShare(rng, context) },
    { at: openedAt, action: { kind: 'home', user: ADMIN } },
    { at: openedAt + 1_500, action: pressNewest('attention_relink', 1) },
  ];
}

function reAdded(rng: Rng, context: ExtraContext): TimedAction[] {
  const channel = anyChannel(rng, context);
  const inviter = rng.pick([ADMIN, ...MEMBERS]);
  return [{ at: rng.int(1_000, 4_900), action: { kind: 'bot-re-added', channel, inviter } }];
}

// Slack is silent for longer than it redelivers events, so only the channel's history shows what is
// shared then. The app may restart meanwhile, and history may fail for a while after that.
function unheard(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(6_000, 12_000);
  const machine = anyMachine(rng, context);
  const restart: Action = { kind: 'restart', machine, downMs: rng.pick([100, 2_000]) };
  const fails: Action = { kind: 'history-fails', ms: rng.int(5_000, 40_000) };
  const restartAt = at + rng.int(1, 6_000);
  return [
    { at, action: { kind: 'slack-silent', ms: rng.pick(LONG_SILENCES) } },
    { at: at + rng.int(1, 14_000), action: drawShare(rng, context) },
    ...(rng.chance(0.7) ? [{ at: restartAt, action: restart }] : []),
    ...(rng.chance(0.7) ? [{ at: restartAt, action: fails }] : []),
  ];
}

// A person adds files to a message, soon or long after sharing it, and sometimes to another
// message.
function edited(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(6_000, 15_000);
  const editedAt = at + rng.pick([rng.int(1, 3_000), rng.int(1, 60_000)]);
  const edit = (): Action => {
    const { files } = drawShare(rng, context, rng.int(1, 2));
    return { kind: 'edit', files, last: rng.chance(0.7) };
  };
  return [
    { at, action: drawShare(rng, context) },
    { at: editedAt, action: edit() },
    ...(rng.chance(0.4) ? [{ at: editedAt + rng.int(1, 30_000), action: edit() }] : []),
  ];
}

/**
 * Draws what people save by hand in some worlds. Mostly they save messages that were just shared,
 * whose files are on their way or filed by then. They may save them again, in the same or another
 * folder, while the channel is linked elsewhere, the message is deleted or a process dies.
 */
export function drawSaves(
  rng: Rng,
  context: PlanContext,
  sharedAt: readonly number[],
): TimedAction[] {
  if (rng.chance(0.6)) return [];
  const rounds = rng.pick([1, 2, 2, 3]);
  return Array.from({ length: rounds }, () => drawSave(rng, context, sharedAt)).flat();
}

const SAVED = ['shared', 'shared', 'shared', 'shared', 'to-app', 'to-somebody'] as const;

function drawSave(rng: Rng, context: PlanContext, sharedAt: readonly number[]): TimedAction[] {
  const first = sharedAt.length > 0 ? rng.pick(sharedAt) : 10_000;
  const at = first + rng.pick([rng.int(200, 3_000), rng.int(200, 25_000)]);
  const of = rng.pick(SAVED);
  const user = rng.chance(0.75) ? ADMIN : rng.pick([MEMBERS[0], EXTERNAL, GUEST]);
  const again = Array.from({ length: rng.pick([0, 1, 1, 2]) }, (): TimedAction => {
    return { at: at + rng.int(500, 40_000), action: { kind: 'save', user: ADMIN, of: 'last' } };
  });
  const others = drawDuringSave(rng, context).map((action) => {
    return { at: at + rng.int(0, 20_000), action };
  });
  return [{ at, action: { kind: 'save', user, of } }, ...again, ...others];
}

// Other events that may affect the save.
function drawDuringSave(rng: Rng, context: PlanContext): Action[] {
  const channel = anyChannel(rng, context);
  const link: Action = { kind: 'link', channel, user: ADMIN, folder: anyFolder(rng) };
  const kill = drawCrash(rng, context, 30);
  // With a slow service, checking the form takes seconds, in which a process may die.
  const slow: Action = { kind: 'slow-service', ms: 30_000 };
  const retry = pressNewest('retry_share', 2);
  const gone: Action = { kind: 'message-deleted', withFiles: rng.chance(0.7), last: false };
  return rng.pick<Action[]>([
    ...[[], [], [link], [link], [kill], [link, kill], [retry], [gone]],
    ...[[slow], [slow, kill], [slow, kill]],
  ]);
}

import type { Chance } from '../kernel/random.ts';
import { FOLDERS } from '../service/account.ts';
import { type Deed, drawShare, GUEST, LONG_SILENCES, type Stage } from './actions.ts';
import { ADMIN, MEMBERS, type Timed } from './scenarios.ts';

/** What extra scenes need to know of a world. */
interface Setting extends Stage {
  /** A person who is not in one of the channels; null: everybody is in all. */
  away: { user: number; channel: number } | null;
}

type Draw = (chance: Chance, setting: Setting) => Timed[];

/** The fraction of worlds in which each scene happens. */
const BESIDES: Record<string, { share: number; draw: Draw }> = {
  'left out': { share: 0.8, draw: leftOut },
  'other folder': { share: 0.06, draw: otherFolder },
  'brought in': { share: 0.3, draw: broughtIn },
  edited: { share: 0.15, draw: edited },
  unheard: { share: 0.04, draw: unheard },
};

/** Draws the extra scenes of a world: situations that seldom come about by themselves. */
export function drawBesides(chance: Chance, setting: Setting): Timed[] {
  return Object.entries(BESIDES).flatMap(([name, { share, draw }]) => {
    const own = chance.fork(name);
    return own.happens(share) ? draw(own, setting) : [];
  });
}

// A person searches and opens their App Home, twice, after others shared in a channel that the
// person is not in. An admin may have linked that channel meanwhile.
function leftOut(chance: Chance, setting: Setting): Timed[] {
  const { away } = setting;
  const people = [ADMIN, ...MEMBERS];
  if (away === null || !people.includes(away.user)) return [];
  const { user, channel } = away;
  const at = chance.whole(5_000, 8_000);
  const sharer = chance.pick(people.filter((one) => one !== user));
  const share = { ...drawShare(chance, setting, chance.whole(1, 3)), channel, user: sharer };
  const folder = chance.whole(0, FOLDERS.length - 1);
  const link: Timed = { at: at + 1_000, deed: { kind: 'link', channel, user: ADMIN, folder } };
  const foundAt = at + chance.whole(4_000, 10_000);
  return [
    { at, deed: share },
    { at: foundAt, deed: { kind: 'find', channel: 0, user, words: '' } },
    ...(chance.happens(0.7) ? [link] : []),
    ...[9_000, 17_000].map((ms): Timed => ({ at: at + ms, deed: { kind: 'home', user } })),
  ];
}

// An admin reads in their App Home that files are waiting, and opens the form for another folder
// there.
function otherFolder(chance: Chance, setting: Setting): Timed[] {
  const at = chance.whole(6_000, 10_000);
  const openedAt = at + chance.whole(4_000, 15_000);
  return [
    { at: at - 1, deed: { kind: 'outage', ms: 20_000 } },
    { at, deed: drawShare(chance, setting) },
    { at: openedAt, deed: { kind: 'home', user: ADMIN } },
    {
      at: openedAt + 1_500,
      deed: { kind: 'press', action: 'attention_relink', times: 1, newest: true },
    },
  ];
}

function broughtIn(chance: Chance, { channels }: Setting): Timed[] {
  const channel = chance.whole(0, channels - 1);
  const inviter = chance.pick([ADMIN, ...MEMBERS]);
  return [{ at: chance.whole(1_000, 4_900), deed: { kind: 'bot-brought-in', channel, inviter } }];
}

// Slack is silent for longer than it redelivers events, so only the channel's history shows what is
// shared then. The app may restart meanwhile, and history may fail for a while after that.
function unheard(chance: Chance, setting: Setting): Timed[] {
  const at = chance.whole(6_000, 12_000);
  const seat = chance.whole(0, setting.seats - 1);
  const restart: Deed = { kind: 'restart', seat, downMs: chance.pick([100, 2_000]) };
  const fails: Deed = { kind: 'history-fails', ms: chance.whole(5_000, 40_000) };
  const restartAt = at + chance.whole(1, 6_000);
  return [
    { at, deed: { kind: 'slack-silent', ms: chance.pick(LONG_SILENCES) } },
    { at: at + chance.whole(1, 14_000), deed: drawShare(chance, setting) },
    ...(chance.happens(0.7) ? [{ at: restartAt, deed: restart }] : []),
    ...(chance.happens(0.7) ? [{ at: restartAt, deed: fails }] : []),
  ];
}

// A person adds files to a message, soon or long after sharing it, and sometimes to another
// message.
function edited(chance: Chance, setting: Setting): Timed[] {
  const at = chance.whole(6_000, 15_000);
  const editedAt = at + chance.pick([chance.whole(1, 3_000), chance.whole(1, 60_000)]);
  const edit = (): Deed => {
    const { files } = drawShare(chance, setting, chance.whole(1, 2));
    return { kind: 'edit', files, last: chance.happens(0.7) };
  };
  return [
    { at, deed: drawShare(chance, setting) },
    { at: editedAt, deed: edit() },
    ...(chance.happens(0.4) ? [{ at: editedAt + chance.whole(1, 30_000), deed: edit() }] : []),
  ];
}

const MEMBER = 1;
const OUTSIDER = 3;

/**
 * Draws what people save by hand in some worlds. Mostly they save messages that were just shared,
 * whose files are on their way or filed by then. They may save them again, in the same or another
 * folder, while the channel is linked elsewhere, the message is deleted or a process dies.
 */
export function drawSaves(chance: Chance, stage: Stage, sharedAt: readonly number[]): Timed[] {
  if (chance.happens(0.6)) return [];
  const rounds = chance.pick([1, 2, 2, 3]);
  return Array.from({ length: rounds }, () => drawRound(chance, stage, sharedAt)).flat();
}

function drawRound(chance: Chance, stage: Stage, sharedAt: readonly number[]): Timed[] {
  const first = sharedAt.length > 0 ? chance.pick(sharedAt) : 10_000;
  const at = first + chance.pick([chance.whole(200, 3_000), chance.whole(200, 25_000)]);
  const of = chance.pick([
    'shared',
    'shared',
    'shared',
    'shared',
    'to-app',
    'to-somebody',
  ] as const);
  const user = chance.happens(0.75) ? ADMIN : chance.pick([MEMBER, OUTSIDER, GUEST]);
  const again = Array.from({ length: chance.pick([0, 1, 1, 2]) }, (): Timed => {
    const deed: Deed = { kind: 'save', user: ADMIN, of: 'last' };
    return { at: at + chance.whole(500, 40_000), deed };
  });
  const others = drawOthers(chance, stage).map((deed): Timed => {
    return { at: at + chance.whole(0, 20_000), deed };
  });
  return [{ at, deed: { kind: 'save', user, of } }, ...again, ...others];
}

// Other events that may affect the save.
function drawOthers(chance: Chance, { channels, seats }: Stage): Deed[] {
  const link: Deed = {
    kind: 'link',
    channel: chance.whole(0, channels - 1),
    user: ADMIN,
    folder: chance.whole(0, FOLDERS.length - 1),
  };
  const kill: Deed = {
    kind: 'kill',
    seat: chance.whole(0, seats - 1),
    edges: chance.whole(1, 30),
    downMs: 2_000,
  };
  // With a slow service, checking the form takes seconds, in which a process may die.
  const slow: Deed = { kind: 'slow-service', ms: 30_000 };
  const retry: Deed = { kind: 'press', action: 'retry_share', times: 2, newest: true };
  const gone: Deed = { kind: 'message-deleted', withFiles: chance.happens(0.7), last: false };
  return chance.pick<Deed[]>([
    ...[[], [], [link], [link], [kill], [link, kill], [retry], [gone]],
    ...[[slow], [slow, kill], [slow, kill]],
  ]);
}

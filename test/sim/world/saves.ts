import type { Chance } from '../kernel/chance.ts';
import { FOLDERS } from '../service/account-seed.ts';
import { type Deed, GUEST, type Stage } from './deeds.ts';
import type { Timed } from './scenes.ts';

const ADMIN = 0;
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

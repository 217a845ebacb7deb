import type { Chance } from '../kernel/random.ts';
import { FOLDERS } from '../service/account.ts';
import { type Deed, drawShare, type Stage } from './actions.ts';

/** A deed and its time, in milliseconds after the beginning. */
export interface Timed {
  at: number;
  deed: Deed;
}

/** The people who are no admins, as steps number them. */
export const MEMBERS = [1, 2] as const;
export const ADMIN = 0;

type Scene = (chance: Chance, stage: Stage) => Timed[];

/** Scenes for one instance, and for several. */
const ALONE: Scene[] = [
  killedAnswering,
  joinedWhileAway,
  stoppedWithWork,
  startedInFullWindow,
  startedInFullWindow,
  startedInFullWindow,
  startedInFullWindow,
  startedInFullWindow,
  deletedBeforeItsLine,
  deletedBeforeItsLine,
  deletedBeforeItsLine,
  diskFullAtShare,
  wronglyRefused,
  attendedTo,
  attendedTo,
  skipped,
  skipped,
  skipped,
  skipped,
  linkedInForm,
  linkedInForm,
  linkedInForm,
  broughtBack,
  lookedFor,
  folderGone,
  folderGone,
  twinsWithoutAnswers,
  burstOnSlowWay,
  deletedByOthers,
  addedByOthers,
  deletedInSlack,
  deletedInSlack,
  editedUnheard,
  editedUnheard,
];
const TOGETHER: Scene[] = [
  killedAnswering,
  pausedWithWork,
  pausedWithWork,
  pausedWithWork,
  stoppedWithWork,
  diskFullAtShare,
  addedByOthers,
  folderGone,
  deletedInSlack,
  linkedInForm,
];

/** Draws faults that occur together: each alone is common, but rarely in just this order. */
export function drawScene(chance: Chance, stage: Stage): Timed[] {
  return chance.pick(stage.seats === 1 ? ALONE : TOGETHER)(chance, stage);
}

// An event that the app acknowledged must be in the ledger, because no history can be read to
// recover it.
function killedAnswering(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  const downMs = chance.pick([100, 2_000]);
  const seats = Array.from({ length: stage.seats }, (_, seat) => seat);
  return [
    { at: at - 1, deed: { kind: 'history-fails', ms: chance.pick([400_000, 1_500_000]) } },
    ...seats.map((seat): Timed => ({ at, deed: { kind: 'killed-answering', seat, downMs } })),
    { at: at + 1, deed: drawShare(chance, stage) },
  ];
}

// The bot is invited and a file shared while the app is down, for longer than Slack redelivers
// events. The next start cannot read the channel's history, and the process ends before it can.
function joinedWhileAway(chance: Chance, stage: Stage): Timed[] {
  // If the first start cannot record when the app was first up, it does not notice an absence.
  if (stage.rates.disk > 0) return [];
  const channel = chance.whole(0, stage.channels - 1);
  const downMs = chance.whole(430_000, 440_000);
  const again = 470_000 + chance.whole(0, 15_000);
  return [
    { at: 1, deed: { kind: 'bot-removed', channel, ms: 25_000, inviter: null } },
    { at: 20_000, deed: { kind: 'restart', seat: 0, downMs } },
    { at: 28_000, deed: { ...drawShare(chance, stage), channel } },
    { at: 440_000, deed: { kind: 'history-fails', ms: chance.pick([60_000, 120_000]) } },
    { at: again, deed: { kind: 'restart', seat: 0, downMs: 2_000 } },
  ];
}

// Other instances slowly take over the paused instance's work; it resumes in the middle of that.
function pausedWithWork(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  const seat = chance.whole(0, stage.seats - 1);
  const ms = chance.whole(34_000, 60_000);
  return [
    { at: at - 1, deed: { kind: 'slow-service', ms: 120_000 } },
    { at, deed: drawShare(chance, stage, chance.whole(4, 12)) },
    { at: at + chance.whole(1_000, 7_000), deed: { kind: 'pause', seat, ms } },
  ];
}

function stoppedWithWork(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  const seat = chance.whole(0, stage.seats - 1);
  const kind = chance.pick(['outage', 'storm'] as const);
  const ms = chance.pick([45_000, 70_000, 200_000]);
  return [
    { at, deed: drawShare(chance, stage, chance.whole(2, 14)) },
    { at: at + chance.whole(0, 2_000), deed: { kind, ms } },
    { at: at + chance.whole(500, 6_000), deed: { kind: 'restart', seat, downMs: 100 } },
  ];
}

// A process ends while its window is full and starts again at once, three times. Mostly it crashes,
// because an orderly shutdown may outlast the window.
function startedInFullWindow(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 20_000);
  const seat = chance.whole(0, stage.seats - 1);
  const end = (): Deed => {
    const downMs = chance.pick([100, 100, 2_000]);
    if (chance.happens(0.2)) return { kind: 'restart', seat, downMs };
    return { kind: 'kill', seat, edges: chance.whole(1, 10), downMs };
  };
  const endsAt = at + chance.whole(1_000, 5_000);
  return [
    ...[0, 40, 80].map((ms): Timed => ({ at: at + ms, deed: drawShare(chance, stage, 14) })),
    ...[0, 4_000, 8_000].map((ms): Timed => ({ at: endsAt + ms, deed: end() })),
  ];
}

// Creates take effect but get responses that refuse them.
function wronglyRefused(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  return [
    { at: at - 1, deed: { kind: 'wrong-refusals', ms: 20_000 } },
    { at, deed: drawShare(chance, stage, chance.whole(1, 4)) },
  ];
}

// Somebody asks about files that were refused and tries all again, leaves them in Slack or chooses
// another folder, while others are still being sent.
function attendedTo(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  const share = drawShare(chance, stage, chance.whole(1, 4));
  const { channel } = share;
  const relink = 'attention_relink';
  const action = chance.pick(['attention_retry', 'attention_skip', relink, relink]);
  const asks = action === relink ? atHome : asksWhatIsWrong(chance, channel);
  const askedAt = at + chance.whole(2_000, 30_000);
  return [
    { at: at - 1, deed: { kind: 'wrong-refusals', ms: 20_000 } },
    { at, deed: share },
    { at: askedAt, deed: asks },
    { at: askedAt + 1_000, deed: { ...share, files: drawShare(chance, stage, 2).files } },
    { at: askedAt + 2_000, deed: { kind: 'press', action, times: 2, newest: true } },
  ];
}

const atHome: Deed = { kind: 'home', user: ADMIN };

function asksWhatIsWrong(chance: Chance, channel: number): Deed {
  return chance.happens(0.5) ? atHome : { kind: 'status', channel, user: ADMIN };
}

// Somebody skips files that cannot be sent just now, shortly before they could be.
function skipped(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  const share = { ...drawShare(chance, stage, chance.whole(1, 5)), inThread: false };
  const askedAt = at + chance.whole(4_000, 30_000);
  return [
    { at: at - 1, deed: { kind: 'outage', ms: askedAt - at + chance.whole(9_000, 25_000) } },
    { at, deed: share },
    { at: askedAt, deed: asksWhatIsWrong(chance, share.channel) },
    {
      at: askedAt + 8_000,
      deed: { kind: 'press', action: 'attention_skip', times: 2, newest: true },
    },
  ];
}

// Somebody links a channel in the form; files are shared before and after that.
function linkedInForm(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 20_000);
  const channel = chance.whole(0, stage.channels - 1);
  const share = () => ({ ...drawShare(chance, stage), channel });
  return [
    ...(chance.happens(0.5) ? [{ at: at - chance.whole(1, 5_000), deed: share() }] : []),
    { at, deed: { kind: 'form', channel, user: ADMIN } },
    ...(chance.happens(0.3)
      ? [{ at: at + chance.whole(0, 4_000), deed: { kind: 'slow-service' as const, ms: 20_000 } }]
      : []),
    { at: at + chance.whole(1_000, 20_000), deed: share() },
  ];
}

// Everybody searches for what was shared in one channel, from the other channel if there are two.
function lookedFor(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 15_000);
  const channel = stage.channels - 1;
  const folder = chance.whole(0, FOLDERS.length - 1);
  const link: Timed[] = [{ at: at - 4_000, deed: { kind: 'link', channel, user: ADMIN, folder } }];
  const looks = [ADMIN, ...MEMBERS].flatMap((user): Timed[] => {
    const lookedAt = at + chance.whole(3_000, 40_000);
    return [
      { at: lookedAt, deed: { kind: 'find', channel: 0, user, words: '' } },
      { at: lookedAt + 1_000, deed: { kind: 'home', user } },
    ];
  });
  const share = { ...drawShare(chance, stage), channel };
  return [...(chance.happens(0.5) ? link : []), { at, deed: share }, ...looks];
}

// The app is removed from a channel and brought back by somebody, who reads where files go.
function broughtBack(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 20_000);
  const channel = chance.whole(0, stage.channels - 1);
  const ms = chance.whole(100, 10_000);
  const again = at + ms + chance.whole(100, 5_000);
  const inviter = chance.pick([ADMIN, ...MEMBERS]);
  return [
    { at, deed: { kind: 'bot-removed', channel, ms, inviter } },
    { at: again, deed: { ...drawShare(chance, stage), channel } },
    { at: again + 2_000, deed: { kind: 'where', user: inviter } },
  ];
}

// A channel's folder is deleted while files are on their way to it. More files are shared, and
// sometimes an admin links the channel to another folder meanwhile.
function folderGone(chance: Chance, stage: Stage): Timed[] {
  const share = drawShare(chance, stage);
  const { channel } = share;
  const seat = chance.whole(0, stage.seats - 1);
  const kill: Deed = { kind: 'kill', seat, edges: chance.whole(1, 30), downMs: 2_000 };
  const relink: Deed = { kind: 'link', channel, user: ADMIN, folder: 2 };
  const gone = 20_000 + chance.whole(0, 4_000);
  return [
    { at: 6_000, deed: { kind: 'link', channel, user: ADMIN, folder: 1 } },
    { at: 20_000, deed: share },
    { at: gone, deed: { kind: 'folder-deleted', folder: 1 } },
    { at: gone + chance.whole(1, 20_000), deed: { ...drawShare(chance, stage), channel } },
    ...(chance.happens(0.5) ? [{ at: gone + chance.whole(0, 20_000), deed: kill }] : []),
    ...(chance.happens(0.5) ? [{ at: gone + chance.whole(1_000, 90_000), deed: relink }] : []),
    { at: gone + 100_000, deed: { ...drawShare(chance, stage), channel } },
  ];
}

// Files with the same name and size, one after another, so their records look the same.
function twinsWithoutAnswers(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  const first = drawShare(chance, stage, 1);
  const shares = Array.from({ length: chance.whole(4, 8) }, (_, n): Timed => {
    return { at: at + n * chance.whole(200, 700), deed: { ...first, inThread: false } };
  });
  return [
    { at: at - 1, deed: { kind: 'lost-creates', ms: chance.whole(10_000, 30_000) } },
    ...shares,
  ];
}

// Requests that were sent in one window arrive in the next.
function burstOnSlowWay(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  return [
    { at: at - 1, deed: { kind: 'slow-way', ms: 40_000 } },
    ...[0, 40, 80].map((ms): Timed => ({ at: at + ms, deed: drawShare(chance, stage, 14) })),
  ];
}

// Somebody lists a channel's files that another member shared, and presses Delete.
function deletedByOthers(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 15_000);
  const share = { ...drawShare(chance, stage), user: MEMBERS[0] };
  const { channel } = share;
  return [
    { at, deed: share },
    { at: at + 60_000, deed: { kind: 'list', channel, user: MEMBERS[1] } },
    { at: at + 70_000, deed: { kind: 'press', action: 'delete_file', times: 1, newest: true } },
  ];
}

// Somebody shares a file and deletes it at any moment of its way; an instance may be killed
// meanwhile.
function deletedInSlack(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 15_000);
  const deletedAt = at + chance.pick([chance.whole(1, 3_000), chance.whole(1, 40_000)]);
  const seat = chance.whole(0, stage.seats - 1);
  const kill: Deed = { kind: 'kill', seat, edges: chance.whole(1, 30), downMs: 2_000 };
  const press: Deed = { kind: 'press', action: 'delete_copies', times: 2, newest: true };
  return [
    { at, deed: drawShare(chance, stage) },
    {
      at: deletedAt,
      deed: { kind: 'message-deleted', withFiles: chance.happens(0.7), last: false },
    },
    ...(chance.happens(0.5) ? [{ at: deletedAt + chance.whole(0, 2_000), deed: kill }] : []),
    { at: deletedAt + 30_000, deed: press },
  ];
}

// A message is deleted while its file is in hand, so the later line has no thread to go to.
function deletedBeforeItsLine(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 15_000);
  const gone: Deed = { kind: 'message-deleted', withFiles: chance.happens(0.5), last: true };
  return [
    { at: at - 1, deed: { kind: 'slow-service', ms: 30_000 } },
    { at, deed: { ...drawShare(chance, stage, 1), inThread: false } },
    { at: at + chance.whole(500, 5_500), deed: gone },
  ];
}

// A channel with announcements on reads what others add to its folder. Others add files that look
// like the channel's own, until the second check, around which an instance may be killed.
function addedByOthers(chance: Chance, stage: Stage): Timed[] {
  const channel = chance.whole(0, stage.channels - 1);
  const at = chance.whole(6_000, 30_000);
  const share = { ...drawShare(chance, stage, chance.whole(1, 4)), channel };
  const strange = Array.from({ length: chance.whole(2, 6) }, (): Timed => {
    return { at: chance.whole(60_000, 590_000), deed: { kind: 'stranger-files' } };
  });
  const again: Deed = { ...share, files: drawShare(chance, stage, chance.whole(1, 3)).files };
  const seat = chance.whole(0, stage.seats - 1);
  const kill: Deed = { kind: 'kill', seat, edges: chance.whole(1, 60), downMs: 2_000 };
  const folder = chance.whole(1, 2);
  const lookAt = 603_000;
  return [
    // Repeated because the first may fail; a link or setting that already holds does not change.
    ...[1_500, 20_000, 40_000].flatMap((ms): Timed[] => [
      { at: ms, deed: { kind: 'link', channel, user: ADMIN, folder } },
      { at: ms + 5_000, deed: { kind: 'announce', channel, user: ADMIN, on: true } },
    ]),
    { at, deed: share },
    ...strange,
    { at: lookAt - chance.whole(0, 20_000), deed: again },
    ...(chance.happens(0.5) ? [{ at: lookAt + chance.whole(0, 15_000), deed: kill }] : []),
    { at: lookAt + chance.whole(30_000, 600_000), deed: { kind: 'list', channel, user: ADMIN } },
  ];
}

// The app hears of a message only when somebody adds files to it, so it finds the message's earlier
// files in the channel's history.
function editedUnheard(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 12_000);
  const editedAt = at + 440_000;
  const { files } = drawShare(chance, stage, chance.whole(1, 2));
  const restart: Deed = { kind: 'restart', seat: 0, downMs: chance.pick([100, 2_000]) };
  return [
    { at: at - 1, deed: { kind: 'slack-silent', ms: 420_000 } },
    { at: at + chance.whole(0, 10_000), deed: drawShare(chance, stage) },
    { at: editedAt, deed: { kind: 'edit', files, last: true } },
    ...(chance.happens(0.8)
      ? [{ at: editedAt + chance.whole(-15_000, 9_000), deed: restart }]
      : []),
  ];
}

function diskFullAtShare(chance: Chance, stage: Stage): Timed[] {
  const at = chance.whole(6_000, 30_000);
  const seat = chance.whole(0, stage.seats - 1);
  return [
    { at, deed: { kind: 'disk-full', seat, ms: chance.whole(100, 5_000) } },
    { at: at + 20, deed: drawShare(chance, stage) },
  ];
}

import type { Rng } from '../kernel/random.ts';
import { FOLDERS } from '../service/service-model.ts';
import {
  type Action,
  type ActionOf,
  ADMIN,
  type ByUser,
  DELETE_CHOICE,
  drawShare,
  EXTERNAL,
  GUEST,
  MEMBERS,
  type PlanContext,
  SHARE_CHOICE,
  type TimedAction,
} from './actions.ts';

type Scenario = (rng: Rng, context: PlanContext) => TimedAction[];

/** Scenarios for one instance, and for several, with their weights. */
const SINGLE_INSTANCE: [Scenario, number][] = [
  [killedOnAcknowledge, 1],
  [joinedWhileAway, 1],
  [stoppedWithWork, 1],
  [startedInFullWindow, 5],
  [deletedBeforeItsLine, 3],
  [diskFullAtShare, 1],
  [wronglyRefused, 1],
  [attendedTo, 2],
  [skipped, 4],
  [linkedInForm, 3],
  [broughtBack, 1],
  [searchedByAll, 1],
  [folderGone, 2],
  [twinsWithoutResponses, 1],
  [burstOnSlowNetwork, 1],
  [deletedByOthers, 1],
  [addedByOthers, 1],
  [deletedInSlack, 2],
  [editedUnheard, 2],
];
const SEVERAL_INSTANCES: [Scenario, number][] = [
  [killedOnAcknowledge, 1],
  [pausedWithWork, 3],
  [stoppedWithWork, 1],
  [diskFullAtShare, 1],
  [addedByOthers, 1],
  [folderGone, 1],
  [deletedInSlack, 1],
  [linkedInForm, 1],
];

/** How long Slack delivers no event, in milliseconds: longer than it redelivers one (360 s). */
export const LONG_SILENCES = [420_000, 420_000, 3_600_000] as const;

/** Draws faults that occur together: each alone is common, but rarely in just this order. */
export function drawScenario(rng: Rng, context: PlanContext): TimedAction[] {
  const weighted = context.machines === 1 ? SINGLE_INSTANCE : SEVERAL_INSTANCES;
  const scenarios = weighted.flatMap(([one, weight]) => Array<Scenario>(weight).fill(one));
  return rng.pick(scenarios)(rng, context);
}

// An event that the app acknowledged must be in the ledger, because no history can be read to
// recover it.
function killedOnAcknowledge(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  const downMs = rng.pick([100, 2_000]);
  const kills = Array.from({ length: context.machines }, (_, machine): TimedAction => {
    return { at, action: { kind: 'kill-on-ack', machine, downMs } };
  });
  return [
    { at: at - 1, action: { kind: 'history-fails', ms: rng.pick([400_000, 1_500_000]) } },
    ...kills,
    { at: at + 1, action: drawShare(rng, context) },
  ];
}

// The bot is invited and a file shared while the app is down, for longer than Slack redelivers
// events. The next start cannot read the channel's history, and the process ends before it can.
function joinedWhileAway(rng: Rng, context: PlanContext): TimedAction[] {
  // If the first start cannot record when the app was first up, it does not notice an absence.
  if (context.rates.disk > 0) return [];
  const channel = anyChannel(rng, context);
  const downMs = rng.int(430_000, 440_000);
  const again = 470_000 + rng.int(0, 15_000);
  return [
    { at: 1, action: { kind: 'bot-removed', channel, ms: 25_000, inviter: null } },
    { at: 20_000, action: { kind: 'restart', machine: 0, downMs } },
    { at: 28_000, action: { ...drawShare(rng, context), channel } },
    { at: 440_000, action: { kind: 'history-fails', ms: rng.pick([60_000, 120_000]) } },
    { at: again, action: { kind: 'restart', machine: 0, downMs: 2_000 } },
  ];
}

// Other instances slowly take over the paused instance's work; it resumes in the middle of that.
function pausedWithWork(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  const machine = anyMachine(rng, context);
  const ms = rng.int(34_000, 60_000);
  return [
    { at: at - 1, action: { kind: 'slow-service', ms: 120_000 } },
    { at, action: drawShare(rng, context, rng.int(4, 12)) },
    { at: at + rng.int(1_000, 7_000), action: { kind: 'pause', machine, ms } },
  ];
}

function stoppedWithWork(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  const machine = anyMachine(rng, context);
  const kind = rng.pick(['outage', 'rate-limiting'] as const);
  const ms = rng.pick([45_000, 70_000, 200_000]);
  return [
    { at, action: drawShare(rng, context, rng.int(2, 14)) },
    { at: at + rng.int(0, 2_000), action: { kind, ms } },
    { at: at + rng.int(500, 6_000), action: { kind: 'restart', machine, downMs: 100 } },
  ];
}

// A process ends while its window is full and starts again at once, three times. Mostly it crashes,
// because an orderly shutdown may outlast the window.
function startedInFullWindow(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 20_000);
  const machine = anyMachine(rng, context);
  const end = (): Action => {
    const downMs = rng.pick([100, 100, 2_000]);
    if (rng.chance(0.2)) return { kind: 'restart', machine, downMs };
    return { kind: 'kill', machine, crashPoints: rng.int(1, 10), downMs };
  };
  const endsAt = at + rng.int(1_000, 5_000);
  return [
    ...threeShares(rng, context, at),
    ...[0, 4_000, 8_000].map((ms) => ({ at: endsAt + ms, action: end() })),
  ];
}

// Creates take effect but get responses that refuse them.
function wronglyRefused(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  return [
    { at: at - 1, action: { kind: 'wrong-refusals', ms: 20_000 } },
    { at, action: drawShare(rng, context, rng.int(1, 4)) },
  ];
}

// Somebody asks about files that were refused and tries all again, leaves them in Slack or chooses
// another folder, while others are still being sent.
function attendedTo(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  const share = drawShare(rng, context, rng.int(1, 4));
  const relink = 'attention_relink';
  const actionId = rng.pick(['attention_retry', 'attention_skip', relink, relink]);
  const asks = actionId === relink ? OPEN_HOME : asksWhatIsWrong(rng, share.channel);
  const askedAt = at + rng.int(2_000, 30_000);
  return [
    { at: at - 1, action: { kind: 'wrong-refusals', ms: 20_000 } },
    { at, action: share },
    { at: askedAt, action: asks },
    { at: askedAt + 1_000, action: { ...share, files: drawShare(rng, context, 2).files } },
    { at: askedAt + 2_000, action: pressNewest(actionId, 2) },
  ];
}

// Somebody skips files that cannot be sent just now, shortly before they could be.
function skipped(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  const share = { ...drawShare(rng, context, rng.int(1, 5)), inThread: false };
  const askedAt = at + rng.int(4_000, 30_000);
  return [
    { at: at - 1, action: { kind: 'outage', ms: askedAt - at + rng.int(9_000, 25_000) } },
    { at, action: share },
    { at: askedAt, action: asksWhatIsWrong(rng, share.channel) },
    { at: askedAt + 8_000, action: pressNewest('attention_skip', 2) },
  ];
}

// Somebody links a channel in the form; files are shared before and after that.
function linkedInForm(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 20_000);
  const channel = anyChannel(rng, context);
  const share = () => ({ ...drawShare(rng, context), channel });
  const slow = (): TimedAction => {
    return { at: at + rng.int(0, 4_000), action: { kind: 'slow-service', ms: 20_000 } };
  };
  return [
    ...(rng.chance(0.5) ? [{ at: at - rng.int(1, 5_000), action: share() }] : []),
    { at, action: { kind: 'form', channel, user: ADMIN } },
    ...(rng.chance(0.3) ? [slow()] : []),
    { at: at + rng.int(1_000, 20_000), action: share() },
  ];
}

// Everybody searches for what was shared in one channel, from the other channel if there are two.
function searchedByAll(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 15_000);
  const channel = context.channels - 1;
  const link: Action = { kind: 'link', channel, user: ADMIN, folder: anyFolder(rng) };
  const searches = [ADMIN, ...MEMBERS].flatMap((user): TimedAction[] => {
    const searchedAt = at + rng.int(3_000, 40_000);
    return [
      { at: searchedAt, action: { kind: 'find', channel: 0, user, words: '' } },
      { at: searchedAt + 1_000, action: { kind: 'home', user } },
    ];
  });
  const share = { ...drawShare(rng, context), channel };
  const linked = rng.chance(0.5) ? [{ at: at - 4_000, action: link }] : [];
  return [...linked, { at, action: share }, ...searches];
}

// The app is removed from a channel and brought back by somebody, who reads where files go.
function broughtBack(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 20_000);
  const channel = anyChannel(rng, context);
  const ms = rng.int(100, 10_000);
  const again = at + ms + rng.int(100, 5_000);
  const inviter = rng.pick([ADMIN, ...MEMBERS]);
  return [
    { at, action: { kind: 'bot-removed', channel, ms, inviter } },
    { at: again, action: { ...drawShare(rng, context), channel } },
    { at: again + 2_000, action: { kind: 'where', user: inviter } },
  ];
}

// A channel's folder is deleted while files are on their way to it. More files are shared, and
// sometimes an admin links the channel to another folder meanwhile.
function folderGone(rng: Rng, context: PlanContext): TimedAction[] {
  const share = drawShare(rng, context);
  const { channel } = share;
  const kill = drawCrash(rng, context, 30);
  const relink: Action = { kind: 'link', channel, user: ADMIN, folder: 2 };
  const gone = 20_000 + rng.int(0, 4_000);
  return [
    { at: 6_000, action: { kind: 'link', channel, user: ADMIN, folder: 1 } },
    { at: 20_000, action: share },
    { at: gone, action: { kind: 'folder-deleted', folder: 1 } },
    { at: gone + rng.int(1, 20_000), action: { ...drawShare(rng, context), channel } },
    ...(rng.chance(0.5) ? [{ at: gone + rng.int(0, 20_000), action: kill }] : []),
    ...(rng.chance(0.5) ? [{ at: gone + rng.int(1_000, 90_000), action: relink }] : []),
    { at: gone + 100_000, action: { ...drawShare(rng, context), channel } },
  ];
}

// Files with the same name and size, one after another, so their records look the same.
function twinsWithoutResponses(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  const first = drawShare(rng, context, 1);
  const shares = Array.from({ length: rng.int(4, 8) }, (_, n) => {
    return { at: at + n * rng.int(200, 700), action: { ...first, inThread: false } };
  });
  const lost = rng.int(10_000, 30_000);
  return [{ at: at - 1, action: { kind: 'lost-creates', ms: lost } }, ...shares];
}

// Requests that were sent in one window arrive in the next, with more than a window full of files.
function burstOnSlowNetwork(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  const slow: Action = { kind: 'slow-network', ms: 40_000 };
  const shares = [0, 200, 400].map((ms) => ({ at: at + ms, action: drawShare(rng, context, 14) }));
  return [{ at: at - 1, action: slow }, ...shares];
}

// Somebody lists a channel's files that another member shared, and presses Delete.
function deletedByOthers(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 15_000);
  const share = { ...drawShare(rng, context), user: MEMBERS[0] };
  const { channel } = share;
  return [
    { at, action: share },
    { at: at + 60_000, action: { kind: 'list', channel, user: MEMBERS[1] } },
    { at: at + 65_000, action: pressNewest('file_menu', 1) },
    { at: at + 70_000, action: pressNewest('delete_file', 1) },
  ];
}

// Somebody shares a file and deletes it at any moment of its way; an instance may be killed
// meanwhile.
function deletedInSlack(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 15_000);
  const deletedAt = at + rng.pick([rng.int(1, 3_000), rng.int(1, 40_000)]);
  const kill = drawCrash(rng, context, 30);
  const share = drawShare(rng, context);
  const withFiles = rng.chance(0.7);
  return [
    { at, action: share },
    { at: deletedAt, action: { kind: 'message-deleted', withFiles, last: false } },
    ...(rng.chance(0.5) ? [{ at: deletedAt + rng.int(0, 2_000), action: kill }] : []),
    { at: deletedAt + 30_000, action: pressNewest('delete_copies', 2) },
  ];
}

// A message is deleted while its file is in hand, so the later line has no thread to go to.
function deletedBeforeItsLine(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 15_000);
  const gone: Action = { kind: 'message-deleted', withFiles: rng.chance(0.5), last: true };
  return [
    { at: at - 1, action: { kind: 'slow-service', ms: 30_000 } },
    { at, action: { ...drawShare(rng, context, 1), inThread: false } },
    { at: at + rng.int(500, 5_500), action: gone },
  ];
}

// A channel with announcements on reads what others add to its folder. Others add files that look
// like the channel's own, until the second check, around which an instance may be killed.
function addedByOthers(rng: Rng, context: PlanContext): TimedAction[] {
  const channel = anyChannel(rng, context);
  const at = rng.int(6_000, 30_000);
  const share = { ...drawShare(rng, context, rng.int(1, 4)), channel };
  const byOthers = Array.from({ length: rng.int(2, 6) }, (): TimedAction => {
    return { at: rng.int(60_000, 590_000), action: { kind: 'other-creates' } };
  });
  const again: Action = { ...share, files: drawShare(rng, context, rng.int(1, 3)).files };
  const kill = drawCrash(rng, context, 60);
  const folder = rng.int(1, 2);
  const checkedAt = 603_000;
  return [
    // Repeated because the first may fail; a link or setting that already holds does not change.
    ...[1_500, 20_000, 40_000].flatMap((ms): TimedAction[] => [
      { at: ms, action: { kind: 'link', channel, user: ADMIN, folder } },
      { at: ms + 5_000, action: { kind: 'announce', channel, user: ADMIN, on: true } },
    ]),
    { at, action: share },
    ...byOthers,
    { at: checkedAt - rng.int(0, 20_000), action: again },
    ...(rng.chance(0.5) ? [{ at: checkedAt + rng.int(0, 15_000), action: kill }] : []),
    { at: checkedAt + rng.int(30_000, 600_000), action: { kind: 'list', channel, user: ADMIN } },
  ];
}

// The app hears of a message only when somebody adds files to it, so it finds the message's earlier
// files in the channel's history.
function editedUnheard(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 12_000);
  const editedAt = at + 440_000;
  const { files } = drawShare(rng, context, rng.int(1, 2));
  const restart: Action = { kind: 'restart', machine: 0, downMs: rng.pick([100, 2_000]) };
  return [
    { at: at - 1, action: { kind: 'slack-silent', ms: 420_000 } },
    { at: at + rng.int(0, 10_000), action: drawShare(rng, context) },
    { at: editedAt, action: { kind: 'edit', files, last: true } },
    ...(rng.chance(0.8) ? [{ at: editedAt + rng.int(-15_000, 9_000), action: restart }] : []),
  ];
}

function diskFullAtShare(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 30_000);
  const machine = anyMachine(rng, context);
  return [
    { at, action: { kind: 'disk-full', machine, ms: rng.int(100, 5_000) } },
    { at: at + 20, action: drawShare(rng, context) },
  ];
}

function threeShares(rng: Rng, context: PlanContext, at: number): TimedAction[] {
  return [0, 40, 80].map((ms) => ({ at: at + ms, action: drawShare(rng, context, 14) }));
}

const OPEN_HOME: Action = { kind: 'home', user: ADMIN };

function asksWhatIsWrong(rng: Rng, channel: number): Action {
  return rng.chance(0.5) ? OPEN_HOME : { kind: 'status', channel, user: ADMIN };
}

function pressNewest(actionId: string, times: number): ActionOf<'press'> {
  return { kind: 'press', actionId, times, newest: true };
}

/** Draws a kill of any instance within that many crash points; it starts again soon. */
function drawCrash(rng: Rng, context: PlanContext, within: number): ActionOf<'kill'> {
  const machine = anyMachine(rng, context);
  return { kind: 'kill', machine, crashPoints: rng.int(1, within), downMs: 2_000 };
}

const anyMachine = (rng: Rng, { machines }: PlanContext) => rng.int(0, machines - 1);
const anyChannel = (rng: Rng, { channels }: PlanContext) => rng.int(0, channels - 1);
const anyFolder = (rng: Rng) => rng.int(0, FOLDERS.length - 1);

/** `nonMember`: a person who is not in one of the channels; null: everybody is in all. */
type ExtraContext = PlanContext & { nonMember: ByUser | null };
type ExtraScenario = (rng: Rng, context: ExtraContext) => TimedAction[];

/** Each with the name of its random source, and the fraction of worlds in which it happens. */
const EXTRA_SCENARIOS: [string, number, ExtraScenario][] = [
  ['left out', 0.8, searchesWithoutAccess],
  ['other folder', 0.06, opensFormAtHome],
  ['brought in', 0.3, reAdded],
  ['edited', 0.15, edited],
  ['unheard', 0.04, unheard],
  ['two questions', 0.05, deletedOneByOne],
  ['shared from a list', 0.12, sharedFromList],
  ['put back', 0.15, putBack],
  ['saved again', 0.12, savedAgain],
  ['settings', 0.12, changesSettings],
  ['at home', 0.1, pressesAtHome],
  ['chosen at home', 0.1, linksAtHome],
  ['bookmarks', 0.1, linksAnew],
  ['addresses', 0.15, postsAddresses],
  ['searched anywhere', 0.15, searchesAnywhere],
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

// The files of one message are deleted one after another, so that its sharer is asked twice, and
// answers either question.
function deletedOneByOne(rng: Rng, context: PlanContext): TimedAction[] {
  const at = rng.int(6_000, 9_000);
  const goneAt = at + rng.int(4_000, 8_000);
  const againAt = goneAt + rng.int(3_000, 5_000);
  const press = { kind: 'press', actionId: 'delete_copies', times: 1 } as const;
  const newest = rng.chance(0.5);
  return [
    { at, action: { ...drawShare(rng, context, 2), inThread: false } },
    { at: goneAt, action: { kind: 'slack-file-deleted', ofLast: 0 } },
    { at: againAt, action: { kind: 'slack-file-deleted', ofLast: 1 } },
    { at: againAt + rng.int(3_000, 9_000), action: { ...press, newest } },
  ];
}

// Somebody lists the files of a channel and shares one of them there, mostly of what was just filed. A
// process may die meanwhile, and others may list the other channel.
function sharedFromList(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(5_000, 8_000);
  const user = rng.pick([ADMIN, ...MEMBERS]);
  const channel = anyChannel(rng, context);
  const listedIn = rng.chance(0.4) ? channel : anyChannel(rng, context);
  const link: Action = { kind: 'link', channel, user: ADMIN, folder: anyFolder(rng) };
  const listedAt = at + rng.pick([rng.int(4_000, 9_000), rng.int(20_000, 60_000)]);
  const press = (): Action => {
    const times = rng.pick([1, 2, 2]);
    const newest = rng.chance(0.7);
    return { ...pressNewest('file_menu', times), choice: SHARE_CHOICE, user, newest };
  };
  return [
    ...(rng.chance(0.4) ? [{ at: at - 3_000, action: link }] : []),
    { at, action: { ...drawShare(rng, context, rng.int(1, 3)), channel } },
    { at: listedAt, action: { kind: 'list', channel: listedIn, user } },
    ...(rng.chance(0.3) ? [{ at: listedAt + 3_000, action: drawCrash(rng, context, 15) }] : []),
    { at: listedAt + rng.int(2_500, 4_000), action: press() },
    ...(rng.chance(0.4) ? [{ at: listedAt + rng.int(4_000, 9_000), action: press() }] : []),
  ];
}

// Somebody deletes a file of a list and puts it back, mostly with more than one press. Meanwhile a
// process may die, or the answer to the create be lost.
function putBack(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(5_000, 7_000);
  const { channel, user: sharer, ...share } = drawShare(rng, context, rng.int(1, 3));
  const user = rng.pick([ADMIN, sharer]);
  const listedAt = at + rng.pick([4_000, 6_000, 25_000, 60_000]);
  const backAt = listedAt + rng.int(6_500, 9_000);
  const press = (newest: boolean): Action => {
    const by = rng.chance(0.6) ? { user } : {};
    return { ...pressNewest('put_back', rng.pick([1, 2, 3])), ...by, newest };
  };
  const killAt = backAt + rng.int(-100, 3_000);
  const unanswered: Action = { kind: 'creates-unanswered', ms: rng.int(5_000, 20_000) };
  return [
    { at, action: { ...share, channel, user: sharer } },
    { at: listedAt, action: { kind: 'list', channel, user } },
    {
      at: listedAt + 2_000,
      action: { ...pressNewest('file_menu', 1), choice: DELETE_CHOICE, user },
    },
    { at: listedAt + 4_000, action: { ...pressNewest('delete_file', rng.pick([1, 1, 2])), user } },
    { at: backAt, action: press(true) },
    ...(rng.chance(0.4) ? [{ at: killAt, action: drawCrash(rng, context, 20) }] : []),
    ...(rng.chance(0.4) ? [{ at: backAt - 1, action: unanswered }] : []),
    ...(rng.chance(0.6) ? [{ at: backAt + rng.int(500, 20_000), action: press(false) }] : []),
  ];
}

// An admin deletes a filed file, and then saves its message to that folder by hand: the form asks
// whether to file it again.
function savedAgain(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(5_000, 7_000);
  const share = { ...drawShare(rng, context, rng.int(1, 2)), user: ADMIN };
  const { channel } = share;
  const listedAt = at + rng.pick([5_000, 9_000, 20_000]);
  const save = (of: 'deleted' | 'last'): Action => ({ kind: 'save', user: ADMIN, of });
  const ofAdmin = { user: ADMIN };
  const chosen = { ...pressNewest('file_menu', 1), choice: DELETE_CHOICE, ...ofAdmin };
  const saved = listedAt + rng.int(6_000, 9_000);
  return [
    { at, action: share },
    { at: listedAt, action: { kind: 'list', channel, ...ofAdmin } },
    { at: listedAt + 2_000, action: chosen },
    { at: listedAt + 4_000, action: { ...pressNewest('delete_file', 1), ...ofAdmin } },
    { at: saved, action: save('deleted') },
    ...(rng.chance(0.4) ? [{ at: saved + 5_000, action: drawCrash(rng, context, 20) }] : []),
    { at: saved + rng.int(8_000, 20_000), action: save('last') },
  ];
}

// An admin links a channel and changes its settings, twice; somebody who may not tries to. Files are
// shared before and after that.
function changesSettings(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(3_000, 6_000);
  const channel = anyChannel(rng, context);
  const admin = { channel, user: ADMIN };
  // Threads are read only once a day if nothing tells of a share in them.
  const share = (): Action => {
    return { ...drawShare(rng, context, rng.int(1, 2)), channel, inThread: false };
  };
  const other = { channel, user: rng.pick(MEMBERS) };
  const changed = at + rng.int(2_000, 5_000);
  const kill = drawCrash(rng, context, 40);
  return [
    { at, action: { kind: 'link', ...admin, folder: rng.int(1, 2) } },
    { at: changed, action: { kind: 'settings', ...admin } },
    { at: changed + rng.int(1, 9_000), action: share() },
    ...(rng.chance(0.3) ? [{ at: changed + rng.int(1_000, 8_000), action: kill }] : []),
    { at: changed + 5_000, action: { kind: 'announce', ...other, on: true } },
    { at: changed + 6_000, action: { kind: 'settings', ...other } },
    { at: changed + rng.int(9_000, 30_000), action: { kind: 'settings', ...admin } },
    { at: changed + rng.int(20_000, 40_000), action: share() },
  ];
}

// Somebody opens their App Home, and searches there or opens a channel's settings.
function pressesAtHome(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(5_000, 9_000);
  const user = rng.pick([ADMIN, ADMIN, ...MEMBERS]);
  const channel = anyChannel(rng, context);
  const openedAt = at + rng.int(2_000, 20_000);
  const press = (actionId: string): Action => ({ ...pressNewest(actionId, 1), user });
  return [
    { at: at - 3_000, action: { kind: 'link', channel, user: ADMIN, folder: anyFolder(rng) } },
    { at, action: { ...drawShare(rng, context, rng.int(1, 3)), channel } },
    { at: openedAt, action: { kind: 'home', user } },
    { at: openedAt + 1_500, action: press(rng.pick(['open_find', 'link_channel', 'home_'])) },
    { at: openedAt + 9_000, action: press(rng.pick(['found', 'open_find', 'attention'])) },
  ];
}

// Somebody opens their App Home and chooses a channel there, whose settings then open, and again.
function linksAtHome(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(3_000, 9_000);
  const user = rng.pick([ADMIN, ADMIN, ADMIN, MEMBERS[0]]);
  const press = { ...pressNewest('home_channel', rng.pick([1, 1, 2])), user };
  const again = at + rng.int(9_000, 20_000);
  return [
    { at, action: { kind: 'home', user } },
    { at: at + rng.int(1_500, 4_000), action: { ...press, newest: rng.chance(0.5) } },
    { at: at + rng.int(3_000, 15_000), action: drawShare(rng, context) },
    ...(rng.chance(0.3) ? [{ at: at + 5_000, action: drawCrash(rng, context, 30) }] : []),
    ...(rng.chance(0.5) ? [{ at: again, action: press }] : []),
  ];
}

// An admin links a channel to one folder after another, sometimes at the same moment, and may unlink
// it.
function linksAnew(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(3_000, 9_000);
  const admin = { channel: anyChannel(rng, context), user: ADMIN };
  const anew = () => rng.pick([rng.int(1, 80), rng.int(500, 4_000), 20_000]);
  const [second, third] = [at + anew(), at + rng.int(21_000, 30_000)];
  return [
    { at, action: { kind: 'link', ...admin, folder: 1 } },
    { at: second, action: { kind: 'link', ...admin, folder: 2 } },
    ...(rng.chance(0.5) ? [{ at: second + anew(), action: pressNewest('unlink', 1) }] : []),
    ...(rng.chance(0.5)
      ? [
          { at: third, action: { kind: 'unlink', ...admin } as const },
          { at: third + rng.int(1_500, 4_000), action: pressNewest('unlink', 2) },
        ]
      : []),
  ];
}

// Somebody posts the addresses of files, mostly of what was just filed, in any channel.
function postsAddresses(rng: Rng, context: ExtraContext): TimedAction[] {
  const at = rng.int(5_000, 8_000);
  const channel = anyChannel(rng, context);
  const link: Action = { kind: 'link', channel, user: ADMIN, folder: anyFolder(rng) };
  const pasted = Array.from({ length: rng.int(2, 4) }, (): TimedAction => {
    const pastedAt = at + rng.pick([rng.int(2_000, 9_000), rng.int(20_000, 60_000)]);
    const by = { channel: anyChannel(rng, context), user: rng.pick([ADMIN, ...MEMBERS]) };
    return { at: pastedAt, action: { kind: 'paste', ...by } };
  });
  return [
    ...(rng.chance(0.4) ? [{ at: at - 3_000, action: link }] : []),
    { at, action: { ...drawShare(rng, context, rng.int(1, 3)), channel } },
    { at: at + 1_000, action: drawShare(rng, context, 1) },
    ...pasted,
  ];
}

// People search by the shortcut after something was shared in one of the channels, among them the
// person who is not in it.
function searchesAnywhere(rng: Rng, context: ExtraContext): TimedAction[] {
  const { nonMember, channels } = context;
  const at = rng.int(5_000, 8_000);
  const { user = rng.pick(MEMBERS), channel = channels - 1 } = nonMember ?? {};
  const sharer = user === ADMIN ? MEMBERS[0] : ADMIN;
  const share = { ...drawShare(rng, context, rng.int(1, 3)), channel, user: sharer };
  const link: Action = { kind: 'link', channel, user: ADMIN, folder: anyFolder(rng) };
  return [
    ...(rng.chance(0.6) ? [{ at: at - 3_000, action: link }] : []),
    { at, action: share },
    ...[user, user, sharer].map((one): TimedAction => {
      return { at: at + rng.int(3_000, 30_000), action: { kind: 'find-files', user: one } };
    }),
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

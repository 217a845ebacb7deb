import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { destinationFinder } from '../../src/core/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import type { HistoryPage, Workspace } from '../../src/slack/index.ts';
import { folderLink, recording, share, sharedFile } from '../support/builders.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { runCatchUp } from './run-catch-up.ts';

const NOW = 1_700_000_000_000;
const ts = (secondsAgo: number) => (NOW / 1000 - secondsAgo).toFixed(6);
const at = (secondsAgo: number, id: string) =>
  share({ ts: ts(secondsAgo), files: [sharedFile({ id })] });
const joined = (secondsAgo: number) => ({ kind: 'join' as const, ts: ts(secondsAgo) });
const left = (secondsAgo: number) => ({ kind: 'leave' as const, ts: ts(secondsAgo) });

let ledger: Ledger;
beforeEach(async () => {
  ledger = await openEmptyLedger(NOW);
  await ledger.beginRun(NOW);
});
afterEach(() => ledger.close());

type History = Workspace['history'];

/** Catches these channels up; returns how many files were recorded. */
function run(channels: string[], history: History, clock = createFakeClock(NOW)): Promise<number> {
  const workspace = { listsAll: true, channels: async () => channels, history };
  return runCatchUp({ ledger, workspace, clock, eventsSince: () => NOW });
}

/** The same, with these pages as the history of the last channel. */
function caughtUp(
  pages: Omit<HistoryPage, 'skippedThreads'>[],
  channels = ['C1'],
): Promise<number> {
  const history: History = async function* (channel) {
    if (channel !== channels.at(-1)) return;
    for (const page of pages) yield { ...page, skippedThreads: [] };
  };
  return run(channels, history);
}

/** Records that all channels were listed then: what came since may have been missed. */
const listedBefore = (secondsAgo: number) =>
  ledger.requestCatchUp({
    ...{ team: 'T1', channels: [], all: true, isInterrupted: false },
    begunTs: ts(secondsAgo),
    now: NOW,
  });

describe('catch-up of a channel that is new to the ledger', () => {
  const shares = [at(10, 'F-after'), at(500, 'F-before')];

  it('reads nothing in the very first run, as earlier files are offered instead', async () => {
    expect(await caughtUp([{ shares, moves: [joined(100)] }])).toBe(0);
  });

  it('reads from the bot’s join when it joined while the process was away', async () => {
    await listedBefore(1_000);
    expect(await caughtUp([{ shares, moves: [joined(100)] }])).toBe(1);
    const unknown = await ledger.unknownFiles({ team: 'T1', channel: 'C1' }, shares);
    expect(unknown).toEqual([at(500, 'F-before')]);
  });

  it('reads from the bot’s join also after another channel in the same run', async () => {
    await listedBefore(1_000);
    expect(await caughtUp([{ shares, moves: [joined(100)] }], ['C-other', 'C1'])).toBe(1);
  });

  it('reads everything since the last run when the history shows no join of the bot', async () => {
    await listedBefore(1_000);
    expect(await caughtUp([{ shares, moves: [] }])).toBe(2);
  });

  it('reads also the minutes before the last listing, as its clock may have been ahead', async () => {
    await listedBefore(1_000);
    const earlier = [at(1_300, 'F-just-before'), at(1_400, 'F-before')];
    expect(await caughtUp([{ shares: earlier, moves: [] }])).toBe(1);
  });
});

describe('catch-up of a known channel', () => {
  beforeEach(() => ledger.confirmUpTo({ team: 'T1', channel: 'C1' }, ts(300)));

  it('reads from the last confirmed message, and records each file once', async () => {
    const pages = [{ shares: [at(10, 'F2'), at(200, 'F1')], moves: [] }];
    expect(await caughtUp(pages)).toBe(2);
    expect(await caughtUp(pages)).toBe(0);
  });

  it('records the other files of a message of which an edit’s event brought only some', async () => {
    const files = ['F1', 'F2', 'F3'].map((id) => sharedFile({ id }));
    const message = share({ ts: ts(200), files });
    const added = recording({ ts: ts(200), files: files.slice(1, 2) }, { now: NOW });
    const { shareId } = await ledger.recordShare(added);
    const pages = [{ shares: [message], moves: [] }];
    expect(await caughtUp(pages)).toBe(2);
    const known = await ledger.transfersOfShare(shareId);
    expect(known.map(({ file }) => file.id)).toEqual(['F2', 'F1', 'F3']);
    expect(await caughtUp(pages)).toBe(0);
  });

  it('records a file that an edit added, also if somebody saved it to another folder', async () => {
    const files = ['F1', 'F2'].map((id) => sharedFile({ id }));
    const message = share({ ts: ts(200), files });
    await ledger.recordShare(recording({ ts: ts(200), files: files.slice(0, 1) }, { now: NOW }));
    const saved = { origin: 'saved', savedBy: 'U9' } as const;
    const elsewhere = { destination: { projectId: 1, folderId: 3 }, now: NOW };
    await ledger.recordShare(recording({ ts: ts(200), files }, { ...saved, ...elsewhere }));
    const pages = [{ shares: [message], moves: [] }];
    expect(await caughtUp(pages)).toBe(1);
    expect(await caughtUp(pages)).toBe(0);
  });

  it('puts all missed files into one report', async () => {
    await caughtUp([{ shares: [at(10, 'F2'), at(200, 'F1')], moves: [] }]);
    expect((await ledger.filesOfReport(1)).states).toEqual({ recorded: 2 });
    expect(await ledger.findReport(2)).toBeUndefined();
  });
});

describe('catch-up of a channel that the bot left and rejoined while the process was away', () => {
  const shares = [at(20, 'F-after'), at(100, 'F-between'), at(280, 'F-before')];
  const recorded = async () => {
    const unknown = await ledger.unknownFiles({ team: 'T1', channel: 'C1' }, shares);
    const missing = new Set(unknown.map((one) => one.ts));
    return new Set(shares.map((one) => one.ts).filter((one) => !missing.has(one)));
  };
  beforeEach(() => ledger.confirmUpTo({ team: 'T1', channel: 'C1' }, ts(300)));

  it('skips what was shared between the leave and the rejoin', async () => {
    await caughtUp([
      { shares: shares.slice(0, 1), moves: [joined(50)] },
      { shares: shares.slice(1), moves: [left(200)] },
    ]);
    expect(await recorded()).toEqual(new Set([ts(20), ts(280)]));
  });

  it('skips what was shared in an earlier absence, too', async () => {
    await caughtUp([
      { shares: shares.slice(0, 1), moves: [joined(50), left(60), joined(90)] },
      { shares: shares.slice(1), moves: [left(200)] },
    ]);
    expect(await recorded()).toEqual(new Set([ts(20), ts(280)]));
  });

  it('reads everything when the history does not show the leave', async () => {
    await caughtUp([{ shares, moves: [joined(50)] }]);
    expect(await recorded()).toEqual(new Set([ts(20), ts(100), ts(280)]));
  });

  it('skips what was shared in between when an event already announced the rejoin', async () => {
    await ledger.recordJoin({ team: 'T1', channel: 'C1' }, ts(50));
    await caughtUp([{ shares, moves: [joined(50), left(200)] }]);
    expect(await recorded()).toEqual(new Set([ts(20), ts(280)]));
  });

  it('reads only from the join event when the history shows neither join nor leave', async () => {
    await ledger.recordJoin({ team: 'T1', channel: 'C1' }, ts(50));
    await caughtUp([{ shares, moves: [] }]);
    expect(await recorded()).toEqual(new Set([ts(20)]));
  });

  it('reads only from the join event when the history stamps the join later', async () => {
    await ledger.recordJoin({ team: 'T1', channel: 'C1' }, ts(50));
    await caughtUp([{ shares, moves: [joined(49.9999)] }]);
    expect(await recorded()).toEqual(new Set([ts(20)]));
  });

  it('reads everything after a leave and rejoin that happened before all shares', async () => {
    await caughtUp([{ shares, moves: [joined(290), left(295)] }]);
    expect(await recorded()).toEqual(new Set([ts(20), ts(100), ts(280)]));
  });
});

describe('catch-up of a channel that is relinked while its history is read', () => {
  const folder = { projectId: 1, projectTitle: null, folderName: null, isDefault: true };
  let linkedTo: number | null;
  /** Reads an earlier share, then changes the link; returns the folders of its files. */
  const filedIn = async (then: number | null): Promise<(number | undefined)[]> => {
    linkedTo = 2;
    await ledger.confirmUpTo({ team: 'T1', channel: 'C1' }, ts(300));
    await runCatchUp({
      ...{ ledger, clock: createFakeClock(NOW), eventsSince: () => NOW },
      findDestination: async () => (linkedTo === null ? null : { ...folder, folderId: linkedTo }),
      workspace: {
        listsAll: true,
        channels: async () => ['C1'],
        history: async function* () {
          yield { shares: [at(100, 'F1')], skippedThreads: [], moves: [] };
          linkedTo = then;
        },
      },
    });
    const [one] = await ledger.sharesOf({ team: 'T1', channel: 'C1', ts: ts(100) });
    const files = one ? await ledger.transfersOfShare(one.id) : [];
    return files.map(({ destination }) => destination?.folderId);
  };

  it('files the missed files in the new folder', async () => {
    expect(await filedIn(3)).toEqual([3]);
  });

  it('records nothing when the channel no longer has a folder', async () => {
    expect(await filedIn(null)).toEqual([]);
  });
});

describe('catch-up of a channel whose history takes long to read', () => {
  const MINUTE_MS = 60_000;
  const CALLS = 12;
  beforeEach(() => ledger.confirmUpTo({ team: 'T1', channel: 'C1' }, ts(300)));

  /** One page with many threads: each call takes a minute. */
  const longHistory = (clock: FakeClock, meanwhile: () => Promise<void>): History =>
    async function* (_channel, { signal, threadsSince }) {
      if (threadsSince !== undefined) return;
      for (let call = 0; call < CALLS; call += 1) {
        await clock.sleep(MINUTE_MS, signal);
        await meanwhile();
      }
      yield { shares: [at(200, 'F1')], skippedThreads: [], moves: [] };
    };
  const theirs = (clock: FakeClock) => {
    const lease = { now: clock.now(), until: clock.now() + 100 * MINUTE_MS, token: 'theirs' };
    return ledger.claimRow('catch-up', lease);
  };

  it('holds its claim all the time, even while no page arrives', async () => {
    const clock = createFakeClock(NOW);
    const got: unknown[] = [];
    const history = longHistory(clock, async () => {
      await ledger.sweepLeases(['catch-up', 'backfill'], { now: clock.now() });
      got.push(await theirs(clock));
    });
    expect(await run(['C1'], history, clock)).toBe(1);
    expect(got).toHaveLength(CALLS);
    expect(got.filter((one) => one !== undefined)).toEqual([]);
  });

  it('stops at once when another instance has claimed the channel', async () => {
    const clock = createFakeClock(NOW);
    let calls = 0;
    const history = longHistory(clock, async () => {
      calls += 1;
      const later = clock.now() + 100 * MINUTE_MS;
      await ledger.sweepLeases(['catch-up', 'backfill'], { now: later });
      const lease = { now: later, until: later + MINUTE_MS, token: 'theirs' };
      expect(await ledger.claimRow('catch-up', lease)).toBeDefined();
    });
    expect(await run(['C1'], history, clock)).toBe(0);
    expect(calls).toBe(1);
  });
});

describe('catch-up of a channel that got another identifier while the process was away', () => {
  const before = { team: 'T1', channel: 'G1' };
  const after = { team: 'T1', channel: 'C1' };
  const shares = [at(10, 'F-new'), at(400, 'F-known')];
  const DEFAULT = { projectId: 1, folderId: 9 };
  beforeEach(async () => {
    await listedBefore(1_000);
    await ledger.setLink(before, folderLink());
    await ledger.recordShare(recording({ ...shares[1], channel: 'G1' }, { now: NOW }));
  });
  const catchUp = (
    isIn: boolean,
    fallback: typeof DEFAULT | null = DEFAULT,
    meanwhile: () => Promise<unknown> = async () => undefined,
  ) =>
    runCatchUp({
      ...{ ledger, clock: createFakeClock(NOW), eventsSince: () => NOW },
      findDestination: destinationFinder(ledger.findLink, fallback),
      workspace: {
        listsAll: true,
        channels: async () => ['C1'],
        isIn: async () => isIn,
        history: async function* () {
          await meanwhile();
          yield { shares, moves: [], skippedThreads: [] };
        },
      },
    });

  it('records no file again, and moves its link', async () => {
    expect(await catchUp(false)).toBe(1);
    expect(await ledger.findLink(after)).toMatchObject({ folderId: 2 });
    expect(await ledger.findLink(before)).toBeNull();
  });

  it('does so without a default folder, too', async () => {
    expect(await catchUp(false, null)).toBe(1);
    expect(await ledger.findLink(after)).toMatchObject({ folderId: 2 });
  });

  it('files nothing from before a channel was linked while it was read for that', async () => {
    const link = () => ledger.setLink(after, folderLink());
    expect(await catchUp(true, null, link)).toBe(0);
  });

  it('files what an event brings under the old identifier only afterwards', async () => {
    await ledger.moveChannel(before, { to: 'C1', now: NOW });
    const late = recording({ ...shares[0], channel: 'G1' }, { destination: null, now: NOW });
    const { shareId } = await ledger.recordShare(late);
    await catchUp(false, null);
    expect(await ledger.sharesOf({ ...after, ts: ts(10) })).toMatchObject([{ id: shareId }]);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ state: 'recorded' }]);
  });

  it('takes no channel for it that the bot is still in', async () => {
    expect(await catchUp(true)).toBe(2);
    expect(await ledger.findLink(before)).toMatchObject({ folderId: 2 });
  });
});

describe('a linked channel that Slack no longer lists, as it is archived or the bot has left it', () => {
  it('has the channels without a destination read once, whatever the number of starts', async () => {
    await listedBefore(1_000);
    await ledger.setLink({ team: 'T1', channel: 'G1' }, folderLink());
    const read: string[] = [];
    const start = () =>
      runCatchUp({
        ...{ ledger, clock: createFakeClock(NOW), eventsSince: () => NOW },
        findDestination: destinationFinder(ledger.findLink, null),
        workspace: {
          listsAll: true,
          channels: async () => ['C1', 'C2'],
          isIn: async () => false,
          history: async function* (channel) {
            read.push(channel);
            yield { shares: [at(10, `F-${channel}`)], moves: [], skippedThreads: [] };
          },
        },
      });
    await start();
    await start();
    expect(read).toEqual(['C1', 'C2']);
  });
});

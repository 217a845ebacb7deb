import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Destination, SharedFile, ShareOrigin } from '../../src/core/index.ts';
import { JobLoop } from '../../src/engine/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import type { NameCache } from '../../src/service/index.ts';
import { SlackCallError, type Workspace } from '../../src/slack/index.ts';
import { DESTINATION as destination, recording, sharedFile } from '../support/builders.ts';
import { createNext, endFolder, holdNext, holdRow } from '../support/claim-next.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { contextOf, keepingAll } from './context-of.ts';

const NOW = 1_800_000_000_000;
/** A report is posted this long after its files changed. */
const REPORT_AFTER_MS = 5_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SOON = { interval: 1, timeout: 20_000 };
let clock: FakeClock;
let ledger: Ledger;
let notifier: JobLoop;
/** The calls to Slack, in order. */
let asked: string[];
/** The error of the next post, though Slack has it; null: success. */
let lost: Error | null;
/** Runs before that error. */
let whenLost: () => Promise<void>;
let refusesEdits: boolean;
let isGone: boolean;
/** How long Slack asks to wait before the next reaction, in milliseconds. */
let limitedMs: number | null;
/** The error of an edit, though Slack has it; null: success. */
let lostEdit: Error | null;
/** The edit in flight ends with this. */
let editEnds: Promise<void>;

beforeEach(async () => {
  clock = createFakeClock(NOW);
  asked = [];
  editEnds = Promise.resolve();
  whenLost = async () => {};
  [lost, refusesEdits, isGone, lostEdit, limitedMs] = [null, false, false, null, null];
  ledger = await openEmptyLedger(NOW);
  const workspace: Partial<Workspace> = {
    react: async ({ ts }, { name }) => {
      asked.push(`${ts} ${name}`);
      if (isGone) throw new SlackCallError('SLACK_REFUSED', 'no', { reason: 'message_not_found' });
      const retryAfterMs = limitedMs;
      limitedMs = null;
      if (retryAfterMs) throw new SlackCallError('SLACK_RATE_LIMITED', 'wait', { retryAfterMs });
    },
    unreact: async ({ ts }, name) => {
      asked.push(`${ts} no ${name}`);
      if (isGone) throw new SlackCallError('SLACK_REFUSED', 'no', { reason: 'message_not_found' });
    },
    post: async ({ threadTs }, { body }) => {
      asked.push(`${threadTs ?? 'channel'} ${body.text}`);
      const error = lost;
      if (error) {
        await whenLost();
        throw error;
      }
      return '1800000000.000001';
    },
    find: async (_place, { oldest }) => {
      asked.push(`find ${oldest}`);
      return '1800000000.000001';
    },
    update: async ({ channel }, body) => {
      asked.push(`edit ${channel === 'C1' ? '' : `in ${channel} `}${body.text}`);
      await editEnds;
      if (lostEdit) throw lostEdit;
      if (refusesEdits)
        throw new SlackCallError('SLACK_REFUSED', 'no', { reason: 'cant_update_message' });
    },
    notify: async (user, body) => {
      asked.push(`to ${user} ${body.text}`);
      return { channel: 'D9', ts: '1800000000.000002' };
    },
    addressOf: () => 'https://slack.example/archives/C1/p1',
  };
  const names: Partial<NameCache> = {
    nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
  };
  const context = contextOf({ ledger, workspace, names, clock, random: seededRandom(1) });
  notifier = new JobLoop({ ...context, leaseMs: 60_000, pollMs: 60_000 }, [keepingAll(context)]);
});
afterEach(async () => {
  await notifier.stop(1_000);
  await ledger.close();
});

/** Records a share of one file, and files or refuses it. */
async function settled(
  ts: string,
  given: {
    origin: ShareOrigin;
    reportId: number | null;
    savedBy?: string;
    refused?: boolean;
    files?: SharedFile[];
    destination?: Destination;
  },
) {
  const { refused = false, files = [sharedFile({ name: `${ts}.pdf` })], ...rest } = given;
  await ledger.recordShare(recording({ ts, files }, { now: NOW, ...rest }));
  const problem = { code: 'SLACK_FILE_EXTERNAL' as const, note: `F${ts}` };
  const lease = { now: NOW, token: ts };
  if (refused) {
    const own = await holdNext(ledger, lease);
    await ledger.markRefused(own, { problem, now: NOW });
  } else {
    const claim = await createNext(ledger, lease);
    const recordUrl = `https://files.example/${ts}`;
    await ledger.markFiled({ claim, recordId: claim.id, recordUrl, now: NOW });
    await endFolder(ledger, NOW, given.destination);
  }
}

const added = (id: string) => [sharedFile({ id, name: `${id}.pdf` })];

const reportOf = (kind: 'backfill' | 'catch-up') =>
  ledger.createReport({ team: 'T1', channel: 'C1', kind, startedBy: null, now: NOW });

async function allSaid(): Promise<void> {
  notifier.start();
  await clock.advance(REPORT_AFTER_MS);
  await expect.poll(() => ledger.nextDue('message'), SOON).toBeNull();
}

describe('the notifier', () => {
  it('leaves the messages of a backfill alone, as the report covers them', async () => {
    const reportId = await reportOf('backfill');
    await settled('1', { origin: 'backfill', reportId });
    await settled('2', { origin: 'backfill', reportId, refused: true });
    await allSaid();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(
      /^channel 2 earlier files: 1 filed, 1 couldn’t be filed\.\nFiled: 1\.pdf\n1 of 2/,
    );
  });

  it('posts a line for only the file that an event adds to a backfilled message', async () => {
    const reportId = await reportOf('backfill');
    await settled('1', { origin: 'backfill', reportId });
    await settled('2', { origin: 'backfill', reportId });
    await settled('1', { origin: 'event', reportId: null, files: added('F2') });
    await settled('2', { origin: 'event', reportId: null, files: added('F2'), refused: true });
    await allSaid();
    expect(asked.toSorted()).toEqual([
      expect.stringMatching(/^1 Filed in .*: F2\.pdf$/),
      '1 white_check_mark',
      expect.stringMatching(/^2 Couldn’t be filed: F2\.pdf/),
      '2 warning',
      'channel 2 earlier files: 2 filed.\nFiled: 1.pdf, 2.pdf',
    ]);
  });

  it('adds a file from an event to the line of a message that a catch-up found', async () => {
    const reportId = await reportOf('catch-up');
    await settled('1', { origin: 'catch-up', reportId });
    await allSaid();
    expect(asked.toSorted()).toEqual(['1 white_check_mark', expect.stringMatching(/^channel /)]);
    await clock.advance(MINUTE_MS);
    asked = [];
    await ledger.recordShare(recording({ ts: '1', files: added('F2') }, { now: clock.now() }));
    notifier.wake();
    await clock.advance(1_000);
    await expect.poll(() => asked, SOON).toHaveLength(2);
    expect(asked).toEqual([
      '1 hourglass_flowing_sand',
      expect.stringMatching(/^1 1 of 2 filed in .*: 1\.pdf\nWaiting: F2\.pdf/),
    ]);
  });

  it('ends the report of a message that an event adds a file to, without that file', async () => {
    const report = { team: 'T1', channel: 'C1', kind: 'catch-up', dueAt: NOW } as const;
    const reportId = await ledger.createReport({ ...report, now: NOW });
    const missed = { origin: 'catch-up', reportId, now: NOW } as const;
    await ledger.recordShare(recording({ ts: '1', files: added('F1') }, missed));
    const first = await createNext(ledger, { now: NOW, token: 'a' });
    notifier.start();
    await clock.advance(21_000);
    const onTheWay = 'channel While I was away, 1 file was shared here: 1 still on the way.';
    await expect.poll(() => asked, SOON).toContain(onTheWay);
    await ledger.recordShare(recording({ ts: '1', files: added('F2') }, { now: clock.now() }));
    const second = await createNext(ledger, { now: clock.now(), token: 'b' });
    for (const claim of [first, second])
      await ledger.markFiled({ claim, recordId: claim.id, now: clock.now() });
    notifier.wake();
    asked = [];
    await clock.advance(10_000);
    await expect.poll(() => asked, SOON).toHaveLength(3);
    expect(asked.toSorted()).toEqual([
      expect.stringMatching(/^1 Filed in .*: F1\.pdf, F2\.pdf$/),
      '1 white_check_mark',
      'edit While I was away, 1 file was shared here, and it’s filed: F1.pdf',
    ]);
  });

  it('names no folder when the files of a share are in several', async () => {
    await settled('1', { origin: 'event', reportId: null });
    const elsewhere = { projectId: 1, folderId: 3 };
    const more = { files: added('F2'), destination: elsewhere };
    await settled('1', { origin: 'event', reportId: null, ...more });
    await allSaid();
    expect(asked).toContain('1 Filed: 1.pdf, F2.pdf');
  });

  it('posts lines first for shares that no report covers', async () => {
    const reportId = await reportOf('catch-up');
    await settled('1', { origin: 'catch-up', reportId });
    await settled('2', { origin: 'event', reportId: null });
    await allSaid();
    const order = asked.map((call) => call.split(' ', 1)[0]);
    expect([...new Set(order.filter((place) => place !== 'channel'))]).toEqual(['2', '1']);
    expect(order).toContain('channel');
  });

  it.each([
    ['got no answer', ''],
    ['ended in an internal error', 'internal_error'],
  ])('looks for a report whose post %s, allowing for clock skew', async (_, reason) => {
    const reportId = await reportOf('catch-up');
    await settled('1', { origin: 'catch-up', reportId });
    lost = new SlackCallError('SLACK_UNREACHABLE', 'no answer', { reason });
    notifier.start();
    await clock.advance(21_000);
    await expect.poll(() => asked, SOON).toContainEqual(expect.stringMatching(/^channel /));
    lost = null;
    await clock.advance(10_000);
    const from = `find ${(NOW - 5 * 60_000) / 1_000}.000000`;
    await expect.poll(() => asked, SOON).toContain(from);
    expect(asked.filter((call) => call.startsWith('channel'))).toHaveLength(1);
  });

  it('edits the report of a long catch-up, so that the channel gets one message', async () => {
    const reportId = await reportOf('catch-up');
    await settled('1', { origin: 'catch-up', reportId });
    const files = [sharedFile({ name: '2.pdf' })];
    const missed = { origin: 'catch-up', reportId, now: NOW } as const;
    await ledger.recordShare(recording({ ts: '2', files }, missed));
    notifier.start();
    await clock.advance(19_000);
    expect(asked.filter((call) => call.startsWith('channel'))).toEqual([]);
    await clock.advance(2_000);
    await expect
      .poll(() => asked, SOON)
      .toContainEqual(expect.stringMatching(/^channel .*1 filed/));
    expect(asked.filter((call) => call.includes('Filed:'))).toEqual([]);
    const claim = await createNext(ledger, { now: clock.now(), token: 't' });
    await ledger.markFiled({ claim, recordId: 9, now: clock.now() });
    await clock.advance(10_000);
    await expect
      .poll(() => asked, SOON)
      .toContainEqual(expect.stringMatching(/^edit .*2 filed\.\nFiled: 1.pdf, 2.pdf$/));
    expect(asked.filter((call) => call.startsWith('channel'))).toHaveLength(1);
  });

  it('posts a line with the reason for a file of a report that fails for long', async () => {
    const reportId = await reportOf('catch-up');
    const missed = { origin: 'catch-up', reportId, now: NOW } as const;
    await ledger.recordShare(recording({ ts: '2' }, missed));
    const claim = await holdNext(ledger, { now: NOW, token: 't' });
    const problem = { code: 'RECORD_UNCLEAR' as const, note: null };
    const later = { dueAt: NOW * 2, failingSince: NOW, now: NOW };
    await ledger.postpone(claim, { problem, ...later });
    const lines = () => asked.filter((call) => call.startsWith('2 Waiting'));
    notifier.start();
    await clock.advance(9 * MINUTE_MS);
    expect(lines()).toEqual([]);
    await clock.advance(MINUTE_MS);
    await expect.poll(lines, SOON).toEqual([expect.stringContaining('I can’t tell whether')]);
  });

  it('keeps such a line true although its post got no answer and its file was filed meanwhile', async () => {
    const reportId = await reportOf('catch-up');
    const missed = { origin: 'catch-up', reportId, now: NOW } as const;
    await ledger.recordShare(recording({ ts: '2' }, missed));
    const claim = await createNext(ledger, { now: NOW, token: 't' });
    const problem = { code: 'RECORD_UNCLEAR' as const, note: null };
    const later = { dueAt: NOW + HOUR_MS, failingSince: NOW, now: NOW };
    await ledger.postpone(claim, { problem, ...later });
    notifier.start();
    await clock.advance(9 * MINUTE_MS);
    lost = new SlackCallError('SLACK_UNREACHABLE', 'no answer', { reason: '' });
    whenLost = async () => {
      lost = null;
      const lease = { now: NOW + HOUR_MS, until: NOW + 2 * HOUR_MS, token: 'u' };
      await endFolder(ledger, NOW + HOUR_MS);
      const found = await holdNext(ledger, lease);
      await ledger.markFiled({ claim: found, recordId: 9, now: clock.now() });
    };
    await clock.advance(2 * MINUTE_MS);
    await expect.poll(() => asked, SOON).toContainEqual(expect.stringMatching(/^edit Filed in/));
    expect(asked.filter((call) => call.startsWith('2 Sent'))).toHaveLength(1);
  });

  it('repeats an edit without an answer, even when the earlier text is right again', async () => {
    await settled('1', { origin: 'event', reportId: null, refused: true });
    await allSaid();
    const [share] = await ledger.sharesOf({ team: 'T1', channel: 'C1', ts: '1' });
    lostEdit = new SlackCallError('SLACK_UNREACHABLE', 'no answer');
    await ledger.retryShare(share?.id ?? 0, { now: NOW });
    notifier.wake();
    await expect.poll(() => asked.at(-1), SOON).toMatch(/^edit Waiting/);
    const own = await holdNext(ledger, { now: NOW, token: 'r' });
    const problem = { code: 'SLACK_FILE_EXTERNAL' as const, note: 'F1' };
    await ledger.markRefused(own, { problem, now: NOW });
    lostEdit = null;
    await clock.advance(MINUTE_MS);
    await expect.poll(() => asked.at(-1), SOON).toMatch(/^edit Couldn’t be filed/);
  });

  it('does not know the text of a line whose edit got no answer before a stop', async () => {
    await settled('1', { origin: 'event', reportId: null, refused: true });
    await allSaid();
    const [share] = await ledger.sharesOf({ team: 'T1', channel: 'C1', ts: '1' });
    const edit = Promise.withResolvers<void>();
    editEnds = edit.promise;
    await ledger.retryShare(share?.id ?? 0, { now: NOW });
    notifier.wake();
    await expect.poll(() => asked.at(-1), SOON).toMatch(/^edit Waiting/);
    const stopped = notifier.stop(0);
    edit.reject(new SlackCallError('SLACK_UNREACHABLE', 'no answer'));
    await stopped;
    const next = await ledger.claimMessage({
      now: clock.now(),
      until: NOW + HOUR_MS,
      token: 'next',
    });
    expect(next).toMatchObject({ fingerprint: null, ts: '1800000000.000001' });
  });

  it('posts lines while Slack limits reactions, and adds the reactions later', async () => {
    limitedMs = 20_000;
    await settled('1', { origin: 'event', reportId: null });
    await settled('2', { origin: 'event', reportId: null });
    notifier.start();
    const line = (ts: string) => expect.stringMatching(new RegExp(`^${ts} Filed`));
    const lines = ['1 white_check_mark', line('1'), line('2')];
    await expect.poll(() => asked, SOON).toEqual(lines);
    await clock.advance(20_000);
    const reactions = ['1 white_check_mark', '2 white_check_mark'];
    await expect.poll(() => asked, SOON).toEqual([...lines, ...reactions]);
  });

  it('adds a limited reaction later, even when the line is refused permanently', async () => {
    limitedMs = 20_000;
    lost = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'restricted_action' });
    await settled('1', { origin: 'event', reportId: null });
    notifier.start();
    await expect.poll(() => ledger.nextDue('message'), SOON).toBe(NOW + 20_000);
    await clock.advance(20_000);
    await expect.poll(() => ledger.nextDue('message'), SOON).toBeNull();
    expect(asked.filter((call) => call === '1 white_check_mark')).toHaveLength(2);
  });

  it('does not retry a failing line earlier because of its reaction', async () => {
    limitedMs = 1_000;
    lost = new SlackCallError('SLACK_UNREACHABLE', 'no answer');
    await settled('1', { origin: 'event', reportId: null });
    notifier.start();
    await expect.poll(() => ledger.nextDue('message'), SOON).toBeGreaterThan(NOW + 1_000);
  });

  it('posts nothing for a deleted message', async () => {
    isGone = true;
    await settled('1', { origin: 'event', reportId: null });
    await allSaid();
    expect(asked).toEqual(['1 white_check_mark']);
  });

  it('keeps the line of a deleted message up to date, even when its post got no answer', async () => {
    await settled('1', { origin: 'event', reportId: null });
    lost = new SlackCallError('SLACK_UNREACHABLE', 'no answer');
    notifier.start();
    await expect.poll(() => asked.at(-1), SOON).toMatch(/^1 Filed/);
    [lost, isGone] = [null, true];
    await settled('1', { origin: 'event', reportId: null, files: added('F2'), refused: true });
    await clock.advance(MINUTE_MS);
    await expect.poll(() => asked.at(-1), SOON).toMatch(/^edit 1 of 2 filed .*F2\.pdf/s);
  });

  it('never promises a retry in the past, however late it is', async () => {
    await ledger.recordShare(recording({ ts: '3' }, { now: NOW }));
    const claim = await holdNext(ledger, { now: NOW, token: 't' });
    const problem = { code: 'SERVICE_FAILED' as const, note: null };
    await ledger.postpone(claim, { problem, dueAt: NOW + MINUTE_MS, failingSince: NOW, now: NOW });
    notifier.start();
    await expect
      .poll(() => asked, SOON)
      .toContainEqual(expect.stringMatching(/^3 .*Trying again at/));
    await clock.advance(MINUTE_MS + 4_000);
    expect(asked.filter((call) => call.startsWith('edit'))).toEqual([]);
    await clock.advance(2_000);
    await expect
      .poll(() => asked.at(-1), SOON)
      .toBe('edit Waiting: report.pdf. The file service is down. Trying again now.');
  });

  it('says that it is checking while a create has no answer', async () => {
    await ledger.recordShare(recording({ ts: '3' }, { now: NOW }));
    await createNext(ledger, { now: NOW, token: 't' });
    notifier.start();
    await clock.advance(7_000);
    await expect
      .poll(() => asked, SOON)
      .toContainEqual(expect.stringMatching(/^3 Sent: .*\. Checking whether it arrived\.$/));
  });

  it('counts the files ahead once per share, however many of its files wait', async () => {
    const many = (ts: string, count: number) => {
      const files = Array.from({ length: count }, (_, n) => sharedFile({ id: `F${n}` }));
      return ledger.recordShare(recording({ ts, files }, { now: NOW }));
    };
    await many('1', 3);
    await many('2', 500);
    const counted = vi.spyOn(ledger, 'countAhead');
    notifier.start();
    const later = async () => {
      await clock.advance(1_000);
      return asked;
    };
    await expect
      .poll(later, SOON)
      .toContainEqual(expect.stringMatching(/^2 Waiting: 500 files \(4th in/));
    expect(counted.mock.calls.length).toBeLessThan(20);
  });

  describe('of files that were deleted in Slack before they were filed', () => {
    const share = (ts: string, given: Partial<Parameters<typeof recording>[1]> = {}) => {
      const files = [sharedFile({ id: `F${ts}`, name: `${ts}.pdf` })];
      return ledger.recordShare(recording({ ts, files }, { now: NOW, ...given }));
    };
    const withdraw = (ts: string) =>
      ledger.refuseDeleted([{ team: 'T1', what: `F${ts}` }], clock.now());

    it('removes the reaction, and says so in the thread', async () => {
      await share('1');
      notifier.start();
      await clock.advance(1_000);
      await expect.poll(() => asked, SOON).toEqual(['1 hourglass_flowing_sand']);
      await withdraw('1');
      notifier.wake();
      await clock.advance(1_000);
      await expect
        .poll(() => asked.slice(1), SOON)
        .toEqual(['1 no hourglass_flowing_sand', '1 Deleted in Slack before it was filed: 1.pdf']);
    });

    it('says nothing where the message is gone too', async () => {
      isGone = true;
      await share('1');
      await withdraw('1');
      await allSaid();
      expect(asked).toEqual(['1 no hourglass_flowing_sand']);
    });

    it('says so to who saved them by hand', async () => {
      await share('1', { origin: 'saved', savedBy: 'U0000SAVER' });
      await withdraw('1');
      await allSaid();
      expect(asked).toEqual([
        '1 Deleted in Slack before it was filed: 1.pdf\nSaved by <@U0000SAVER>.',
      ]);
    });

    it('posts no line about those of a catch-up, which its report counts', async () => {
      const reportId = await reportOf('catch-up');
      await share('1', { origin: 'catch-up', reportId });
      await withdraw('1');
      await allSaid();
      await clock.advance(HOUR_MS);
      await expect.poll(() => ledger.nextDue('message'), SOON).toBeNull();
      expect(asked.toSorted()).toEqual([
        '1 no hourglass_flowing_sand',
        'channel While I was away, 1 file was shared here: 1 deleted in Slack.',
      ]);
    });
  });

  it('posts a line of its own for a file saved by hand, and changes no reaction', async () => {
    await settled('1', { origin: 'saved', reportId: null, savedBy: 'U0000SAVER' });
    await allSaid();
    expect(asked).toEqual([expect.stringMatching(/^1 Filed.*\nSaved by <@U0000SAVER>\.$/)]);
  });

  it('shows a file as filed only once it is, also if somebody saved it before its message was known', async () => {
    await settled('1', { origin: 'saved', reportId: null, savedBy: 'U0000SAVER', refused: true });
    await ledger.recordShare(
      recording({ ts: '1', files: [sharedFile({ name: '1.pdf' })] }, { now: NOW }),
    );
    await allSaid();
    expect(asked.toSorted()).toEqual([
      expect.stringMatching(/^1 Couldn’t be filed: 1.pdf [^\n]*$/),
      expect.stringMatching(/^1 Couldn’t be filed: 1.pdf [^\n]*\nSaved by <@U0000SAVER>.$/),
      '1 warning',
    ]);
  });

  it.each(['not_in_channel', 'restricted_action_read_only_channel'])(
    'sends the line to the member who saved when the channel refuses it with %s, and keeps it up to date',
    async (reason) => {
      lost = new SlackCallError('SLACK_REFUSED', 'no', { reason });
      await settled('1', { origin: 'saved', reportId: null, savedBy: 'U0000SAVER' });
      await allSaid();
      expect(asked.at(-1)).toMatch(/^to U0000SAVER Filed.*\nSaved from this message by/);
      const [share] = await ledger.sharesOf({ team: 'T1', channel: 'C1', ts: '1' });
      const [transfer] = await ledger.transfersOfShare(share?.id ?? 0);
      await ledger.markDeleted(transfer?.id ?? 0, { deletedBy: null, now: NOW });
      notifier.wake();
      await expect
        .poll(() => asked.at(-1), SOON)
        .toMatch(/^edit in D9 Gone from the folder.*\nSaved from this message/);
      expect(asked.filter((call) => call.startsWith('to '))).toHaveLength(1);
    },
  );

  it('sends no direct message for a file that nobody saved, nor for a transient failure', async () => {
    lost = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'not_in_channel' });
    await settled('1', { origin: 'event', reportId: null });
    await allSaid();
    lost = new SlackCallError('SLACK_UNREACHABLE', 'no answer');
    await settled('2', { origin: 'saved', reportId: null, savedBy: 'U0000SAVER' });
    notifier.wake();
    await expect.poll(() => asked.some((call) => call.startsWith('2 Filed')), SOON).toBe(true);
    expect(asked.filter((call) => call.startsWith('to '))).toEqual([]);
  });

  it('sends no direct message when the line of a saved file cannot be edited any more', async () => {
    await settled('1', { origin: 'saved', reportId: null, savedBy: 'U0000SAVER' });
    await allSaid();
    const [share] = await ledger.sharesOf({ team: 'T1', channel: 'C1', ts: '1' });
    const [transfer] = await ledger.transfersOfShare(share?.id ?? 0);
    refusesEdits = true;
    await ledger.markDeleted(transfer?.id ?? 0, { deletedBy: null, now: NOW });
    notifier.wake();
    await expect.poll(() => ledger.nextDue('message'), SOON).toBeNull();
    expect(asked.at(-1)).toMatch(/^edit /);
  });

  describe('announcing added files', () => {
    const ref = { team: 'T1', channel: 'C1' };
    const link = (folderId: number) => {
      const folder = { projectId: 1, folderId, projectTitle: null, folderName: 'Logos' };
      return ledger.setLink(ref, { ...folder, linkedBy: 'U1', linkedAt: NOW });
    };

    /** Turns announcements on, and records a file that others added. */
    async function added(): Promise<void> {
      await link(2);
      await ledger.setWatched(ref, { on: true, now: NOW });
      const lease = { now: NOW, until: NOW + MINUTE_MS, token: 'w' };
      const watch = await holdRow(ledger, 'watch', lease);
      const files = [{ name: 'a.pdf', url: null }];
      const seen = 1;
      const of = { count: 1, files, by: null, folder: { projectId: 1, folderId: 2 } };
      const looked = { seen, added: of, now: NOW };
      expect(await ledger.recordLook(watch, looked)).toBe(true);
    }

    it('posts the names of the files in the channel', async () => {
      await added();
      await allSaid();
      expect(asked).toEqual([
        expect.stringMatching(/^channel 1 file was added to Logos .*a\.pdf$/),
      ]);
    });

    it.each([
      ['announcements are turned off', () => ledger.setWatched(ref, { on: false, now: NOW })],
      ['the channel has another folder', () => link(3)],
      ['the channel has none', () => ledger.removeLink(ref)],
    ])('posts nothing once %s', async (_when, change) => {
      await added();
      await change();
      await allSaid();
      expect(asked).toEqual([]);
    });
  });

  it('reports that a requested backfill found nothing', async () => {
    await ledger.beginBackfill({ team: 'T1', channel: 'C1' }, { startedBy: 'U1', now: NOW });
    const lease = { now: NOW, until: NOW + 1, token: 'r' };
    const claim = await holdRow(ledger, 'backfill', lease);
    await ledger.fileBackfill(claim, { destination, now: NOW });
    await allSaid();
    expect(asked).toEqual(['channel There were no earlier files to file.']);
  });
});

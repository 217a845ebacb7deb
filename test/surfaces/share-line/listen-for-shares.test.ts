import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { destinationFinder, type Role } from '../../../src/core/index.ts';
import { type Ledger, LedgerError, type LedgerErrorCode } from '../../../src/ledger/index.ts';
import { SlackCallError } from '../../../src/slack/index.ts';
import { listenForPeople } from '../../../src/surfaces/index.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { FILE_PARKED } from '../../../src/surfaces/link/actions.ts';
import { leaveUnrecorded } from '../../../src/surfaces/notices/leave-unrecorded.ts';
import { aroundLedger } from '../../support/around-ledger.ts';
import { folderLink } from '../../support/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';
import { buttonsOf } from '../../support/shown-view.ts';
import { standInBolt } from '../../support/stand-in-bolt.ts';

const clock = createFakeClock();
const channel = { team: 'T1', channel: 'C1' };
const link = folderLink({ linkedBy: 'U2' });
const event = {
  type: 'message',
  channel: 'C1',
  ts: '1700000000.000100',
  user: 'U1',
  files: [
    { id: 'F1', name: 'report.pdf', mode: 'hosted', size: 10, url_private: 'https://x.test/' },
  ],
};

let ledger: Ledger;
let woken: number;
let hinted: number;
let said: string[];
let threads: (string | null | undefined)[];
/** Whether Slack lets the bot post in the channel. */
let mayPost: boolean;
/** How long it takes to count the files in the channel’s history, in milliseconds. */
let countMs: number;
/** The direct messages; `about` is the channel in the value of the first button. */
let sent: { user: string; text: string; about: string | undefined }[];
beforeEach(async () => {
  woken = 0;
  hinted = 0;
  said = [];
  threads = [];
  mayPost = true;
  countMs = 0;
  sent = [];
  ledger = await openEmptyLedger(clock.now());
});
afterEach(() => ledger.close());

/** Delivers an event to its listener, which uses the given ledger, and waits for what it began. */
async function deliver(
  seen: Ledger,
  given: { type: string; user: string; inviter?: string } = event,
  role: Role = 'admin',
): Promise<void> {
  const listeners: [name: string, listen: (given: { event: unknown }) => Promise<void>][] = [];
  const event = (name: string, listen: (given: { event: unknown }) => Promise<void>) =>
    void listeners.push([name, listen]);
  const background: Promise<unknown>[] = [];
  let countedMs = 0;
  const workspace: Partial<SurfaceContext['workspace']> = {
    identity: { team: 'T1', botId: 'B1', botUserId: 'UB' },
    actor: async (userId) => ({ userId, role }),
    announce: async (_channel, { text }) => {
      const reason = 'restricted_action';
      if (!mayPost) throw new SlackCallError('SLACK_REFUSED', reason, { reason });
      said.push(text);
    },
    notify: async (user, view) => {
      const [button] = buttonsOf(view);
      sent.push({ user, text: view.text, about: FILE_PARKED.read(button?.value)?.channel });
      return { channel: 'D1', ts: '1' };
    },
    postEphemeral: async ({ threadTs }, { text }) => {
      said.push(text);
      threads.push(threadTs);
      hinted += 1;
    },
  };
  const context: Partial<SurfaceContext> = {
    ledger: seen,
    clock: { ...clock, now: () => clock.now() + countedMs },
    logger: silentLogger,
    workspace: workspace as SurfaceContext['workspace'],
    operator: null,
    linkBy: 'admins',
    names: { nameFolder: async (folder) => folder } as Partial<
      SurfaceContext['names']
    > as SurfaceContext['names'],
    countEarlier: async () => {
      countedMs += countMs;
      return { count: 2, more: false };
    },
    findDestination: destinationFinder(seen.findLink, null),
    leaveUnrecorded: (share, error) => leaveUnrecorded(share, context as SurfaceContext, error),
    wake: () => {
      woken += 1;
    },
    inBackground: (work) => void background.push(work),
  };
  listenForPeople(standInBolt({ event }), context as SurfaceContext);
  const called = listeners.filter(([name]) => name === given.type);
  await Promise.all(called.map(([, listen]) => listen({ event: given })));
  await clock.advance(1_000);
  await Promise.all(background);
}

/** An edit of the message that leaves it with these files. */
const edited = (...files: object[]) => ({
  ...{ type: 'message', subtype: 'message_changed', channel: 'C1', user: 'U1' },
  ...{ message: { ...event, files }, previous_message: event },
});

describe('an edit that adds a file', () => {
  const added = { ...event.files[0], id: 'F2' };

  it('records the new file, and leaves the deletion of another to the worker', async () => {
    await ledger.setLink(channel, link);
    await deliver(ledger);
    await deliver(ledger, edited({ id: 'F1', mode: 'tombstone' }, added));
    expect(await ledger.transfersOfShare(1)).toMatchObject([
      { slackFileId: 'F1', state: 'recorded' },
      { slackFileId: 'F2', state: 'recorded' },
    ]);
    expect(await ledger.nextDue('deletion')).toBe(clock.now());
  });

  it('posts the hint to link the channel only once after an unlink', async () => {
    await ledger.setLink(channel, link);
    await deliver(ledger);
    await ledger.removeLink(channel);
    await deliver(ledger, edited(event.files[0] ?? {}, added));
    expect(hinted).toBe(1);
    await deliver(ledger, edited(added, { ...added, id: 'F3' }));
    expect(hinted).toBe(1);
  });
});

describe('a share', () => {
  it('is due for filing if its channel is linked while it is being recorded', async () => {
    const linkedMeanwhile = aroundLedger(ledger, {
      before: async ({ method }) => {
        if (method === 'recordShare') await ledger.setLink(channel, link);
      },
    });
    const sharedAt = clock.now();
    await deliver(linkedMeanwhile);
    expect(await ledger.transfersOfShare(1)).toMatchObject([
      { state: 'recorded', destination: { projectId: 1, folderId: 2 } },
    ]);
    expect((await ledger.nextFiling({ largest: null }))?.dueAt).toBe(sharedAt);
    expect(await ledger.nextDue('message')).not.toBeNull();
    expect({ woken, hinted }).toEqual({ woken: 1, hinted: 0 });
  });

  it('is due for filing if its channel was linked before the process died recording it', async () => {
    const dying = aroundLedger(ledger, {
      before: async ({ method }) => {
        if (method === 'recordShare') await ledger.setLink(channel, link);
      },
      after: ({ method }) => {
        if (method === 'recordShare') throw new Error('the process died');
      },
    });
    await expect(deliver(dying)).rejects.toThrow('died');
    await deliver(ledger);
    expect(await ledger.transfersOfShare(1)).toMatchObject([{ state: 'recorded' }]);
    expect(await ledger.countParked(channel)).toBe(0);
  });

  it('wakes the worker', async () => {
    await ledger.setLink(channel, link);
    await deliver(ledger);
    expect(woken).toBe(1);
  });

  it('notifies its sharer if it is unrecordable, and fails if the ledger is down', async () => {
    const refused = (code: LedgerErrorCode) =>
      aroundLedger(ledger, {
        before: ({ method }) => {
          if (method === 'recordShare') throw new LedgerError(code, 'refused');
        },
      });
    await deliver(refused('LEDGER_UNRECORDABLE'));
    expect(said).toEqual([
      expect.stringMatching(
        /^1 file that you shared here wasn’t filed: I couldn’t record it\. Please share it again;/,
      ),
    ]);
    await expect(deliver(refused('LEDGER_UNAVAILABLE'))).rejects.toThrow('refused');
    expect({ woken, said: said.length }).toEqual({ woken: 0, said: 1 });
  });

  it('gets its ephemeral messages in its thread, or in the channel if it has none', async () => {
    const failing = aroundLedger(ledger, {
      before: ({ method }) => {
        if (method === 'recordShare') throw new LedgerError('LEDGER_UNRECORDABLE', 'refused');
      },
    });
    const reply = { ...event, thread_ts: '1699999999.000100' };
    await deliver(failing, reply);
    await deliver(ledger, reply);
    await deliver(failing);
    expect(threads).toEqual([reply.thread_ts, reply.thread_ts, null]);
  });

  it('is parked in a channel without a folder, also if redelivered after a link', async () => {
    await deliver(ledger);
    await ledger.setLink(channel, link);
    await deliver(ledger);
    expect(await ledger.transfersOfShare(1)).toMatchObject([{ state: 'parked' }]);
    expect({ woken, hinted }).toEqual({ woken: 2, hinted: 1 });
  });
});

it('the app records when the bot joins a channel, but not when a person joins', async () => {
  const confirmed: unknown[] = [];
  const seen: Pick<Ledger, 'recordJoin'> = {
    recordJoin: async (...mark: unknown[]) => confirmed.push(mark) === 0,
  };
  const joined = { type: 'member_joined_channel', channel: 'C1', event_ts: '1700000000.000100' };
  await deliver(seen as Ledger, { ...joined, user: 'U1' });
  expect(confirmed).toEqual([]);
  await deliver(seen as Ledger, { ...joined, user: 'UB' });
  expect(confirmed).toEqual([[channel, '1700000000.000100']]);
});

describe('the person who linked a channel that the bot joins later', () => {
  const joined = {
    ...{ type: 'member_joined_channel', channel: 'C1', user: 'UB' },
    ...{ inviter: 'U2', event_ts: '1700000000.000100' },
  };
  const announcement = expect.stringContaining('Files shared here are filed in');

  it('is offered its earlier files once, though the event comes twice', async () => {
    await ledger.setLink(channel, link);
    await deliver(ledger, joined);
    await deliver(ledger, joined);
    const offer = expect.stringContaining('2 files were shared here before. File them too?');
    expect(said).toEqual([announcement, offer]);
  });

  const directMessage = (words: string) => [
    { user: 'U2', text: expect.stringContaining(words), about: 'C1' },
  ];

  it('gets the offer as a direct message if another person invites the bot', async () => {
    await ledger.setLink(channel, link);
    await deliver(ledger, { ...joined, inviter: 'U3' });
    expect(said).toEqual([announcement]);
    expect(sent).toEqual(directMessage('2 files were shared in <#C1> before.'));
  });

  it('is asked about parked files by direct message if another person invites it', async () => {
    await deliver(ledger);
    await ledger.setLink(channel, link);
    await deliver(ledger, { ...joined, inviter: 'U3' });
    expect(sent).toEqual(directMessage('1 file shared in <#C1> is in Slack only.'));
  });

  it('gets a direct message, though they invite the bot, if counting takes 3 minutes', async () => {
    await ledger.setLink(channel, link);
    countMs = 3 * 60_000;
    await deliver(ledger, joined);
    expect(said).toEqual([announcement]);
    expect(sent).toEqual(directMessage('2 files were shared in <#C1> before.'));
  });

  it('gets the offer even if the link cannot be announced', async () => {
    await ledger.setLink(channel, link);
    mayPost = false;
    await deliver(ledger, joined);
    expect(said).toEqual([expect.stringContaining('2 files were shared here before.')]);
  });

  it('gets no offer if they may no longer file earlier files', async () => {
    await ledger.setLink(channel, link);
    await deliver(ledger, joined, 'member');
    expect(said).toEqual([announcement]);
  });
});

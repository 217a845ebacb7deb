import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { PausableLink, ShareRow } from '../../src/ledger/index.ts';
import type { Asked } from '../../src/listeners/answer.ts';
import { FIRST_PAGES, relink, retryShare, showAttention } from '../../src/listeners/attention.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { screen } from '../support/person.ts';

const link = (pausedFor: PausableLink['pausedFor']): PausableLink => ({
  ...{ projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' },
  ...{ linkedBy: 'U1', linkedAt: 1, pausedFor, pauseNotified: true },
});
const LINKS = new Map([
  ['C0OWN', link('DESTINATION_GONE')],
  ['C0OTHER', link('DESTINATION_GONE')],
  ['C0FINE', link(null)],
]);

/** Somebody who is in C0OWN and C0FINE. */
const asked = (role: Asked['role']): Asked => ({
  ...{ team: 'T1', channel: 'C0OWN', userId: 'U2', role, linkBy: 'members' },
  ...{ call: { lane: 'interactive' }, triggerId: 't' },
});

const SHARE = { id: 7, team: 'T1', channel: 'C1', replyChannel: 'D9', userId: 'U1' };

let opened: string[];
let retried: number[];
/** The channels of each query for troubled files; null for all channels. */
let queried: (readonly string[] | null | undefined)[];
beforeEach(() => {
  opened = [];
  retried = [];
  queried = [];
});

const ledger: Partial<ListenerContext['ledger']> = {
  listTroubles: async (_team, channels) => {
    queried.push(channels);
    return [];
  },
  countInHand: async () => new Map(),
  listLinks: async () => LINKS,
  isWatched: async () => false,
  findShareById: async () => SHARE as Partial<ShareRow> as ShareRow,
  retryShare: async (id) => retried.push(id),
};
const workspace: Partial<ListenerContext['workspace']> = {
  channelsOf: async () => ['C0OWN', 'C0FINE'],
  openModal: async (_trigger, view) => {
    opened.push(view.private_metadata ?? '');
    return { id: 'V1' };
  },
};
const context = {
  ...{ ledger, workspace, clock: createFakeClock(), logger: silentLogger, operator: null },
  findDestination: async () => null,
  wake: () => undefined,
  inBackground: (work: Promise<unknown>) => void work.catch(() => undefined),
} as Partial<ListenerContext> as ListenerContext;

const status = async (role: Asked['role']) =>
  screen(await showAttention(asked(role), FIRST_PAGES, context));

describe('a paused link that no file waits for', () => {
  it('is shown to an admin, because the next share would wait; a working link is not', async () => {
    const seen = await status('admin');
    expect(seen).toContain('#C0OWN\n| The link is paused');
    expect(seen).toContain('#C0OTHER\n| The link is paused');
    expect(seen).not.toContain('C0FINE');
  });

  it('is not shown to a member who is not in its channel', async () => {
    const seen = await status('member');
    expect(seen).toContain('#C0OWN\n| The link is paused');
    expect(seen).not.toContain('C0OTHER');
  });
});

it('status queries all channels for an admin, but only their own for a member', async () => {
  await status('admin');
  await status('member');
  expect(queried).toEqual([null, ['C0OWN', 'C0FINE']]);
});

describe('the button that links a channel', () => {
  it('opens the form for a channel that the person is in', async () => {
    expect(await relink(asked('member'), { channel: 'C0FINE' }, context)).toBeNull();
    expect(opened).toEqual([expect.stringContaining('C0FINE')]);
  });

  it('opens a form that knows whether its answer is read in the channel', async () => {
    for (const channel of ['C0OWN', 'C0FINE']) await relink(asked('member'), { channel }, context);
    expect(opened.map((form) => JSON.parse(form))).toMatchObject([
      { channel: 'C0OWN', isElsewhere: false },
      { channel: 'C0FINE', isElsewhere: true },
    ]);
  });

  it.each([
    ['C0OTHER', 'You’re not in #C0OTHER any more, so nothing was done.'],
    ['C0NOBODYS', 'You’re not in #C0NOBODYS any more, so nothing was done.'],
    [null, 'This button is out of date. Type `/files status` for a fresh list.'],
  ])('opens no form for the channel %s, which the person may not see', async (channel, words) => {
    const answer = await relink(asked('member'), { channel }, context);
    expect(answer && screen(answer)).toContain(words);
    expect(opened).toEqual([]);
  });
});

it.each([
  ['in the channel of the share retries the share', { team: 'T1', channel: 'C1' }, [7]],
  ['in the channel of its thread line retries the share', { team: 'T1', channel: 'D9' }, [7]],
  ['in another channel retries nothing', { team: 'T1', channel: 'C2' }, []],
  ['in another workspace retries nothing', { team: 'T2', channel: 'C1' }, []],
])('Retry pressed %s', async (_where, place, expected) => {
  await retryShare({ ...asked('member'), ...place }, { shareId: SHARE.id }, context);
  expect(retried).toEqual(expected);
});

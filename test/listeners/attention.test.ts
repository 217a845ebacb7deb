import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { ShareRow, StandingLink } from '../../src/ledger/index.ts';
import type { Asked } from '../../src/listeners/answer.ts';
import { FIRST, relink, retryShare, showAttention } from '../../src/listeners/attention.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { screen } from '../support/person.ts';

const link = (pausedFor: StandingLink['pausedFor']): StandingLink => ({
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
let tried: number[];
/** The channels whose files are looked through; null for all. */
let looked: (readonly string[] | null | undefined)[];
beforeEach(() => {
  opened = [];
  tried = [];
  looked = [];
});

const ledger: Partial<ListenerContext['ledger']> = {
  listTroubles: async (_team, channels) => {
    looked.push(channels);
    return [];
  },
  countInHand: async () => new Map(),
  listLinks: async () => LINKS,
  isWatched: async () => false,
  findShareById: async () => SHARE as Partial<ShareRow> as ShareRow,
  retryShare: async (id) => tried.push(id),
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
  screen(await showAttention({ asked: asked(role), place: FIRST, notice: null }, context));

describe('a paused link that no file waits for', () => {
  it('needs attention all the same: what is shared next would wait', async () => {
    const seen = await status('admin');
    expect(seen).toContain('#C0OWN\n| The link is paused');
    expect(seen).toContain('#C0OTHER\n| The link is paused');
    expect(seen).not.toContain('C0FINE');
  });

  it('is told of to nobody who does not see its channel', async () => {
    const seen = await status('member');
    expect(seen).toContain('#C0OWN\n| The link is paused');
    expect(seen).not.toContain('C0OTHER');
  });
});

it('the files of all channels are looked through for who sees all of them alone', async () => {
  await status('admin');
  await status('member');
  expect(looked).toEqual([null, ['C0OWN', 'C0FINE']]);
});

describe('the button that links a channel', () => {
  it('opens the form for a channel that who presses it sees', async () => {
    expect(await relink(asked('member'), { channel: 'C0FINE' }, context)).toBeNull();
    expect(opened).toEqual([expect.stringContaining('C0FINE')]);
  });

  it.each(['C0OTHER', 'C0NOBODYS', null])('opens none where %s was made up', async (channel) => {
    const answer = await relink(asked('member'), { channel }, context);
    expect(answer && screen(answer)).toContain('This button is out of date.');
    expect(opened).toEqual([]);
  });
});

it.each([
  ['in the channel of the share', { team: 'T1', channel: 'C1' }, [7]],
  ['where its line stands', { team: 'T1', channel: 'D9' }, [7]],
  ['in no other channel', { team: 'T1', channel: 'C2' }, []],
  ['in no other workspace', { team: 'T2', channel: 'C1' }, []],
])('a Retry tries files again %s', async (_where, place, expected) => {
  await retryShare({ ...asked('member'), ...place }, { shareId: SHARE.id }, context);
  expect(tried).toEqual(expected);
});

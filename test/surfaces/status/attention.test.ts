import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { ChannelDestination } from '../../../src/core/index.ts';
import type { HoldableLink, ShareRow, Trouble } from '../../../src/ledger/index.ts';
import type { Asked } from '../../../src/surfaces/kit/answer.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { fileShare } from '../../../src/surfaces/share-line/file-share.ts';
import { retryShare } from '../../../src/surfaces/share-line/retry-share.ts';
import {
  FIRST_PAGES,
  relink,
  showAttention,
  skipAll,
} from '../../../src/surfaces/status/attention.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { screen } from '../../support/person.ts';

const link = (heldFor: HoldableLink['heldFor']): HoldableLink => ({
  ...{ projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' },
  ...{ linkedBy: 'U1', linkedAt: 1, heldFor, holdNotified: true, lines: false, announces: false },
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

const SHARE = { id: 7, team: 'T1', channel: 'C1', userId: 'U1' };

let opened: string[];
let retried: number[];
/** The conversations whose files were left in Slack, whether also those that lack a folder, and whose. */
let left: [string, boolean, string | null | undefined][];
const LINE = {
  ...{ channel: 'D9', ts: '7', begun: 1, fingerprint: null, isDue: false },
  ...{ reaction: null, reactionBegun: null },
};
/** The channels of each query for troubled files; null for all channels. */
let queried: (readonly string[] | null | undefined)[];
const TROUBLE: Trouble = {
  ...{ channel: 'C0NEW', kind: 'waiting', problem: 'SERVICE_FAILED', count: 1, name: 'a.txt' },
  ...{ nextTryAt: null, isSaved: false, own: 0, mayBeThere: false },
};
let troubles: Trouble[];
beforeEach(() => {
  troubles = [];
  opened = [];
  retried = [];
  queried = [];
});

const ledger: Partial<SurfaceContext['ledger']> = {
  listTroubles: async (_team, channels) => {
    queried.push(channels);
    return troubles;
  },
  countInHand: async () => new Map(),
  listLinks: async () => LINKS,
  findShareById: async () => SHARE as Partial<ShareRow> as ShareRow,
  findMessage: async (key) => ({ ...LINE, ...key }),
  retryShare: async (id) => retried.push(id),
  findLink: async ({ channel }) => LINKS.get(channel) ?? null,
  leaveTroubled: async ({ channel }, { parkedToo, userId }) =>
    channel === 'C0NONE' ? 0 : left.push([channel, parkedToo, userId]),
};
const workspace: Partial<SurfaceContext['workspace']> = {
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
} as Partial<SurfaceContext> as SurfaceContext;

const status = async (role: Asked['role']) =>
  screen(await showAttention(asked(role), FIRST_PAGES, context));

describe('a paused link that no file waits for', () => {
  it('is shown to an admin, because the next share would wait; a working link is not', async () => {
    const seen = await status('admin');
    expect(seen).toContain('#C0OWN\n| Files are waiting');
    expect(seen).toContain('#C0OTHER\n| Files are waiting');
    expect(seen).not.toContain('C0FINE');
  });

  it('is not shown to a member who is not in its channel', async () => {
    const seen = await status('member');
    expect(seen).toContain('#C0OWN\n| Files are waiting');
    expect(seen).not.toContain('C0OTHER');
  });
});

it('status of files that wait for a folder knows whether there is a default folder by now', async () => {
  const trouble = { channel: 'C0OWN', kind: 'parked', problem: null, count: 1, name: 'early.txt' };
  const more = { nextTryAt: null, isSaved: false, own: 0, mayBeThere: false };
  const listTroubles = async () => [{ ...trouble, ...more } as Trouble];
  const seen = async (found: ChannelDestination | null) => {
    const parked = { ...ledger, listTroubles, listLinks: async () => new Map() };
    const given = { ...context, ledger: parked, findDestination: async () => found };
    return screen(await showAttention(asked('member'), FIRST_PAGES, given as SurfaceContext));
  };
  expect(await seen(null)).toContain('early.txt – the channel has no folder.');
  expect(await seen({ ...link(null), isDefault: true })).toContain(
    'early.txt – shared before the channel had a folder.',
  );
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
    ['C0OTHER', 'I can’t see from here that you’re in #C0OTHER.'],
    ['C0NOBODYS', 'I can’t see from here that you’re in #C0NOBODYS.'],
    [null, 'That button is out of date. Type `/files status` for a fresh list.'],
  ])('opens no form for the channel %s, which the person may not see', async (channel, words) => {
    const answer = await relink(asked('member'), { channel }, context);
    expect(answer && screen(answer)).toContain(words);
    expect(opened).toEqual([]);
  });
});

describe('Leave in Slack', () => {
  const pressed = async (role: Asked['role'], channel: string, from = channel) => {
    left = [];
    const here = { ...asked(role), linkBy: 'admins' as const, channel: from };
    const answer = await skipAll(here, { ...FIRST_PAGES, channel, shown: 3 }, context);
    return left.length > 0 ? left : answer && screen(answer);
  };

  it('is for those who may link, and for others of what is their own', async () => {
    expect(await pressed('admin', 'C0NEW')).toEqual([['C0NEW', true, null]]);
    for (const role of ['member', 'guest'] as const)
      for (const channel of ['C0NEW', 'D0OWN'])
        expect(await pressed(role, channel)).toEqual([[channel, true, 'U2']]);
    expect(await pressed('outsider', 'D0OWN')).toContain('from other workspaces can’t');
    expect(await pressed('member', 'D0OTHERS', 'C0OWN')).toContain('can’t see from here');
  });

  it.each(['admin', 'member', 'guest'] as const)(
    'tells the %s why nothing can be left, as of what has been filed since',
    async (role) => {
      expect(await pressed(role, 'C0NONE')).toContain('Everything is being sent right now');
    },
  );

  it.each<[string, Asked['role'], string, Partial<Trouble>, boolean]>([
    ['as many', 'admin', 'C0NEW', { count: 3 }, true],
    ['more', 'admin', 'C0NEW', { count: 4 }, false],
    ['more of others’', 'member', 'C0NEW', { count: 9, own: 3 }, true],
    ['more of one’s own', 'member', 'C0NEW', { count: 9, own: 4 }, false],
    ['more without a folder', 'admin', 'C0NEW', { count: 4, kind: 'parked' }, false],
    ['more, left by the link', 'admin', 'C0FINE', { count: 4, kind: 'parked' }, true],
  ])(
    'where 3 were shown and there are %s: by the %s in %s',
    async (_what, role, channel, of, isLeft) => {
      troubles = [{ ...TROUBLE, channel, ...of }];
      const outcome = await pressed(role, channel);
      if (isLeft) expect(outcome).toHaveLength(1);
      else expect(outcome).toContain('There are more by now, so I left none. Check the list.');
    },
  );

  it('leaves what lacks a folder only where the list shows it: not in a linked channel', async () => {
    expect(await pressed('admin', 'C0FINE')).toEqual([['C0FINE', false, null]]);
  });
});

it.each([
  ['in the channel of the share files what was left', 'admin', { channel: 'C1' }, [7]],
  ['in another channel files nothing', 'admin', { channel: 'C2' }, []],
  ['in another workspace files nothing', 'admin', { channel: 'C1', team: 'T2' }, []],
  ['by a member who may not link files nothing', 'member', { channel: 'C1' }, []],
] as const)('“File it” pressed %s', async (_where, role, place, expected) => {
  const filed: number[] = [];
  const able = {
    ...context,
    findDestination: async () => ({ ...link(null), isDefault: false }),
    ledger: { ...ledger, fileShare: async ({ id }: { id: number }) => filed.push(id) },
  } as Partial<SurfaceContext> as SurfaceContext;
  const here = { ...asked(role), linkBy: 'admins' as const, ...place };
  await fileShare(here, { shareId: SHARE.id }, able);
  expect(filed).toEqual(expected);
});

it.each([
  ['in the channel of the share retries the share', { team: 'T1', channel: 'C1' }, [7]],
  ['in the channel of its thread line retries the share', { team: 'T1', channel: 'D9' }, [7]],
  ['in another channel retries nothing', { team: 'T1', channel: 'C2' }, []],
  ['in another workspace retries nothing', { team: 'T2', channel: 'C1' }, []],
])('“Try again” pressed %s', async (_where, place, expected) => {
  await retryShare({ ...asked('member'), ...place }, { shareId: SHARE.id }, context);
  expect(retried).toEqual(expected);
});

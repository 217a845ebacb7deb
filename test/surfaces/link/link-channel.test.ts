import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { type Destination, destinationFinder } from '../../../src/core/index.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import { ServiceError } from '../../../src/service/index.ts';
import { SlackCallError } from '../../../src/slack/index.ts';
import type { Asked } from '../../../src/surfaces/kit/answer.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { tryLink } from '../../../src/surfaces/link/link-channel.ts';
import { recording } from '../../support/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';

const clock = createFakeClock();
let ledger: Ledger;
beforeEach(async () => {
  ledger = await openEmptyLedger(clock.now());
});
afterEach(() => ledger.close());

function unlessFailing({ isDown }: Linking): void {
  if (isDown) throw new ServiceError('SERVICE_FAILED', 'down', { retry: 'later', sent: 'yes' });
}

/** How often the loops were woken. */
let woken = 0;

interface Linking {
  typed?: string;
  announces?: boolean;
  lines?: boolean;
  /** Why Slack refuses the announcement. Default: the app is not in the channel. */
  reason?: string;
  /** The default folder. Default: none. */
  fallback?: Destination;
  /** Whether each request to the file service fails. */
  isDown?: boolean;
  /** Called while the account's lists are read, after which the folder may not be used. */
  meanwhile?: () => Promise<unknown>;
}

/** Links a conversation in which Slack refuses the announcement. Returns what the person reads. */
async function link(channel: string, linking: Linking = {}): Promise<string | undefined> {
  const { typed = '1/2', announces, lines, reason = 'channel_not_found' } = linking;
  const { meanwhile, fallback = null } = linking;
  const folder = { id: 2, name: 'Plans', level: 1, parentId: null, projectId: 1 };
  const names: Partial<SurfaceContext['names']> = {
    projects: async () => {
      unlessFailing(linking);
      return { list: null, fetchedAt: clock.now() };
    },
    folders: async () => {
      unlessFailing(linking);
      await meanwhile?.();
      return { list: { records: [folder], complete: true }, fetchedAt: clock.now() };
    },
    nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
  };
  const service: Partial<SurfaceContext['service']> = {
    peekFiles: async () => {
      unlessFailing(linking);
      if (meanwhile)
        throw new ServiceError('SERVICE_FORBIDDEN', 'no', { retry: 'never', sent: 'yes' });
      return { entries: [], whole: true, askedAt: 0, serviceTime: null };
    },
    listProjects: async () => null,
    listFolders: async () => null,
  };
  const refused = new SlackCallError('SLACK_REFUSED', 'no', { reason });
  const workspace: Partial<SurfaceContext['workspace']> = {
    announce: () => Promise.reject(refused),
    isIn: async () => true,
  };
  const context = {
    ...{ ledger, names, service, workspace, clock, logger: silentLogger },
    ...{ accountUrl: 'https://files.example', isBusy: () => false },
    wake: () => {
      woken += 1;
    },
    findDestination: destinationFinder(ledger.findLink, fallback),
    countEarlier: async () => ({ count: 0, more: false }),
    inBackground: () => undefined,
  } as Partial<SurfaceContext> as SurfaceContext;
  const asked: Asked = {
    ...{ team: 'T1', channel, userId: 'U1', role: 'admin', linkBy: 'admins' },
    call: { lane: 'interactive' },
  };
  const wanted = { typed, announces: announces ?? null, lines: lines ?? null };
  const done = await tryLink(asked, wanted, context);
  return 'answer' in done ? done.answer?.().text : done.reason;
}

it('turning announcements on in a linked channel wakes those who look for added files', async () => {
  await ledger.recordShare(recording({}, { destination: null, now: clock.now() }));
  const reason = 'restricted_action';
  await link('C1', { reason });
  woken = 0;
  await link('C1', { reason, announces: true });
  expect(woken).toBe(1);
});

it('whoever wants announcements of the default folder is told that there are none, also the second time', async () => {
  const linking = { announces: true, fallback: { projectId: 1, folderId: 2 } };
  const reason = 'restricted_action';
  for (const _time of ['first', 'second'])
    expect(await link('C1', { ...linking, reason })).toContain('share the default folder');
});

it('a channel without the app stays linked, and the answer says how to invite it', async () => {
  expect(await link('C1')).toContain('/invite');
  expect(await ledger.findLink({ team: 'T1', channel: 'C1' })).not.toBeNull();
});

it.each(['1/2', 'https://files.example/projects/1/folders/2'])(
  'turning announcements on or off for the linked folder %s asks nothing of a service that is down',
  async (typed) => {
    const wanted = { typed, reason: 'restricted_action', isDown: true };
    await link('C1');
    expect(await link('C1', { ...wanted, announces: true })).toContain('turned announcements on');
    expect(await link('C1', { ...wanted, announces: false })).toContain('turned announcements off');
  },
);

it('a channel’s lines alone can be changed, also while the service is down', async () => {
  await link('C1');
  const ref = { team: 'T1', channel: 'C1' };
  expect(await ledger.findLink(ref)).toMatchObject({ lines: false });
  const wanted = { reason: 'restricted_action', isDown: true };
  expect(await link('C1', { ...wanted, lines: true })).toContain('Saved.');
  expect(await ledger.findLink(ref)).toMatchObject({ lines: true, folderId: 2 });
  expect(await link('C1', { ...wanted, lines: true })).toContain('already linked');
});

it('a link keeps the address that was pasted, also for the folder that it had', async () => {
  const ref = { team: 'T1', channel: 'C1' };
  await link('C1');
  expect(await ledger.findLink(ref)).toMatchObject({ url: null });
  const typed = 'https://files.example/projects/1/folders/2';
  await link('C1', { typed });
  expect(await ledger.findLink(ref)).toMatchObject({ url: typed });
  await link('C1');
  expect(await ledger.findLink(ref)).toMatchObject({ url: typed });
});

it('turning announcements on for another folder needs one that may be used', async () => {
  await link('C1');
  const wanted = { typed: '1/3', isDown: true, announces: true };
  await expect(link('C1', wanted)).rejects.toThrow('down');
});

it('a direct message without the app is not linked, and no invitation is suggested', async () => {
  expect(await link('D1')).not.toContain('/invite');
  expect(await ledger.findLink({ team: 'T1', channel: 'D1' })).toBeNull();
});

it('linking asks about parked files even if Slack refuses the announcement', async () => {
  const ref = { team: 'T1', channel: 'C1' };
  await ledger.recordShare(recording({}, { destination: null, now: clock.now() }));
  const question = '1 file shared here is in Slack only. File it too?';
  const reason = 'restricted_action';
  expect(await link('C1', { reason })).toContain(question);
  expect(await ledger.findLink(ref)).not.toBeNull();
  const again = await link('C1', { reason, announces: true });
  expect(again).toContain('turned announcements on');
  expect(again).toContain(question);
});

it('a link that is taken away while it is set again needs a folder that may be used', async () => {
  const ref = { team: 'T1', channel: 'C1' };
  await link('C1');
  expect(await link('C1', { meanwhile: () => ledger.removeLink(ref) })).toBe('forbidden');
  expect(await ledger.findLink(ref)).toBeNull();
});

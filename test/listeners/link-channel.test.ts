import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import type { Asked } from '../../src/listeners/answer.ts';
import { linkChannel } from '../../src/listeners/link-channel.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';
import { SlackCallError } from '../../src/slack/index.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { openEmptyLedger } from '../support/open-empty-ledger.ts';

const clock = createFakeClock();
let ledger: Ledger;
beforeEach(async () => {
  ledger = await openEmptyLedger(clock.now());
});
afterEach(() => ledger.close());

/** Links a conversation that the app is not in. */
async function link(channel: string): Promise<string | undefined> {
  const unlisted = { list: null, fetchedAt: clock.now() };
  const names: Partial<ListenerContext['names']> = {
    projects: async () => unlisted,
    folders: async () => unlisted,
    nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
  };
  const list = { files: [], complete: true, unreadable: 0, serviceTime: null };
  const service: Partial<ListenerContext['service']> = {
    glimpseFiles: async () => ({ list: { ...list, fetchedAt: clock.now() }, readRest: null }),
    listProjects: async () => null,
    listFolders: async () => null,
  };
  const notIn = new SlackCallError('SLACK_REFUSED', 'no', { reason: 'channel_not_found' });
  const workspace: Partial<ListenerContext['workspace']> = {
    announce: () => Promise.reject(notIn),
  };
  const context = {
    ...{ ledger, names, service, workspace, clock, logger: silentLogger },
    ...{ accountUrl: 'https://files.example', isBusy: () => false, wake: () => undefined },
    findDestination: async () => null,
  } as Partial<ListenerContext> as ListenerContext;
  const asked: Asked = {
    ...{ team: 'T1', channel, userId: 'U1', role: 'admin', linkBy: 'admins' },
    call: { lane: 'interactive' },
  };
  return (await linkChannel(asked, '1/2', context))?.text;
}

it('a channel stays linked that the app is not in yet, as it can be invited', async () => {
  expect(await link('C1')).toContain('/invite');
  expect(await ledger.findLink({ team: 'T1', channel: 'C1' })).not.toBeNull();
});

it('a conversation that nobody can bring the app into is not linked', async () => {
  expect(await link('D1')).not.toContain('/invite');
  expect(await ledger.findLink({ team: 'T1', channel: 'D1' })).toBeNull();
});

import type { App } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { destinationFinder } from '../../../src/core/index.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import { SlackCallError } from '../../../src/slack/index.ts';
import type { View } from '../../../src/surfaces/kit/layout.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { listenForSettings } from '../../../src/surfaces/settings/settings-modal.ts';
import { recording } from '../../support/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';
import { screen } from '../../support/person.ts';

const clock = createFakeClock();
const REF = { team: 'T1', channel: 'C012ABCDEF' };
const FOLDER = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };

let ledger: Ledger;
beforeEach(async () => {
  ledger = await openEmptyLedger(clock.now());
});
afterEach(() => ledger.close());

const linkBefore = () => ledger.setLink(REF, { ...FOLDER, linkedBy: 'U1', linkedAt: 1 });
const park = () => ledger.recordShare(recording(REF, { destination: null, now: clock.now() }));

interface Sending {
  /** Whether the form was opened outside the channel. */
  isElsewhere: boolean;
  /** Whether Slack posts an ephemeral message in the channel. Default: it does. */
  takesEphemeral?: boolean;
  /** How many files the channel's history has. Default: none. */
  earlier?: number;
}

/** Sends the form with FOLDER chosen. Returns what the person reads, and where. */
async function send({ isElsewhere, takesEphemeral = true, earlier = 0 }: Sending) {
  const told: [where: string, words: string][] = [];
  const tell = (where: string, view: View) => void told.push([where, screen(view)]);
  const workspace: Partial<SurfaceContext['workspace']> = {
    identity: { team: 'T1', botUserId: 'U0', botId: undefined },
    actor: async (userId) => ({ userId, role: 'admin' }),
    isIn: async () => true,
    mayBookmark: false,
    announce: async () => undefined,
    postEphemeral: async (_to, view) => {
      if (!takesEphemeral) throw new SlackCallError('SLACK_REFUSED', 'no', { reason: 'no' });
      tell('channel', view as View);
    },
    notify: async (_user, view) => {
      tell('direct message', view as View);
      return { channel: 'D1', ts: '1' };
    },
  };
  const records = [{ id: 2, name: 'Invoices', level: 1, parentId: null, projectId: 1 }];
  const names: Partial<SurfaceContext['names']> = {
    folders: async () => ({ list: { records, complete: true }, fetchedAt: clock.now() }),
    nameFolder: async () => FOLDER,
    isFolderListed: async () => true,
  };
  const service: Partial<SurfaceContext['service']> = {
    peekFiles: async () => ({ entries: [], whole: true, askedAt: 0, serviceTime: null }),
  };
  const background: Promise<unknown>[] = [];
  const context = {
    ...{ ledger, workspace, names, service, clock, logger: silentLogger, linkBy: 'admins' },
    ...{ accountUrl: 'https://files.example', isBusy: () => false, wake: () => undefined },
    findDestination: destinationFinder(ledger.findLink, null),
    countEarlier: async () => ({ count: earlier, more: false }),
    inBackground: (work: Promise<unknown>) => void background.push(work),
  } as Partial<SurfaceContext> as SurfaceContext;
  let submit: (args: object) => Promise<void> = async () => undefined;
  const view = (_at: object, listener: typeof submit) => {
    submit = listener;
  };
  listenForSettings({ action: () => undefined, view } as Partial<App> as App, context);
  const sent = {
    id: 'V1',
    private_metadata: JSON.stringify({ channel: REF.channel, channelName: null, isElsewhere }),
    state: {
      values: {
        folder: { form_folder: { selected_option: { value: '1/2', text: { text: 'Invoices' } } } },
      },
    },
  };
  await submit({
    ack: async (answer?: { view?: View; errors?: object }) => {
      if (answer?.errors) throw new Error(JSON.stringify(answer.errors));
      if (answer?.view) tell('form', { ...answer.view, text: '' });
    },
    view: sent,
    body: { user: { id: 'U1' }, view: sent },
  });
  await Promise.all(background);
  return told;
}

describe('the answer to a link form', () => {
  it.each([
    ['is posted in the channel', { isElsewhere: false }, 'channel', 'This channel'],
    [
      'is in the form, with the channel’s name, if it was opened elsewhere',
      { isElsewhere: true },
      'form',
      '#C012ABCDEF',
    ],
    [
      'is in the form, with the channel’s name, if it can’t be posted in the channel',
      { isElsewhere: false, takesEphemeral: false },
      'form',
      '#C012ABCDEF',
    ],
  ])('%s', async (_what, sending, where, channel) => {
    await linkBefore();
    expect(await send(sending)).toEqual([
      [where, expect.stringContaining(`${channel} is already linked to *Accounts › Invoices*`)],
    ]);
  });
});

describe.each([
  { opened: 'in the channel', isElsewhere: false, where: 'channel', named: 'here' },
  { opened: 'elsewhere', isElsewhere: true, where: 'direct message', named: 'in #C012ABCDEF' },
])('after a link form that was opened $opened', ({ isElsewhere, where, named }) => {
  it('the question about held-back files is read there', async () => {
    await park();
    expect(await send({ isElsewhere })).toEqual([
      [where, expect.stringContaining(`1 file shared ${named} is in Slack only`)],
    ]);
  });

  it('the offer of earlier files is read there', async () => {
    expect(await send({ isElsewhere, earlier: 2 })).toEqual([
      [where, expect.stringContaining(`2 files were shared ${named} before`)],
    ]);
  });

  it('the question about files that wait for the previous folder is read there', async () => {
    const before = { ...FOLDER, folderId: 3 };
    await ledger.setLink(REF, { ...before, linkedBy: 'U1', linkedAt: 1 });
    const destination = { projectId: 1, folderId: 3 };
    await ledger.recordShare(recording(REF, { destination, now: clock.now() }));
    const shared = named === 'here' ? 'shared before' : `shared ${named} before`;
    expect(await send({ isElsewhere })).toEqual([
      [where, expect.stringContaining(`1 file ${shared} is still on the way`)],
    ]);
  });
});

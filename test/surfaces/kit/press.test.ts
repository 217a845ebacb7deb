import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import type { ShownMessage } from '../../../src/playground/embedded-slack/index.ts';
import { listenForPeople } from '../../../src/surfaces/index.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { recording } from '../../support/builders.ts';
import { holdNext } from '../../support/claim-next.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';
import { screen } from '../../support/person.ts';
import { standInBolt } from '../../support/stand-in-bolt.ts';

const NOW = 1_700_000_000_000;
const C1 = { team: 'T1', channel: 'C1' };
const destination = { projectId: 1, folderId: 2 };

type Press = (given: object) => Promise<void>;

let ledger: Ledger;
/** What modals show by now. */
let updated: [id: string, shown: string][];
/** Presses a button whose value no view writes, at a place that has no `response_url`. */
let pressIn: (place: object, actionId: string) => Promise<void>;
/** Presses a button in a channel, with the value that it carries. Returns what the person reads. */
let press: (actionId: string, channel: string, value: object) => Promise<string>;

let role: 'admin' | 'member';

beforeEach(async () => {
  role = 'admin';
  ledger = await openEmptyLedger(NOW);
  const buttons = new Map<string, Press>();
  const action = ({ action_id }: { action_id: string }, listener: Press) =>
    void buttons.set(action_id, listener);
  const workspace: Partial<SurfaceContext['workspace']> = {
    isClosedTo: async () => false,
    identity: { team: 'T1', botUserId: 'UBOT', botId: undefined },
    actor: async (userId) => ({ userId, role }),
    channelsOf: async () => [],
    updateModal: async ({ id }, { blocks }) => void updated.push([id, JSON.stringify(blocks)]),
  };
  updated = [];
  const context: Partial<SurfaceContext> = {
    ledger,
    clock: createFakeClock(NOW),
    logger: silentLogger,
    workspace: workspace as SurfaceContext['workspace'],
    linkBy: 'members',
    // Each channel has a folder of its own.
    findDestination: async ({ channel }) => ({
      projectId: 1,
      folderId: channel === 'C1' ? 2 : 3,
      projectTitle: null,
      folderName: null,
      isDefault: false,
    }),
    wake: () => undefined,
  };
  listenForPeople(standInBolt({ action }), context as SurfaceContext);
  pressIn = async (place, actionId) =>
    buttons.get(actionId)?.({
      ack: async () => undefined,
      body: { ...place, user: { id: 'U1', team_id: 'T1' } },
      payload: { value: '{}' },
    });
  press = async (actionId, channel, value) => {
    let said = '';
    await buttons.get(actionId)?.({
      ack: async () => undefined,
      respond: async (message: ShownMessage) => {
        said = screen(message);
      },
      body: { channel: { id: channel }, user: { id: 'U1', team_id: 'T1' } },
      payload: { value: JSON.stringify(value) },
    });
    return said;
  };
});
afterEach(() => ledger.close());

it('a button about a channel that the person may have left since does nothing', async () => {
  role = 'member';
  const said = await press('backfill_start', 'D1', { p: 1, f: 2, c: 'C012ABCDEF' });
  expect(said).toContain('I can’t see from here that you’re in #C012ABCDEF.');
  expect(await ledger.findReport(1)).toBeUndefined();
});

it.each([
  ['/files', 'delete_file'],
  ['/folders', 'folders_refresh'],
  ['/files status', 'attention_retry'],
])(
  'a button whose value can’t be read names the command that shows it: %s, %s',
  async (command, action) => {
    const said = await press(action, 'C1', {});
    expect(said).toContain(`That button is out of date. Type \`${command}\` for a fresh list.`);
  },
);

it('a button in a modal whose value can’t be read is answered there', async () => {
  const title = { type: 'plain_text', text: 'Find files' };
  await pressIn(
    { view: { id: 'V1', type: 'modal', title, private_metadata: '' } },
    'found_page_next',
  );
  expect(updated).toEqual([['V1', expect.stringContaining('That button is out of date.')]]);
});

describe('a button whose value was taken from another channel', () => {
  it('does not retry the share of that channel; pressed there, it does', async () => {
    const { shareId } = await ledger.recordShare(recording(C1, { destination, now: NOW }));
    const claim = await holdNext(ledger, { now: NOW, token: 't' });
    await ledger.release(claim, { dueAt: NOW + 60_000 });
    const dueAt = async () => (await ledger.nextFiling({ largest: null }))?.dueAt;
    await press('retry_share', 'C2', { share: shareId });
    expect(await dueAt()).toBe(NOW + 60_000);
    await press('retry_share', 'C1', { share: shareId });
    expect(await dueAt()).toBe(NOW);
    expect(await ledger.transfersOfShare(shareId)).toMatchObject([{ destination }]);
  });

  it('does not stop that channel’s backfill', async () => {
    await ledger.beginBackfill(C1, { startedBy: 'U1', now: NOW });
    await press('backfill_stop', 'C2', { report: 1 });
    expect(await ledger.findReport(1)).toMatchObject({ stopped: 0 });
    expect(await ledger.findReport(1)).toMatchObject({ reading: 1 });
    await press('backfill_stop', 'C1', { report: 1 });
    expect(await ledger.findReport(1)).toMatchObject({ stopped: 1 });
    expect(await ledger.findReport(1)).toMatchObject({ reading: 0 });
  });
});

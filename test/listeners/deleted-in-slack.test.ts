import { expect, it } from 'vitest';
import type { ShareRow, Transfer } from '../../src/ledger/index.ts';
import type { Asked } from '../../src/listeners/answer.ts';
import { keepCopies } from '../../src/listeners/deleted-in-slack.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';

const asked: Asked = {
  ...{ team: 'T1', channel: 'C1', userId: 'U1', role: 'member', linkBy: 'admins' },
  call: { lane: 'interactive' },
};
/** The shares of one message: its own, one that its sharer U1 saved, and one that U9 saved. */
const SHARES = [null, 'U1', 'U9'].map(
  (savedBy, nth) =>
    ({
      ...{ id: nth + 1, team: 'T1', channel: 'C1', userId: 'U1', savedBy },
    }) as Partial<ShareRow> as ShareRow,
);

const copy = (name: string, given: Partial<Transfer> = {}): Transfer =>
  ({
    ...{
      name,
      slackFileId: name,
      shareId: 1,
      userId: 'U1',
      state: 'filed',
      askedAt: 5,
      recordId: 1,
    },
    destination: { projectId: 1, folderId: 2 },
    ...given,
  }) as Partial<Transfer> as Transfer;

/** Presses Keep for the first share, with `elsewhere` as the channel in its value. */
async function pressKeep(
  copies: readonly Transfer[],
  press: Partial<Asked> = {},
  elsewhere?: string,
): Promise<string> {
  const ledger: Partial<ListenerContext['ledger']> = {
    findShareById: async (id) => SHARES.find((share) => share.id === id),
    sharesOf: async () => SHARES,
    transfersOfShare: async (id) => copies.filter(({ shareId }) => shareId === id),
    findLink: async () => null,
  };
  const names: Partial<ListenerContext['names']> = {
    nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
  };
  const context = { ledger, names } as Partial<ListenerContext> as ListenerContext;
  const claim = { shareId: 1, channel: elsewhere };
  return (await keepCopies({ ...asked, ...press }, claim, context)).text;
}

it.each<[string, Partial<Transfer>, boolean]>([
  ['covers a copy in another folder that was asked about at the same time', { shareId: 2 }, true],
  ['leaves out a copy that another person saved', { shareId: 3 }, false],
  ['leaves out a copy that was asked about at another time', { shareId: 2, askedAt: 9 }, false],
  ['leaves out a copy that nobody was asked about', { shareId: 2, askedAt: null }, false],
  ['leaves out a copy of another sharer', { shareId: 2, userId: 'U2' }, false],
  ['leaves out a copy that is deleted', { shareId: 2, state: 'deleted' }, false],
])('Keep %s', async (_what, given, isCovered) => {
  const said = await pressKeep([copy('own.pdf'), copy('other.pdf', given)]);
  expect(said).toContain('own.pdf');
  expect(said.includes('other.pdf')).toBe(isCovered);
});

it.each<[string, Partial<Asked>, string | undefined, boolean]>([
  ['accepts the sharer if its value names the channel of the share', {}, 'C1', true],
  ['refuses the sharer if its value names no channel', {}, undefined, false],
  ['refuses the sharer if its value names another channel', {}, 'C2', false],
  ['refuses another person', { userId: 'U2' }, 'C1', false],
])('Keep in a direct message %s', async (_who, by, channel, isAccepted) => {
  const said = await pressKeep([copy('own.pdf')], { ...by, channel: 'D1' }, channel);
  expect(said.includes('own.pdf')).toBe(isAccepted);
});

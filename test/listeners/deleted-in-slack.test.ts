import { expect, it } from 'vitest';
import type { ShareRow, Transfer } from '../../src/ledger/index.ts';
import type { Asked } from '../../src/listeners/answer.ts';
import { keepCopies } from '../../src/listeners/deleted-in-slack.ts';
import type { ListenerContext } from '../../src/listeners/listener-context.ts';

const asked: Asked = {
  ...{ team: 'T1', channel: 'C1', userId: 'U1', role: 'member', linkBy: 'admins' },
  call: { lane: 'interactive' },
};
/** The message by itself, and saved to other folders, by its sharer and by another: see sharesOf. */
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

/** Which files an answer to the question about the first share speaks of. */
async function spokenOf(
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
  ['of the same question in another folder', { shareId: 2 }, true],
  ['that another saved by hand', { shareId: 3 }, false],
  ['of another question', { shareId: 2, askedAt: 9 }, false],
  ['that nobody was asked about', { shareId: 2, askedAt: null }, false],
  ['of another sharer', { shareId: 2, userId: 'U2' }, false],
  ['that is deleted by now', { shareId: 2, state: 'deleted' }, false],
])('a press speaks of its copies, and a copy %s: %j %s', async (_what, given, isMeant) => {
  const said = await spokenOf([copy('own.pdf'), copy('other.pdf', given)]);
  expect(said).toContain('own.pdf');
  expect(said.includes('other.pdf')).toBe(isMeant);
});

it.each<[string, Partial<Asked>, string | undefined, boolean]>([
  ['its sharer, about its channel', {}, 'C1', true],
  ['its sharer, about no other channel', {}, undefined, false],
  ['its sharer, about another channel', {}, 'C2', false],
  ['somebody else', { userId: 'U2' }, 'C1', false],
])('in direct messages it may be pressed by %s: %j %s %s', async (_who, by, channel, isHis) => {
  const said = await spokenOf([copy('own.pdf')], { ...by, channel: 'D1' }, channel);
  expect(said.includes('own.pdf')).toBe(isHis);
});

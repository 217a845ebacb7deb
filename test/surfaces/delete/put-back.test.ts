import { expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { ShareRow, Transfer } from '../../../src/ledger/index.ts';
import { putBack } from '../../../src/surfaces/delete/put-back.ts';
import type { Asked } from '../../../src/surfaces/kit/answer.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { DESTINATION, sharedFile } from '../../support/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const HOUR = 60 * 60_000;
const clock = createFakeClock();
const SHARE = {
  ...{ id: 1, team: 'T1', channel: 'C1', userId: 'U1', savedBy: null },
} as Partial<ShareRow> as ShareRow;

const LINE = {
  ...{ channel: null, ts: '7', begun: 1, fingerprint: null, isDue: false },
  ...{ reaction: null, reactionBegun: null },
};

const asked: Asked = {
  ...{ team: 'T1', channel: 'C1', userId: 'U1', role: 'member', linkBy: 'admins' },
  call: { lane: 'interactive' },
};

/** Presses Put back for files that were deleted so long ago; returns what is said, and what began. */
async function press(
  ages: readonly number[],
  by: Partial<Asked> = {},
  /** Who saved the files by hand; `savers`: those of them that the message's share shows, too. */
  { saver = null, savers = [] }: { saver?: string | null; savers?: readonly string[] } = {},
  place: Awaited<ReturnType<SurfaceContext['findDestination']>> = null,
) {
  const begun: number[] = [];
  const file = (age: number, nth: number, shareId = 1) =>
    ({
      ...{ id: nth + 1, name: `${nth + 1}.pdf`, state: 'deleted', file: sharedFile({}), shareId },
      ...{ deletedAt: clock.now() - age, destination: DESTINATION },
    }) as Partial<Transfer> as Transfer;
  const files = ages.map((age, nth) => file(age, nth));
  const saved = savers.map((_, nth) => file(HOUR, ages.length + nth, nth + 2));
  const ledger: Partial<SurfaceContext['ledger']> = {
    findShareById: async () => ({ ...SHARE, savedBy: saver }),
    findMessage: async (key) => ({ ...LINE, ...key }),
    sharesOf: async () => [
      { ...SHARE, savedBy: saver },
      ...savers.map((savedBy, nth) => ({ ...SHARE, id: nth + 2, savedBy })),
    ],
    transfersOfShare: async (_id, { savedToo = false } = {}) =>
      savedToo ? [...files, ...saved] : files,
    putBack: async (ids) => begun.push(...ids),
  };
  const workspace: Partial<SurfaceContext['workspace']> = { fileInfo: async (file) => file };
  const context = {
    ...{ ledger, workspace, clock, logger: silentLogger, wake: () => undefined },
    findDestination: async () => place,
  } as Partial<SurfaceContext> as SurfaceContext;
  const said = await putBack({ ...asked, ...by }, { shareId: 1, transferId: null }, context);
  return { said: said?.text, begun };
}

it('puts back what was deleted within a day, and says that it is too late for the rest', async () => {
  expect(await press([23 * HOUR])).toMatchObject({ begun: [1] });
  expect(await press([24 * HOUR])).toEqual({
    ...{ said: 'Deleted over a day ago. Share 1.pdf again.', begun: [] },
  });
  expect(await press([24 * HOUR, HOUR])).toMatchObject({ begun: [2] });
});

it.each<[string, Partial<Asked>, string | null, boolean]>([
  ['the sharer', {}, null, true],
  ['an admin', { userId: 'U2', role: 'admin' }, null, true],
  ['another member', { userId: 'U2' }, null, false],
  ['the sharer of what another person saved', {}, 'U9', false],
  ['who saved it', { userId: 'U9' }, 'U9', true],
  ['a guest who shared it', { role: 'guest' }, null, false],
  ['somebody in another channel', { channel: 'C2', role: 'admin' }, null, false],
])('Put back of %s', async (_who, by, saver, isDone) => {
  expect((await press([HOUR], by, { saver })).begun).toEqual(isDone ? [1] : []);
});

it.each<[string, Partial<Asked>, readonly number[], readonly number[]]>([
  ['its saver', { userId: 'U9' }, [], [1]],
  ['an admin', { userId: 'U2', role: 'admin' }, [HOUR], [1, 2, 3]],
  ['the sharer, who shared another of them', {}, [HOUR], [1]],
  ['the saver of one of them', { userId: 'U9' }, [HOUR], [2]],
])('Put back under a message of what was saved by hand: %s', async (_who, by, ages, begun) => {
  expect((await press(ages, by, { savers: ['U9', 'U8'] })).begun).toEqual(begun);
});

it('Put back says whom to ask about what another person saved by hand', async () => {
  expect(await press([HOUR], {}, { saver: 'U9' })).toEqual({
    said: 'You can’t put 1.pdf back. Ask who saved it here, or a workspace admin.',
    begun: [],
  });
});

it('Put back works in every channel that is linked to the file’s folder, and in no other', async () => {
  const names = { projectTitle: null, folderName: null };
  const by = (folder: object, isDefault: boolean) =>
    press([HOUR], { channel: 'C2' }, {}, { ...DESTINATION, ...names, ...folder, isDefault });
  expect(await by({}, false)).toMatchObject({ begun: [1] });
  const refused = {
    ...{
      said: 'You can’t put this file back. It isn’t one of the files here. Type /files to see those.',
    },
    begun: [],
  };
  expect(await by({}, true)).toEqual(refused);
  expect(await by({ folderId: DESTINATION.folderId + 1 }, false)).toEqual(refused);
});

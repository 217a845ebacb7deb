import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import { SlackCallError } from '../../../src/slack/index.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { keepBookmark } from '../../../src/surfaces/link/keep-bookmark.ts';
import { openEmptyLedger } from '../../support/open-empty-ledger.ts';

const REF = { team: 'T1', channel: 'C1' };
const PLACE = 'https://acme.example/projects/1/folders/';

let ledger: Ledger;
/** The channel's bookmarks: their addresses by identifier. */
let there: Map<string, string>;
let added = 0;
beforeEach(async () => {
  ledger = await openEmptyLedger(0);
  there = new Map();
  added = 0;
});
afterEach(() => ledger.close());

const link = (folderId: number, url: string | null = `${PLACE}${folderId}`) =>
  ledger.setLink(REF, {
    ...{ projectId: 1, folderId, projectTitle: 'Website', folderName: 'Logos', url },
    ...{ linkedBy: 'U1', linkedAt: 1 },
  });

interface Slack {
  mayBookmark?: boolean;
  /** Why Slack refuses a bookmark. Default: it takes it. */
  refusal?: string;
  /** Called before a bookmark is added. */
  meanwhile?: () => Promise<unknown>;
  /** Default: the ledger's own. */
  noteBookmark?: Ledger['noteBookmark'];
}

function keep({ mayBookmark = true, refusal, meanwhile, noteBookmark }: Slack = {}) {
  const workspace: Partial<SurfaceContext['workspace']> = {
    mayBookmark,
    findBookmark: async (_channel, address) =>
      [...there].find(([, one]) => one === address)?.[0] ?? null,
    addBookmark: async (_channel, { link: address }) => {
      await meanwhile?.();
      if (refusal) throw new SlackCallError('SLACK_REFUSED', 'no', { reason: refusal });
      added += 1;
      there.set(`Bk${added}`, address);
      return `Bk${added}`;
    },
    removeBookmark: async (_channel, id) => void there.delete(id),
  };
  const names: Partial<SurfaceContext['names']> = {
    nameFolder: async (folder) => ({ projectTitle: null, folderName: null, ...folder }),
  };
  const noting = noteBookmark ? { ...ledger, noteBookmark } : ledger;
  const context = { ledger: noting, workspace, names, logger: silentLogger };
  return keepBookmark(REF, context as Partial<SurfaceContext> as SurfaceContext);
}

const shown = () => [...there.values()];

it('a linked channel gets one bookmark of its folder, however often it is linked', async () => {
  await link(2);
  await keep();
  await keep();
  await Promise.all([keep(), keep()]);
  expect(shown()).toEqual([`${PLACE}2`]);
});

it('two links of one moment add one bookmark, which need not be taken away again', async () => {
  await link(2);
  await Promise.all([keep(), keep()]);
  expect(added).toBe(1);
});

it('a bookmark of the folder that is there already is taken over', async () => {
  there.set('Bk0', `${PLACE}2`);
  await link(2);
  await keep();
  expect(added).toBe(0);
  await ledger.removeLink(REF);
  await keep();
  expect(shown()).toEqual([]);
});

it('another folder takes its place, and an unlinked channel has none', async () => {
  await link(2);
  await keep();
  await link(3);
  await keep();
  expect(shown()).toEqual([`${PLACE}3`]);
  await ledger.removeLink(REF);
  await keep();
  expect(shown()).toEqual([]);
});

it('a link that changes while a bookmark is added leaves only that of the new folder', async () => {
  await link(2);
  const later: Promise<void>[] = [];
  const meanwhile = async () => {
    if (later.length > 0) return;
    await link(3);
    later.push(keep());
  };
  await keep({ meanwhile });
  await Promise.all(later);
  expect(shown()).toEqual([`${PLACE}3`]);
});

it('a folder without an address has no bookmark', async () => {
  await link(2, null);
  await keep();
  expect(shown()).toEqual([]);
});

it.each([
  ['lacks the scope', { mayBookmark: false }],
  ['refuses it', { refusal: 'permission_denied' }],
])('nothing fails where Slack %s', async (_what, slack) => {
  await link(2);
  await keep(slack);
  expect(shown()).toEqual([]);
  expect(await ledger.findLink(REF)).not.toBeNull();
});

it('a bookmark that cannot be noted is taken away again', async () => {
  await link(2);
  const noteBookmark = () => Promise.reject(new Error('the disk is full'));
  await expect(keep({ noteBookmark })).rejects.toThrow('the disk is full');
  expect(shown()).toEqual([]);
});

import type { types } from '@slack/bolt';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { listenForLinks } from '../../../src/surfaces/previews/listen-for-links.ts';
import { fileRecord } from '../../support/builders.ts';
import { standInBolt } from '../../support/stand-in-bolt.ts';

const URL_OF_7 = 'https://files.example/acme/files/7/view?of=1';
const RECORD = fileRecord({ id: 7, name: 'plan.pdf', byteSize: 1_200_000, url: URL_OF_7 });
const FILED = {
  ...{ shareId: 1, transferId: 1, slackFileId: 'F1', userId: 'U0BEN', savedBy: null },
  ...{ team: 'T1', channel: 'C1', ts: '1700000000.000100', threadTs: null, name: 'plan.pdf' },
  ...{ state: 'filed' as const, byteSize: 1_200_000, recordCreator: null },
};

interface Given {
  urls?: string[];
  source?: string;
  scopes?: string[];
  /** Whether the channel has the default folder, of which it sees only what was shared in it. */
  isDefault?: boolean;
  /** Whether the file was shared in the channel. */
  isOwn?: boolean;
}

/** Returns what is shown under the addresses of a message, by address. */
async function previewsOf(given: Given) {
  const { urls = [URL_OF_7], source = 'conversations_history', isDefault = false } = given;
  const { scopes = ['links:read', 'links:write'], isOwn = true } = given;
  const shown: unknown[] = [];
  const work: Promise<unknown>[] = [];
  const listeners: ((given: { event: object }) => Promise<void>)[] = [];
  const event = (_type: string, listener: (typeof listeners)[number]) =>
    void listeners.push(listener);
  const ledger: Partial<SurfaceContext['ledger']> = {
    findFolder: async () =>
      ({ id: 3 }) as Awaited<ReturnType<SurfaceContext['ledger']['findFolder']>>,
    recordsNumbered: async (_folder, numbers) =>
      new Map(
        numbers.includes(7)
          ? [[7, { ...RECORD, firstSeen: 1, changedIn: 1, goneSince: null }]]
          : [],
      ),
    recordsOfChannels: async () =>
      new Map(isOwn ? [[7, { name: 'plan.pdf', recordName: null, byteSize: 1_200_000 }]] : []),
    filedRecords: async () => new Map([[7, FILED]]),
  };
  const workspace: Partial<SurfaceContext['workspace']> = {
    identity: { team: 'T1', botUserId: 'UBOT', botId: undefined, scopes },
    unfurl: async (_message, unfurls) => void shown.push(unfurls),
  };
  const context = {
    ...{ ledger, workspace, logger: silentLogger },
    inBackground: (one: Promise<unknown>) => void work.push(one),
    findDestination: async () => ({
      ...{ projectId: 1, folderId: 2, projectTitle: null, folderName: null, isDefault },
    }),
  } as Partial<SurfaceContext> as SurfaceContext;
  listenForLinks(standInBolt({ event }), context);
  const links = urls.map((url) => ({ domain: 'files.example', url }));
  const shared = { type: 'link_shared', channel: 'C1', message_ts: '2.0', links, source };
  for (const listener of listeners) await listener({ event: shared });
  await Promise.all(work);
  return shown;
}

const wordsOf = (shown: unknown[]) => JSON.stringify(shown);

it('shows a file’s name and size, who shared it and when, under its address alone', async () => {
  const other = 'https://files.example/acme/files/8/view';
  const [previews] = await previewsOf({ urls: [other, `${URL_OF_7}#page=2`] });
  expect(Object.keys(previews as object)).toEqual([`${URL_OF_7}#page=2`]);
  const blocks = (previews as Record<string, { blocks: types.RichTextBlock[] }>)[
    `${URL_OF_7}#page=2`
  ];
  expect(wordsOf([blocks])).toContain('plan.pdf');
  expect(wordsOf([blocks])).toMatch(/1\.2 MB.*shared by .*U0BEN.* on .*14 Nov 2023/);
});

it.each<[string, Given]>([
  ['an address that only has the number of a file', { urls: ['https://files.example/else/7'] }],
  [
    'a file of the default folder that was shared in another channel',
    { isDefault: true, isOwn: false },
  ],
  ['a message that is being written', { source: 'composer' }],
  ['an app without the scope', { scopes: ['chat:write'] }],
])('shows nothing for %s', async (_what, given) => {
  expect(await previewsOf(given)).toEqual([]);
});

it('shows a file of the default folder that was shared in this channel', async () => {
  expect(await previewsOf({ isDefault: true })).toHaveLength(1);
});

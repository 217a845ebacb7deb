import { expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/base/index.ts';
import type { View } from '../../src/blocks/index.ts';
import * as blocks from '../../src/blocks/index.ts';

const NOW = Date.UTC(2025, 2, 14, 14, 30);
const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const FOLDER = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
const READER = { linkBy: 'admins', mayLink: true, isDirect: true } as const;
const MEMBER = { ...READER, mayLink: false };

const file = (phase: 'refused' | 'waiting', problem: ErrorCode): blocks.ShareFile => ({
  ...{ name: 'a.pdf', url: null, sizeBytes: 1, phase, problem, problemNote: null },
  ...{ nextTryAt: null, progress: null, place: null, deletedBy: null, hasRecord: true },
});

const lineOf = (of: blocks.ShareFile, reader: blocks.LineReader | null, isNotified = false) =>
  blocks.shareLine({
    ...{ shareId: 7, folder: null, operator: null, sharedAt: NOW, now: NOW, files: [of], reader },
    pause: of.phase === 'waiting' ? { isNotified } : null,
  });

const inDirect = { channel: 'D012ABCDEF', pausedFor: 'DESTINATION_GONE' } as const;
const refused = (problem: ErrorCode) => ({
  ...{ kind: 'refused' as const, problem, count: 1, name: 'a.pdf', nextTryAt: null },
});
const attention = (reader: typeof READER | typeof MEMBER) => ({
  ...{ ...reader, mayRetry: true, pages: { page: 1, linksPage: 1 }, operator: null, now: NOW },
  channels: [{ ...inDirect, files: CODES.map(refused) }],
  inHand: { count: 0, isMore: false },
});

const counts = { total: 1, filed: 0, refused: 0, waiting: 1, refusals: [], files: [] };
const TROUBLE = { note: null, retryAfterMs: null, reference: null, operator: null, ...READER };

const VIEWS: Record<string, () => View[]> = {
  'the line in a thread': () =>
    CODES.flatMap((code) => [
      ...[null, { ...READER, mayRetry: true }, { ...MEMBER, mayRetry: true }].map((reader) =>
        lineOf(file('refused', code), reader),
      ),
      ...[true, false].map((isNotified) => lineOf(file('waiting', code), null, isNotified)),
    ]),
  'what needs attention': () => [READER, MEMBER].map((reader) => blocks.status(attention(reader))),
  'a failure': () =>
    CODES.flatMap((code) =>
      (['list', 'link', 'unlink', 'announce'] as const).map((doing) =>
        blocks.serviceTrouble({ ...TROUBLE, code, doing }),
      ),
    ),
  'a delete of a file that is not here': () => [
    blocks.deleteRefused({ reason: 'elsewhere', name: 'a.pdf' }),
  ],
  'a list that guests do not get': () => [blocks.membersOnly(MEMBER)],
  'the help in a thread': () => [
    blocks.help({
      ...{ ...READER, linked: FOLDER, isDefault: false, isIn: true },
      ...{ mayBrowse: true, inThread: true },
    }),
  ],
  'a change that could not be posted': () => [
    blocks.notAnnounced({ ...READER, code: 'SLACK_REFUSED' }),
  ],
  'the start of a backfill': () => [blocks.backfillStarted(READER)],
  'a backfill that Slack refuses': () => [
    blocks.backfillProgress({
      ...{ ...counts, operator: null, reportId: 1, reading: true, stopped: false, now: NOW },
      trouble: { problem: 'no_permission', nextTryAt: NOW + 60_000 },
    }),
  ],
  'the form that saves files': () =>
    [
      blocks.SAVE_FORM.show({
        ...{
          ...blocks.NOTHING_CHOSEN,
          picked: null,
          picks: [blocks.folderPick('channel', FOLDER)],
        },
        ...{ channel: 'D012ABCDEF', channelName: null, isElsewhere: false },
        ...{ ts: '1', threadTs: null, sharedBy: null, files: ['F1'], names: ['a.pdf'] },
      }),
    ].map(({ blocks: shown }) => ({ text: '', blocks: shown })),
};

it.each(Object.entries(VIEWS))('in a direct message, %s calls it no channel', (_what, viewsOf) => {
  const called = JSON.stringify(viewsOf()).match(/[^"]*\b(this|the) channel\b[^"]*/gi);
  expect(new Set(called)).toEqual(new Set());
});

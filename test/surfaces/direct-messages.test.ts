import { expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/base/index.ts';
import { deleteRefused } from '../../src/surfaces/delete/delete-answers.ts';
import { help } from '../../src/surfaces/help/help.ts';
import { HELP_LINES } from '../../src/surfaces/index.ts';
import type { ShareFile } from '../../src/surfaces/kit/file-lines.ts';
import type { View } from '../../src/surfaces/kit/layout.ts';
import type { LineReader } from '../../src/surfaces/kit/prose.ts';
import { membersOnly } from '../../src/surfaces/kit/refusals.ts';
import { serviceTrouble } from '../../src/surfaces/kit/service-trouble.ts';
import { backfillStarted } from '../../src/surfaces/link/earlier-files-view.ts';
import { notAnnounced } from '../../src/surfaces/link/link-messages.ts';
import { backfillReport } from '../../src/surfaces/reports/report-view.ts';
import { folderPick, SAVE_FORM } from '../../src/surfaces/save/save-view.ts';
import { shareLine } from '../../src/surfaces/share-line/share-line.ts';
import { status } from '../../src/surfaces/status/attention-view.ts';

const NOW = Date.UTC(2025, 2, 14, 14, 30);
const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const FOLDER = { projectId: 1, folderId: 2, projectTitle: 'Accounts', folderName: 'Invoices' };
const READER = { linkBy: 'admins', mayLink: true, isDirect: true } as const;
const MEMBER = { ...READER, mayLink: false };

const file = (phase: 'refused' | 'waiting', problem: ErrorCode): ShareFile => ({
  ...{ name: 'a.pdf', url: null, sizeBytes: 1, phase, problem, problemNote: null },
  ...{ nextTryAt: null, progress: null, place: null, deletedBy: null, hasRecord: true },
});

const lineOf = (of: ShareFile, reader: LineReader | null, isNotified = false) =>
  shareLine({
    ...{ shareId: 7, folder: null, operator: null, sharedAt: NOW, now: NOW, files: [of], reader },
    pause: of.phase === 'waiting' ? { isNotified } : null,
  });

const inDirect = { channel: 'D012ABCDEF', heldFor: 'DESTINATION_GONE' } as const;
const refused = (problem: ErrorCode) => ({
  ...{ kind: 'refused' as const, problem, count: 1, name: 'a.pdf', nextTryAt: null },
});
const attention = (reader: typeof READER | typeof MEMBER) => ({
  ...{ ...reader, mayRetry: true, pages: { page: 1, linksPage: 1 }, operator: null, now: NOW },
  channels: [{ ...inDirect, files: CODES.map(refused) }],
  ...{ hasDefault: false, inHand: { count: 0, isMore: false } },
});

const counts = { total: 1, filed: 0, refused: 0, waiting: 1, refusals: [], files: [] };
const TROUBLE = { note: null, retryAfterMs: null, reference: null, operator: null, ...READER };

const VIEWS: Record<string, () => View[]> = {
  'the line in a thread': () =>
    CODES.flatMap((code) => [
      ...[null, READER, MEMBER].map((reader) =>
        lineOf(file('refused', code), reader && { ...reader, mayRetry: true, mayPutBack: true }),
      ),
      ...[true, false].map((isNotified) => lineOf(file('waiting', code), null, isNotified)),
    ]),
  'what needs attention': () => [READER, MEMBER].map((reader) => status(attention(reader))),
  'a failure': () =>
    CODES.flatMap((code) =>
      (['list', 'link', 'unlink', 'announce'] as const).map((doing) =>
        serviceTrouble({ ...TROUBLE, code, doing }),
      ),
    ),
  'a delete of a file that is not here': () => [
    deleteRefused({ reason: 'elsewhere', name: 'a.pdf' }),
  ],
  'a list that guests do not get': () => [membersOnly(MEMBER)],
  'the help in a thread': () => [
    help({
      ...{ ...READER, linked: FOLDER, isDefault: false, isIn: true },
      ...{ mayBrowse: true, inThread: true, commands: HELP_LINES },
    }),
  ],
  'a change that could not be posted': () => [notAnnounced(READER)],
  'the start of a backfill': () => [backfillStarted(READER)],
  'a backfill that Slack refuses': () => [
    backfillReport({
      ...{ ...counts, operator: null, reportId: 1, reading: true, stopped: false, now: NOW },
      trouble: { problem: 'no_permission', nextTryAt: NOW + 60_000 },
    }),
  ],
  'the form that saves files': () =>
    [
      SAVE_FORM.show({
        ...{ folder: null, isListed: true, picked: null, picks: [folderPick('channel', FOLDER)] },
        ...{ channel: 'D012ABCDEF', channelName: null, isElsewhere: false },
        ...{ ts: '1', threadTs: null, sharedBy: null, files: ['F1'], names: ['a.pdf'] },
      }),
    ].map(({ blocks: shown }) => ({ text: '', blocks: shown })),
};

it.each(Object.entries(VIEWS))('in a direct message, %s calls it no channel', (_what, viewsOf) => {
  const called = JSON.stringify(viewsOf()).match(/[^"]*\b(this|the) channel\b[^"]*/gi);
  expect(new Set(called)).toEqual(new Set());
});

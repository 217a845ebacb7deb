import type { ErrorCode } from '../../src/base/index.ts';
import { HELP_LINES } from '../../src/surfaces/index.ts';
import { type Line, plainText, say } from '../../src/surfaces/kit/prose.ts';
import { sharedFile, share as sharedMessage, shareFile } from '../support/builders.ts';
import * as blocks from '../support/views.ts';

/** A view with sample data, and when people read it. */
export interface Sample {
  when: string;
  view: blocks.View;
}

export interface Chapter {
  title: string;
  samples: Sample[];
}

const NOW = Date.UTC(2025, 2, 14, 14, 30);
const MINUTE = 60_000;
const OPERATOR = 'Ada Lovelace';
const ADA = 'U012ABCDEF';
const INVOICES = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
const CONTRACTS = {
  projectId: 12,
  folderId: 346,
  projectTitle: 'Accounts',
  folderName: 'Contracts',
};
const HOSTILE = '<!channel> *free* \u202Egnp.exe';
const SERVICE_DOWN = {
  ...{ note: null, retryAfterMs: null, reference: 'a1b2c3d4', operator: OPERATOR },
  linkBy: 'admins' as const,
};

/** Everything that people read, in the order in which they meet it. */
export function chapters(): Chapter[] {
  return [
    { title: 'Sharing files', samples: sharing() },
    { title: 'A channel without a folder', samples: unlinkedChannel() },
    { title: 'Linking', samples: linking() },
    { title: 'Earlier files', samples: earlierFiles() },
    { title: 'What others add to the folder', samples: added() },
    { title: '/files', samples: listing() },
    { title: '/files find', samples: finding() },
    { title: '/files status, and the App Home', samples: attention() },
    { title: 'Deleting', samples: deleting() },
    { title: 'Shortcuts on messages', samples: [...shortcuts(), ...saving()] },
    { title: '/folders', samples: folders() },
    { title: 'Help, and what was not understood', samples: help() },
    { title: 'Who may not', samples: refusals() },
    { title: 'When something fails', samples: trouble() },
  ];
}

function sample(when: string, view: blocks.View): Sample {
  return { when, view };
}

function file(name: string, changes: Partial<blocks.ShareFile> = {}): blocks.ShareFile {
  return shareFile(name, { sizeBytes: 1_200_000, ...changes });
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function share(
  files: readonly blocks.ShareFile[],
  folder: typeof INVOICES | null = INVOICES,
  changes: Partial<Parameters<typeof blocks.shareLine>[0]> = {},
) {
  return blocks.shareLine({
    shareId: 7,
    files,
    folder,
    ...changes,
    operator: OPERATOR,
    sharedAt: NOW - 13_000,
    now: NOW,
  });
}

function refused(problem: ErrorCode): blocks.ShareFile {
  return file('budget.xlsx', { phase: 'refused', problem });
}

function sharing(): Sample[] {
  const waiting = { phase: 'waiting', problem: 'SERVICE_FAILED' } as const;
  const unconfirmed = { problem: 'TWIN_UNCONFIRMED', nextTryAt: NOW + 40 * MINUTE } as const;
  const sent = { sentBytes: 18e8, totalBytes: 42e8 };
  const progress = { ...sent, begunAt: NOW - 100_000, movedAt: NOW };
  const sixty = many(60, (index) =>
    file(`page-${index + 1}.png`, index < 24 ? {} : { phase: 'waiting', place: index - 23 }),
  );
  return [
    sample(
      'One file is filed: its name leads to it.',
      share([file('report.pdf', { url: 'https://acme.example/files/1' })]),
    ),
    sample('Ten are.', share(many(10, (index) => file(`page-${index + 1}.png`)))),
    sample('Sixty are on their way.', share(sixty)),
    sample('A name that pretends to be something else.', share([file(HOSTILE)])),
    sample(
      'A large file is being sent.',
      share([file('film.mp4', { phase: 'sending', progress })]),
    ),
    sample('It waits for its turn.', share([file('plan.pdf', { phase: 'waiting', place: 12 })])),
    sample(
      'Redis, by which several instances share the rate limit, cannot be used.',
      share([file('plan.pdf', { phase: 'waiting', place: 12 })], INVOICES, {
        heldBack: { code: 'SERVICE_LIMIT_AWAY', until: null },
      }),
    ),
    sample(
      'The service asks all to wait.',
      share([file('plan.pdf', { phase: 'sending' })], INVOICES, {
        heldBack: { code: 'SERVICE_RATE_LIMITED', until: NOW + 4_000 },
      }),
    ),
    sample(
      'Pigeonhole has just started, and sends nothing for one window of the rate limit.',
      share([file('plan.pdf', { phase: 'sending' })], INVOICES, {
        heldBack: { code: null, until: NOW + 4_000 },
      }),
    ),
    sample(
      'The file service fails.',
      share([file('plan.pdf', { ...waiting, nextTryAt: NOW + 2 * MINUTE })]),
    ),
    sample(
      'The same, seconds before.',
      share([file('plan.pdf', { ...waiting, nextTryAt: NOW + 4_000 })]),
    ),
    sample(
      'Its answer is late or lost.',
      share([file('plan.pdf', { phase: 'checking', problem: 'SERVICE_TIMEOUT', nextTryAt: NOW })]),
    ),
    ...HOLD_REASONS.map((problem) =>
      sample(
        `Files are waiting: ${problem}.`,
        share([file('plan.pdf', { ...waiting, problem })], INVOICES, {
          pause: { isNotified: true },
        }),
      ),
    ),
    sample(
      'An identical file was sent before, and it is not known whether that one arrived.',
      share([file('plan.pdf', { ...waiting, ...unconfirmed })]),
    ),
    sample(
      'It was gone before somebody pressed Delete.',
      share([file('old.pdf', { phase: 'deleted' })]),
    ),
    sample(
      'Somebody deleted it.',
      share([file('old.pdf', { phase: 'deleted', deletedBy: ADA, mayComeBack: true })]),
    ),
    sample(
      'It is filed, and which entry is its is not known.',
      share([file('plan.pdf', { hasRecord: false })]),
    ),
    sample('Nothing of the message is left.', share([])),
    sample(
      'One of two was deleted in Slack first.',
      share([
        file('report.pdf'),
        file('plan.pdf', { phase: 'withdrawn', problem: 'SLACK_FILE_DELETED' }),
      ]),
    ),
    ...SHARE_PROBLEMS.map((code) => sample(`It can’t be filed: ${code}.`, share([refused(code)]))),
    sample(
      'One file was shared while Pigeonhole was away.',
      blocks.catchUpReport({
        ...{ ...REPORT, refusals: [], files: [{ name: 'b.pdf' }] },
        ...{ total: 1, filed: 1, refused: 0, waiting: 0 },
      }),
    ),
    sample(
      'Files were shared while Pigeonhole was away.',
      blocks.catchUpReport({ ...REPORT, total: 10, filed: 9, refused: 1, waiting: 0 }),
    ),
    sample(
      'The same, where one was deleted in Slack meanwhile.',
      blocks.catchUpReport({
        ...{ ...REPORT, total: 10, filed: 9, refused: 1, waiting: 0 },
        refusals: [{ name: 'budget.xlsx', problem: 'SLACK_FILE_DELETED', problemNote: null }],
      }),
    ),
    sample(
      'A file that can’t be recorded, as Slack says too little about it.',
      blocks.notRecorded({ files: 1, operator: OPERATOR }),
    ),
  ];
}

const HOLD_REASONS = [
  ...(['DESTINATION_GONE', 'SERVICE_FORBIDDEN', 'SERVICE_UPLOAD_FORBIDDEN'] as const),
  ...(['SERVICE_UNAUTHORIZED', 'SLACK_FILE_UNAUTHORIZED'] as const),
] as const;

const SHARE_PROBLEMS: ErrorCode[] = [
  'TWIN_UNCONFIRMED',
  ...(['LEDGER_CONFLICT', 'SERVICE_BAD_REQUEST', 'SERVICE_REFUSED'] as const),
  ...(['SERVICE_BLOCKED', 'SERVICE_TOO_LARGE', 'SERVICE_WRONG_TYPE'] as const),
  ...(['SERVICE_UNLAWFUL', 'SERVICE_FULL', 'SERVICE_UPLOAD_FORBIDDEN'] as const),
  ...(['SERVICE_UNAUTHORIZED', 'SERVICE_FORBIDDEN', 'DESTINATION_GONE'] as const),
  ...(['SLACK_FILE_UNAVAILABLE', 'SLACK_FILE_NOT_FOUND', 'SLACK_FILE_EXTERNAL'] as const),
  ...(['SLACK_FILE_HIDDEN', 'SLACK_FILE_DENIED', 'SLACK_FILE_UNAUTHORIZED'] as const),
  'SLACK_FILE_EMAIL',
  ...(['SLACK_FILE_UNSUPPORTED', 'SLACK_FILE_SIGN_IN_PAGE', 'SLACK_FILE_SIZE_MISMATCH'] as const),
  ...(['SLACK_FILE_FOREIGN_HOST', 'RECORD_UNSEEN', 'RECORD_SIZE_MISMATCH'] as const),
  ...(['RECORD_UNCLEAR', 'RECORD_UNCONFIRMED', 'ATTEMPTS_EXHAUSTED', 'UNEXPECTED'] as const),
];

const REPORT = {
  operator: OPERATOR,
  files: many(9, (index) => ({
    name: `page-${index + 1}.png`,
    url: `https://acme.example/files/${index + 1}`,
  })),
  refusals: [{ name: 'budget.xlsx', problem: 'SLACK_FILE_EXTERNAL', problemNote: null }] as const,
};

function unlinkedChannel(): Sample[] {
  return [
    sample(
      'A file is shared there; each who shares hears it once.',
      blocks.noDestinationHint({ linkBy: 'admins', mayLink: false, isDirect: false }),
    ),
    sample(
      'An admin asks for its files.',
      blocks.noDestinationHint({ linkBy: 'admins', mayLink: true, isDirect: false }),
    ),
    sample(
      'A member asks for its files, and the app is not in the channel.',
      blocks.noDestinationHint({
        ...{ linkBy: 'admins', mayLink: false, isDirect: false, isIn: false },
      }),
    ),
    sample(
      'A member shares one with Pigeonhole directly.',
      blocks.noDestinationHint({ linkBy: 'admins', mayLink: false, isDirect: true }),
    ),
    sample(
      'To a person who adds Pigeonhole to a channel, and may link it.',
      blocks.addedHere({ linkBy: 'admins', fallback: null, mayLink: true }),
    ),
    sample(
      'To a person who adds Pigeonhole to a channel, with a default folder.',
      blocks.addedHere({ linkBy: 'admins', fallback: INVOICES, mayLink: false }),
    ),
    sample(
      'Its line, when an edit adds a file once the channel has a folder.',
      share([file('report.pdf'), file('plan.pdf', { phase: 'parked' })]),
    ),
    sample(
      'Its line, when it is left out on purpose.',
      share([file('plan.pdf', { phase: 'skipped' })]),
    ),
    sample('There is nothing to file.', blocks.NOTHING_TO_FILE),
  ];
}

function pausedLink(): Sample[] {
  const gone = { reason: 'DESTINATION_GONE', folder: INVOICES } as const;
  const denied = { reason: 'SERVICE_FORBIDDEN', folder: INVOICES } as const;
  const channel = 'C012ABCDEF';
  return [
    sample(
      'Its folder is gone, said to the person who linked it.',
      blocks.linkPaused({ ...gone, channel }),
    ),
    sample('The right to it is lost.', blocks.linkPaused({ ...denied, channel })),
    sample(
      'The right to upload to its project is lost.',
      blocks.linkPaused({ ...gone, reason: 'SERVICE_UPLOAD_FORBIDDEN', channel }),
    ),
    sample(
      'Who linked it cannot be told: said in the channel.',
      blocks.channelPaused({ ...gone, linkBy: 'admins' }),
    ),
    sample(
      'An admin asks for its files.',
      blocks.pausedHere({ ...gone, isDirect: false, mayLink: true }),
    ),
  ];
}

function waitingFiles(): Sample[] {
  const waiting = { count: 3, from: CONTRACTS, to: INVOICES };
  const settled = { ...waiting, beingSent: 1 };
  return [
    sample('Files wait for the folder of before.', blocks.waitingFiles(waiting)),
    sample(
      'The same as a direct message, to a person who links the channel and isn’t in it.',
      blocks.waitingFiles({ ...waiting, elsewhere: 'C012ABCDEF' }),
    ),
    sample('The same at an unlink.', blocks.waitingFiles({ ...waiting, to: null })),
    sample('They go to the new one.', blocks.waitingSettled(settled)),
    sample('They are left.', blocks.waitingSettled({ ...settled, to: null, beingSent: 0 })),
    sample(
      'They are filed by then.',
      blocks.waitingSettled({ ...settled, count: 0, beingSent: 0 }),
    ),
  ];
}

function linking(): Sample[] {
  const refusals: blocks.LinkRefusal[] = [
    ...(['not-allowed', 'guest', 'other-workspace', 'no-such-folder'] as const),
    ...(['forbidden', 'unreadable-target', 'too-long', 'ambiguous-name'] as const),
    ...(['no-names', 'not-all-read', 'which-project'] as const),
    ...(['only-a-project', 'other-address'] as const),
  ];
  const folder = INVOICES;
  const linked = blocks.linked({ isDirect: false, folder, byUserId: ADA, wasFolder: null });
  return [
    ...linkForm(),
    sample('`/files link` alone, where Slack opens no form.', blocks.linkUsage({})),
    sample('Done, said in the channel.', linked),
    sample('When I come in, linked before.', blocks.linkedBefore({ folder, byUserId: ADA })),
    sample(
      'From another folder.',
      blocks.linked({ isDirect: false, folder, byUserId: ADA, wasFolder: CONTRACTS }),
    ),
    sample(
      'Announcements with it.',
      blocks.linked({ isDirect: false, folder, byUserId: ADA, wasFolder: null, announces: true }),
    ),
    sample('It was so already.', blocks.alreadyLinked({ isDirect: false, folder })),
    sample(
      'The same, to a person who isn’t in the channel.',
      blocks.alreadyLinked({ isDirect: false, folder, elsewhere: 'C012ABCDEF' }),
    ),
    sample('In a direct message of others.', blocks.NOT_IN_CONVERSATION),
    sample(
      'Refused in a direct message.',
      blocks.linkRefused({
        linkBy: 'admins',
        reason: 'not-allowed',
        typed: '12/345',
        isDirect: true,
      }),
    ),
    sample('Pigeonhole is not in the channel.', blocks.notInChannel({ folder })),
    sample(
      'Done, and the channel could not be told.',
      blocks.stacked(linked, blocks.notAnnounced({})),
    ),
    ...refusals.map((reason) =>
      sample(
        `Refused: ${reason}.`,
        blocks.linkRefused({ linkBy: 'admins', reason, typed: 'office/plans', isDirect: false }),
      ),
    ),
    sample(
      'Refused: no-such-folder, where another has nearly that name.',
      blocks.linkRefused({
        ...{ linkBy: 'admins', reason: 'no-such-folder', typed: 'qoutes', isDirect: false },
        nearest: 'Office move/Quotes',
      }),
    ),
    sample(
      'Refused to a guest, where members may link.',
      blocks.linkRefused({ reason: 'guest', typed: '12/345', isDirect: false, linkBy: 'members' }),
    ),
    ...waitingFiles(),
    ...pausedLink(),
    sample('`/files unlink`.', blocks.confirmUnlink({ isDirect: false, folder, fallback: null })),
    sample(
      'Where there is a default folder.',
      blocks.confirmUnlink({ isDirect: false, folder, fallback: CONTRACTS }),
    ),
    sample('No.', blocks.LINK_KEPT),
    sample(
      'Yes, said to who did it.',
      blocks.undoUnlink({ ...{ isDirect: false, folder, fallback: null }, ...QUIET }),
    ),
    sample(
      'And said in the channel.',
      blocks.unlinked({ isDirect: false, folder, byUserId: ADA, fallback: null }),
    ),
    sample(
      'Back to the default.',
      blocks.unlinked({ isDirect: false, folder, byUserId: ADA, fallback: CONTRACTS }),
    ),
    sample('There was nothing to unlink.', blocks.notLinked({ isDirect: false })),
    sample('`/files unlink` with further words.', blocks.UNLINK_USAGE),
  ];
}

function added(): Sample[] {
  const folder = INVOICES;
  const files = many(10, (index) => ({
    name: `page-${index + 1}.png`,
    url: `https://acme.example/files/${index}`,
  }));
  const by = 'Maya Chen';
  const addedBy = (count: number, who: string | null) =>
    blocks.filesAdded({ folder, count, files: files.slice(0, count), by: who });
  const announcements = (on: boolean, mayLink: boolean) =>
    blocks.announcementsStand({ linkBy: 'admins', folder, on, mayLink });
  return [
    sample('Others added one file.', addedBy(1, null)),
    sample('Somebody did whom the file service names.', addedBy(3, by)),
    sample('Many came at once.', addedBy(4_000, by)),
    sample(
      '`/files announce on`, said in the channel.',
      blocks.announcementsSwitched({ folder, on: true, byUserId: ADA }),
    ),
    sample(
      '`/files announce off`, said in the channel.',
      blocks.announcementsSwitched({ folder, on: false, byUserId: ADA }),
    ),
    sample('`/files announce` while they are on.', announcements(true, true)),
    sample('While I am not in the channel.', blocks.announcementsUnseen({ folder })),
    sample('While they are off.', announcements(false, true)),
    sample('The same, for who may not change it.', announcements(false, false)),
    sample(
      'In a channel on the default folder, to a member.',
      blocks.noAnnouncements({ linkBy: 'admins', mayLink: false, folder }),
    ),
  ];
}

function earlierFiles(): Sample[] {
  const destination = INVOICES;
  const report = { ...REPORT, reportId: 5, now: NOW, trouble: null };
  const counts = { total: 4_000, filed: 1_200, refused: 1, waiting: 2_799 };
  const going = { ...report, ...counts, files: [], reading: false, stopped: false };
  const reading = { ...going, reading: true };
  const trouble = { problem: 'missing_scope', nextTryAt: NOW + 10 * MINUTE };
  return [
    sample('Some were held back.', blocks.confirmParked({ count: 3, destination })),
    sample(
      'The same, in direct messages, where the person is not in the channel.',
      blocks.confirmParked({ count: 3, destination, elsewhere: 'C012ABCDEF' }),
    ),
    sample('The history has one.', blocks.backfillOffer({ count: 1, more: false, destination })),
    sample(
      'The same as a direct message, to a person who links the channel and isn’t in it.',
      blocks.backfillOffer({ count: 1, more: false, destination, elsewhere: 'C012ABCDEF' }),
    ),
    sample('It has many.', blocks.backfillOffer({ count: 500, more: true, destination })),
    sample('Taken: what was held back.', blocks.parkedFiled({ count: 3 })),
    sample(
      'Taken twice, or after all were deleted in Slack; declined once it was taken.',
      blocks.EARLIER_FILES_TAKEN,
    ),
    sample('Taken: the history.', blocks.backfillStarted({})),
    sample('Declined.', blocks.earlierFilesLeft({ newOnesFiled: true })),
    sample(
      'Declined in a channel that was unlinked since.',
      blocks.earlierFilesLeft({ newOnesFiled: false }),
    ),
    sample('Unlinked meanwhile.', blocks.nowhereToFile({})),
    sample(
      'Unlinked meanwhile, where it was asked in direct messages.',
      blocks.nowhereToFile({ elsewhere: 'C012ABCDEF' }),
    ),
    sample('Linked elsewhere meanwhile.', blocks.linkedElsewhere({ folder: CONTRACTS })),
    sample(
      'Linked elsewhere meanwhile, where it was asked in direct messages.',
      blocks.linkedElsewhere({ folder: CONTRACTS, elsewhere: 'C012ABCDEF' }),
    ),
    sample('The history is being read.', blocks.backfillReport(reading)),
    sample('Slack does not let it.', blocks.backfillReport({ ...reading, trouble })),
    sample(
      'It was given up.',
      blocks.backfillReport({
        ...{ ...going, total: 0, filed: 0, waiting: 0, refused: 0, refusals: [], stopped: true },
        trouble: { ...trouble, nextTryAt: null },
      }),
    ),
    sample('Files go.', blocks.backfillReport(going)),
    sample('Stopped.', blocks.backfillReport({ ...going, waiting: 25, stopped: true })),
    sample('Done.', blocks.backfillReport({ ...going, ...report, filed: 3_999, waiting: 0 })),
    sample(
      'There was none.',
      blocks.backfillReport({
        ...going,
        total: 0,
        filed: 0,
        waiting: 0,
        refused: 0,
        refusals: [],
      }),
    ),
  ];
}

function listed(name: string, changes: Partial<blocks.ListedFile> = {}): blocks.ListedFile {
  return {
    ...{ id: 1, name, sizeBytes: 1_234_567, createdAt: NOW - 3 * 60 * MINUTE, sharedBy: ADA },
    ...{ mayDelete: true, creatorName: null, approvedCount: 0, proofCount: 0 },
    ...{ fileType: 'pdf', url: 'https://acme.example/files/1' },
    messageUrl: null,
    ...changes,
  };
}

function list(changes: Partial<blocks.FileListInput>): blocks.View {
  const files = changes.files ?? [];
  const total = files.length;
  return blocks.fileList({
    ...{ folder: INVOICES, files, onlyShared: false, total },
    ...{ matching: changes.total ?? total, page: 1, pages: 1, filter: null, copyAgeMs: null },
    ...{ unreadable: 0, missing: 'nothing', isIn: true, isDirect: false, notice: null, now: NOW },
    ...changes,
  });
}

const NONE_MISSED = { later: 0, shut: 0, beyond: 0 };

function found(changes: Partial<blocks.FoundFilesInput> = {}): blocks.View {
  const report = listed('Report-2024.pdf', { mayDelete: false });
  const messageUrl = 'https://acme.slack.com/archives/C01/p1';
  return blocks.foundFiles({
    ...{
      words: '2024 report',
      kind: null,
      page: 1,
      pages: 1,
      folders: 2,
      missed: NONE_MISSED,
      now: NOW,
    },
    files: [
      { ...report, messageUrl, folder: INVOICES, isHere: true },
      {
        ...report,
        createdAt: NOW - 40 * 60 * MINUTE,
        folder: CONTRACTS,
        isHere: false,
      },
    ],
    downAgeMs: null,
    kinds: { document: 2 },
    total: 4_000,
    ...changes,
  });
}

function finding(): Sample[] {
  const many = { page: 7, pages: 400, kinds: { document: 3_990, image: 10 } };
  return [
    sample('Two files of one name in two folders.', found()),
    sample(
      'Thousands, and a folder that could not be read now.',
      found({ ...many, missed: { ...NONE_MISSED, later: 1 } }),
    ),
    sample(
      'A folder that is gone or refused, and more folders than are searched at once.',
      found({ missed: { later: 0, shut: 1, beyond: 10 } }),
    ),
    sample('Only images.', found({ ...many, kind: 'image', page: 1, pages: 1 })),
    sample('Nothing.', found({ files: [], kinds: {} })),
    sample(
      'Nothing, where two folders could not be read now.',
      found({ files: [], kinds: {}, missed: { ...NONE_MISSED, later: 2 } }),
    ),
    sample('No words, and no files.', found({ files: [], kinds: {}, words: '' })),
    sample('While the file service is down.', found({ downAgeMs: 12 * MINUTE })),
    sample('None of the person’s channels has a folder.', blocks.NOWHERE_TO_FIND),
    modal('“Find files”.', blocks.findModal({ words: '', found: null })),
    sample('Slack did not open it from the App Home.', blocks.SEARCH_NOT_OPENED),
    modal('While it searches.', blocks.findModal({ words: '2024', found: blocks.SEARCHING })),
  ];
}

function listing(): Sample[] {
  const ten = many(10, (index) => listed(`invoice-${index + 1}.pdf`, { id: index + 1 }));
  const odd = [
    listed(HOSTILE, { mayDelete: false, sharedBy: null, creatorName: 'Bob', url: null }),
  ];
  const all = { files: ten.slice(0, 2), total: 4_000, pages: 800, page: 2 };
  const messageUrl = 'https://acme.slack.com/archives/C01/p1';
  const shared = { name: 'invoice.pdf', url: 'https://acme.example/files/1', folder: INVOICES };
  const previewed = { ...shared, sizeBytes: 1_234_567, sharedBy: ADA, at: NOW };
  return [
    sample('An empty folder.', list({})),
    sample('One file.', list({ files: [listed('invoice.pdf')] })),
    sample(
      'The same, where the folder’s address is known.',
      list({
        folder: { ...INVOICES, url: 'https://acme.example/folders/345' },
        files: [listed('invoice.pdf')],
      }),
    ),
    sample(
      'One that was shared here, and another of its name.',
      list({
        files: [
          listed('invoice.pdf', { messageUrl: 'https://acme.slack.com/archives/C01/p1' }),
          listed('invoice.pdf', { createdAt: NOW - 4 * 60 * MINUTE }),
        ],
      }),
    ),
    sample('A page of sixty.', list({ files: ten.slice(0, 5), total: 60, pages: 12 })),
    sample(
      'A page of 4,000, as it was just read for somebody else.',
      list({ ...all, copyAgeMs: 1_000 }),
    ),
    sample(
      'The same, while files wait for the service.',
      list({ ...all, copyAgeMs: 4_000, why: 'busy' }),
    ),
    sample('4,000, still being read.', list({ ...all, page: 1, missing: 'coming' })),
    sample('A name that pretends to be something else; somebody else’s.', list({ files: odd })),
    sample('By name.', list({ files: ten.slice(0, 1), total: 60, matching: 1, filter: 'voice-1' })),
    sample('Nothing has that name.', list({ total: 60, matching: 0, filter: 'offer' })),
    sample(
      'Nothing has that name yet.',
      list({ total: 60, matching: 0, filter: 'scan', inHand: 20 }),
    ),
    sample(
      'Nothing has the name `/files lnik`, which is nearly a command.',
      list({ total: 60, matching: 0, filter: 'lnik', nearest: 'link' }),
    ),
    sample(
      'While the file service is down.',
      list({ ...all, copyAgeMs: 12 * MINUTE, why: 'down' }),
    ),
    sample(
      'Details of one.',
      blocks.fileDetails({
        file: listed('invoice.pdf', { approvedCount: 2, messageUrl }),
        ...{ folder: INVOICES, list: { page: 1, filter: null } },
      }),
    ),
    sample('One is shared in the channel.', blocks.fileShared({ ...shared, by: ADA })),
    sample('It is pressed again.', blocks.alreadyShared(shared)),
    sample('Where I am not in the conversation.', blocks.CANNOT_SHARE),
    sample('It is gone by then.', blocks.NOT_HERE),
    sample('Its address is posted in the channel.', blocks.filePreview(previewed)),
    sample('Only what was shared there.', list({ files: ten.slice(0, 1), onlyShared: true })),
    sample(
      'Odd records, and a list that was not read whole.',
      list({ files: ten.slice(0, 1), unreadable: 2, missing: 'unknown' }),
    ),
  ];
}

function attention(): Sample[] {
  const some = (count: number) => ({
    ...{ problem: null, name: 'plan.pdf', nextTryAt: null },
    ...{ count, leavable: count },
  });
  const refused = (problem: ErrorCode, count = 1) => ({
    ...{ ...some(count), kind: 'refused' as const, problem },
  });
  const channels: blocks.TroubledChannel[] = [
    {
      channel: 'C012ABCDEF',
      files: [
        refused('DESTINATION_GONE', 12),
        { ...refused('DESTINATION_GONE'), isSaved: true },
        { ...refused('RECORD_UNCLEAR'), mayBeThere: true },
        {
          ...some(3),
          kind: 'waiting',
          problem: 'SERVICE_FAILED',
          nextTryAt: NOW + 2 * MINUTE,
        },
      ],
    },
    {
      channel: 'C012ABCDEG',
      files: [{ ...some(2), kind: 'parked' }],
    },
  ];
  const paused: blocks.TroubledChannel = {
    ...{ channel: 'C012ABCDEF', heldFor: 'DESTINATION_GONE' },
    files: [{ ...some(2), kind: 'waiting', problem: 'DESTINATION_GONE' }],
  };
  const elsewhere = channels.slice(0, 1).map((one) => ({
    ...one,
    files: one.files.map((files) => ({ ...files, name: null })),
  }));
  const ofMember = { mayRetry: true, mayLink: false };
  const forMembers = ['C012ABCDEG', 'D012ABCDEF'].map((channel) => ({
    channel,
    files: [{ ...some(2), kind: 'parked' as const, leavable: channel.startsWith('D') ? 2 : 1 }],
  }));
  const linkBy = 'admins' as const;
  const common = {
    linkBy,
    ...{ mayRetry: true, mayLink: true, hasDefault: false },
    pages: { page: 1, linksPage: 1 },
    operator: OPERATOR,
    now: NOW,
  };
  const inHand = { count: 7, isMore: false };
  const nothing = { ...common, channels: [], inHand: { count: 0, isMore: false } };
  const links = [
    { channel: 'C012ABCDEF', folder: INVOICES },
    { channel: 'C012ABCDEG', folder: { ...CONTRACTS, heldFor: 'SERVICE_FORBIDDEN' as const } },
  ];
  const own = { name: 'plan.pdf', recordUrl: 'https://acme.example/files/1', folder: INVOICES };
  const recent = [own, { ...own, name: 'offer.pdf' }].map((one) => ({ ...one, sharedAt: NOW }));
  const home = {
    ...{ ...common, links, recent, hasLinks: true, hasDefault: true, commands: HELP_LINES },
    mayBrowse: true,
  };
  return [
    sample('For an admin.', blocks.status({ ...common, channels, inHand })),
    sample(
      'About a channel that they aren’t in.',
      blocks.status({ ...nothing, channels: elsewhere }),
    ),
    sample(
      'For those who may not link, in a channel and a direct message.',
      blocks.status({ ...nothing, ...ofMember, channels: forMembers }),
    ),
    sample(
      'The same, where the default folder takes what is shared by now.',
      blocks.status({ ...nothing, ...ofMember, hasDefault: true, channels: forMembers }),
    ),
    sample('About a link that is paused.', blocks.status({ ...nothing, channels: [paused] })),
    sample('All is well.', blocks.status(nothing)),
    sample('Try again.', blocks.retriedAll({ count: 4 })),
    sample('Leave in Slack.', blocks.skippedAll({ count: 4 })),
    sample('There is nothing to leave.', blocks.skippedAll({ count: 0 })),
    sample('There is more to leave than was asked about.', blocks.MORE_TO_LEAVE),
    sample('The App Home.', blocks.inAppHome(blocks.appHome({ ...home, channels, inHand }))),
    sample('A private channel was chosen there that I am not in.', blocks.CHANNEL_UNSEEN),
    sample(
      'The App Home of somebody new.',
      blocks.appHome({
        ...home,
        ...nothing,
        ...{ links: [], recent: [], hasLinks: false, hasDefault: false },
        mayLink: false,
      }),
    ),
    sample(
      'The same, for an admin.',
      blocks.appHome({
        ...{ ...home, ...nothing },
        ...{ links: [], recent: [], hasLinks: false, hasDefault: false },
      }),
    ),
  ];
}

function deleting(): Sample[] {
  const name = 'report.pdf';
  const asked = { projectId: 12, folderId: 345, page: 1, filter: null, fileId: 1 };
  const back = { shareId: 7, transferId: 9 };
  const notBack = ['back', 'too-late', 'not-in-slack', 'not-allowed'] as const;
  const mine = ['not-allowed', 'saved-by-other'] as const;
  const reasons = [...mine, 'guest', 'other-workspace', 'elsewhere'] as const;
  return [
    sample(
      'Delete was chosen in its menu.',
      blocks.deleteQuestion({ name, folder: INVOICES, claim: asked }),
    ),
    sample('Done, above the list.', blocks.fileDeleted({ name, back })),
    sample('Nobody shared it in Slack.', blocks.fileDeleted({ name, back: null })),
    sample('“Put back” was pressed.', blocks.puttingBack([name])),
    ...notBack.map((why) =>
      sample(`The same, refused: ${why}.`, blocks.notPutBack({ reason: why, names: [name] })),
    ),
    sample('It was gone.', blocks.deleteGone({ name })),
    sample('Its number is another file’s by now.', blocks.deleteChanged()),
    sample('The service refuses.', blocks.deleteForbidden({ name, operator: OPERATOR })),
    ...reasons.map((reason) =>
      sample(`Refused: ${reason}.`, blocks.deleteRefused({ reason, name })),
    ),
    ...deletedInSlack(),
  ];
}

function shortcuts(): Sample[] {
  const line = share([file('report.pdf')]);
  const plan = file('plan.pdf', { phase: 'parked' });
  const guest = { mayLink: false, mayRetry: false, mayPutBack: false, linkBy: 'admins' } as const;
  const refused = file('plan.pdf', { phase: 'refused', problem: 'SERVICE_REFUSED' });
  return [
    sample('“Where is this filed?”', blocks.whereFiled({ lines: [line], sharedBy: ADA })),
    sample(
      'The same for a guest who did not share it: without the button.',
      share([refused], null, { reader: { ...guest, isDirect: false } }),
    ),
    sample(
      'On a message whose channel has no folder, for those who may not link it.',
      share([plan, plan], null, { reader: { ...guest, isDirect: false } }),
    ),
    sample(
      'The same in a direct message.',
      share([plan], null, { reader: { ...guest, isDirect: true } }),
    ),
    sample(
      'On one that was shared before its channel was linked.',
      share([plan], null, {
        reader: { ...guest, mayLink: true, isDirect: false, hasFolder: true },
      }),
    ),
    sample(
      'On a message that I do not know.',
      blocks.notSeen({ isDirect: false, linkBy: 'admins', mayLink: true }),
    ),
    sample(
      'The same, for those who may not save files.',
      blocks.notSeen({ isDirect: false, mayLink: false, linkBy: 'members' }),
    ),
    sample('On one without files.', blocks.WITHOUT_FILES),
  ];
}

function deletedInSlack(): Sample[] {
  const claim = { shareId: 7, askedAt: NOW };
  const one = { files: [{ name: 'report.pdf' }], folder: INVOICES };
  const three = {
    files: many(3, (index) => ({ name: `page-${index + 1}.png` })),
    folder: INVOICES,
  };
  return [
    sample(
      'Privately, to the person who shared a file that was deleted in Slack.',
      blocks.deletedInSlack({ ...one, claim }),
    ),
    sample('For several.', blocks.deletedInSlack({ ...three, claim })),
    sample('Delete was pressed.', blocks.copiesDeleted({ ...one, changed: [] })),
    sample(
      'Delete was pressed, and one is not what was filed any more.',
      blocks.copiesDeleted({ ...one, changed: [{ name: 'plan.pdf' }] }),
    ),
    sample(
      'Delete was pressed, and the service failed in between.',
      blocks.copiesStopped({
        ...{ ...one, changed: [], claim, left: three.files },
        trouble: {
          ...{ code: 'SERVICE_FAILED', note: null, retryAfterMs: null, reference: '1f2e3d4c' },
          ...{ doing: 'delete', operator: null, linkBy: 'admins' },
        },
      }),
    ),
    sample('Keep was pressed.', blocks.copiesKept(one)),
    sample('None was left.', blocks.copiesDeleted({ files: [], folder: null, changed: [] })),
    sample('None was left to keep.', blocks.copiesKept({ files: [], folder: null })),
  ];
}

function folders(): Sample[] {
  const tree = [
    { id: 345, name: 'Invoices', level: 1, parentId: null },
    { id: 347, name: '2025', level: 2, parentId: 345 },
  ];
  const given = {
    projectTitle: 'Accounts',
    projectId: 12,
    complete: true,
    page: 1,
    copyAgeMs: null,
    ...{ linkBy: 'admins' as const, isDirect: false },
  };
  const cut = { complete: false, copyAgeMs: null };
  const projects = many(30, (id) => ({ id: id + 1, title: `Project ${id + 1}`, archived: false }));
  return [
    sample(
      'For an admin.',
      blocks.folderList({
        ...given,
        folders: tree,
        currentId: 345,
        linked: INVOICES,
        mayLink: true,
      }),
    ),
    sample(
      'For a member.',
      blocks.folderList({ ...given, folders: tree, currentId: null, linked: null, mayLink: false }),
    ),
    sample(
      'None.',
      blocks.folderList({ ...given, folders: [], currentId: null, linked: null, mayLink: true }),
    ),
    sample(
      'The projects.',
      blocks.projectList({ projects, complete: true, page: 2, copyAgeMs: 40_000 }),
    ),
    sample(
      'No projects.',
      blocks.projectList({ projects: [], complete: true, page: 1, copyAgeMs: null }),
    ),
    sample(
      'Not all of its folders could be read.',
      blocks.folderList({
        ...given,
        ...cut,
        folders: tree,
        currentId: 345,
        linked: INVOICES,
        mayLink: true,
      }),
    ),
    sample(
      'The channel got another folder since the list was shown, and a button of it was pressed.',
      blocks.changedMeanwhile({ isDirect: false }),
    ),
    sample('Not all projects could be read.', blocks.projectList({ projects, page: 2, ...cut })),
    sample(
      '`/folders offis move`.',
      blocks.stacked(
        blocks.unknownProject({ typed: 'offis move' }),
        blocks.projectList({
          ...{ complete: true, page: 1, copyAgeMs: null },
          projects: [{ id: 3, title: 'Office move', archived: false }],
        }),
      ),
    ),
    sample(
      'The account lists none.',
      blocks.foldersUnavailable({ ...ADMIN, linkBy: 'admins', linked: null, refused: null }),
    ),
    sample(
      'One project is refused, for a member.',
      blocks.foldersUnavailable({
        ...{ linkBy: 'admins', mayLink: false, isDirect: false, linked: INVOICES },
        refused: { projectId: 9, title: 'Board' },
      }),
    ),
    sample('For guests.', blocks.membersOnly({ isDirect: false })),
  ];
}

const ADMIN = {
  isDirect: false,
  isIn: true,
  mayLink: true,
  mayBrowse: true,
  inThread: false,
  commands: HELP_LINES,
};
const GUEST = {
  isDirect: false,
  isIn: true,
  mayLink: false,
  mayBrowse: false,
  inThread: false,
  commands: HELP_LINES,
};

function help(): Sample[] {
  return [
    sample(
      'In a linked channel, for an admin.',
      blocks.help({ linkBy: 'admins', linked: INVOICES, isDefault: false, ...ADMIN }),
    ),
    sample(
      'In a channel whose link is paused.',
      blocks.help({
        ...{ linkBy: 'admins', linked: INVOICES, isDefault: false, ...GUEST },
        heldFor: 'DESTINATION_GONE',
      }),
    ),
    sample(
      'On the default folder, for a guest.',
      blocks.help({ linkBy: 'admins', linked: INVOICES, isDefault: true, ...GUEST }),
    ),
    sample(
      'In a channel without a folder, for a guest.',
      blocks.help({ linkBy: 'admins', linked: null, isDefault: false, ...GUEST }),
    ),
    sample(
      'In a thread of a channel without a folder.',
      blocks.help({
        linkBy: 'admins',
        linked: null,
        isDefault: false,
        ...ADMIN,
        inThread: true,
        commands: HELP_LINES,
      }),
    ),
    sample(
      'In a direct message without a folder.',
      blocks.help({ linkBy: 'admins', linked: null, isDefault: false, ...ADMIN, isDirect: true }),
    ),
    sample(
      'Where the app is not in the channel.',
      blocks.help({ linkBy: 'admins', linked: INVOICES, isDefault: true, ...GUEST, isIn: false }),
    ),
    sample(
      'Where it is not in the channel, which has no folder either.',
      blocks.help({ linkBy: 'admins', linked: null, isDefault: false, ...GUEST, isIn: false }),
    ),
    sample('`/files rm plan`, above the list.', blocks.CHOOSE_TO_DELETE),
    sample('`/files login`.', blocks.noSignIn()),
    sample(
      '`/files upload`, by an admin.',
      blocks.noUpload({ linkBy: 'admins', linked: INVOICES, isDefault: false, ...ADMIN }),
    ),
    sample(
      'The same, by a guest in a channel without a folder.',
      blocks.noUpload({ linkBy: 'admins', linked: null, isDefault: false, ...GUEST }),
    ),
    sample('`/files rename plan`.', blocks.noRenaming()),
    sample(
      'A slip of the finger in a setting.',
      blocks.unknownVerb({ typed: 'announce offf', nearest: 'announce off' }),
    ),
  ];
}

const QUIET = { lines: false, announces: false };

const FORM = {
  ...{ channel: 'C012ABCDEF', channelName: 'design', isElsewhere: false },
  ...{ isListed: true, linked: null, folder: null, lines: false, announces: false },
};

// Shows a modal as a view: its title as the header, and its buttons in a last line.
function modal(when: string, { title, blocks: shown, submit, close }: blocks.Modal): Sample {
  const buttons = `Buttons: ${[close, submit].flatMap((one) => one?.text ?? []).join(', ')}`;
  const small = { type: 'plain_text' as const, text: buttons, emoji: false };
  const head = { type: 'header' as const, text: { ...small, text: title.text } };
  const foot = { type: 'context' as const, elements: [small] };
  return sample(when, {
    text: title.text,
    blocks: [head, ...shown, foot],
  });
}

function saving(): Sample[] {
  const files = many(12, (index) => sharedFile({ id: `F${index}`, name: `plan-${index + 1}.pdf` }));
  const message = sharedMessage({ channel: 'C012ABCDEF', ts: '1', userId: ADA, files });
  const office = { ...INVOICES, projectTitle: 'Office' };
  const picks = [blocks.folderPick('last', office), blocks.folderPick('channel', CONTRACTS)];
  const carried = blocks.filesToSave(message);
  if (!carried) throw new Error('Too many files');
  const place = { ...carried, channelName: null, isElsewhere: false, isListed: true };
  const form = { ...place, folder: null, picks, picked: null, problem: null };
  const claim = { projectId: 12, folderId: 345, channel: 'C012ABCDEF', ts: '1' };
  const outcome = { folder: office, saved: 0, there: 0, gone: 0, removed: [], claim };
  const removed = ['plan-1.pdf'];
  const reasons = ['not-allowed', 'unreadable', 'deleted'] as const;
  return [
    modal('“Save files to a folder”.', blocks.SAVE_FORM.show(form)),
    modal('Where nothing is likely.', blocks.SAVE_FORM.show({ ...form, picks: [] })),
    modal(
      'Where nothing is likely, and the account lists no projects.',
      blocks.SAVE_FORM.show({ ...form, picks: [], isListed: false }),
    ),
    modal('While it takes longer.', blocks.SAVE_FORM.checking),
    modal('Done.', blocks.SAVE_FORM.done(blocks.savedFiles({ ...outcome, saved: 12 }))),
    sample('They are there.', blocks.savedFiles({ ...outcome, there: 12 })),
    sample('The only one was removed there.', blocks.savedFiles({ ...outcome, removed })),
    sample(
      'Some of each.',
      blocks.savedFiles({ ...outcome, saved: 9, there: 2, gone: 1, removed }),
    ),
    sample('“File again” was pressed.', blocks.savedAgain({ saved: 1 })),
    sample('It was pressed before.', blocks.savedAgain({ saved: 0 })),
    sample(
      'The form was closed by then: a direct message to a person who isn’t in the channel.',
      blocks.savedFiles({ ...outcome, saved: 12, elsewhere: 'C012ABCDEF' }),
    ),
    ...reasons.map((reason) =>
      sample(
        `At the field: ${reason}.`,
        atField(blocks.saveRefusal({ count: 12, linkBy: 'admins', reason, isDirect: false })),
      ),
    ),
    sample(
      'At the field: one file, unreadable, in a direct message.',
      atField(
        blocks.saveRefusal({ count: 1, linkBy: 'admins', reason: 'unreadable', isDirect: true }),
      ),
    ),
    sample(
      'By a guest, where members may.',
      blocks.saveRefused({ count: 1, reason: 'guest', isDirect: false, linkBy: 'members' }),
    ),
    sample('Too many files.', blocks.tooManyToSave({ count: 4_000 })),
    sample('The form could not be opened.', blocks.SAVE_NOT_OPENED),
    sample('In the thread.', savedShare(null)),
    sample(
      'Where I can’t post, to the person who saved.',
      savedShare('https://slack.example/archives/C1/p1'),
    ),
    sample(
      'Into a folder that is gone since.',
      savedShare(null, { phase: 'refused', problem: 'DESTINATION_GONE' }),
    ),
  ];
}

function savedShare(
  messageUrl: string | null,
  changes: Partial<blocks.ShareFile> = {},
): blocks.View {
  return blocks.shareLine({
    ...{ shareId: 8, files: [file('plan-1.pdf', changes)], folder: INVOICES, operator: OPERATOR },
    ...{ saved: { by: ADA, messageUrl }, sharedAt: NOW - 13_000, now: NOW },
  });
}

function linkForm(): Sample[] {
  const logos = { ...INVOICES, projectTitle: 'Website relaunch', folderName: 'Design › Logos' };
  const { text, value } = blocks.folderOption(logos);
  const label = text.text;
  const linked = { projectId: 12, folderId: 345, label };
  const FULL = { ...FORM, folder: { label, value: `${value}` }, linked, lines: true };
  const why = blocks.linkRefusal({
    ...{ linkBy: 'admins', reason: 'forbidden', typed: '12/345', isDirect: false },
    folder: logos,
  });
  const project = { id: 12, title: 'Website relaunch', archived: false };
  const projects = [blocks.searchedProject(project)];
  const six = many(6, (id) => blocks.searchedProject({ ...project, id: id + 1 }));
  const options = [
    ...blocks.newFolders({ typed: '', channelName: 'design', projects, own: 12, lists: [] }),
    ...blocks.newFolders({
      ...{ typed: 'Brand', channelName: null, projects: six, own: null, lists: [] },
    }),
    blocks.folderOption(logos),
    blocks.moreOption({ left: 21, unread: 0 }),
    blocks.moreOption({ left: 0, unread: 12 }),
    blocks.moreOption({ left: 0, unread: 0 }),
    ...blocks.noOptions('not-yet'),
    ...blocks.noOptions('not-listed'),
    ...blocks.noOptions('other-address'),
  ];
  const lines = options.map((one) => one.text.text).join('\n');
  return [
    modal(
      '`/files link` alone, and the button Link this channel.',
      blocks.SETTINGS_FORM.show(FORM),
    ),
    modal(
      '`/files settings`, or its button, in a linked channel.',
      blocks.SETTINGS_FORM.show(FULL),
    ),
    modal(
      'A folder is chosen, and the service refuses it.',
      blocks.SETTINGS_FORM.show({ ...FULL, linked: null, problem: why }),
    ),
    modal(
      'Where the account lists no projects.',
      blocks.SETTINGS_FORM.show({ ...FORM, channelName: null, isListed: false }),
    ),
    sample('What the field offers.', say([lines])),
    sample('At the field: nothing is chosen.', atField(blocks.CHOOSE_A_FOLDER)),
    sample(
      'At the field: the sender has left the private channel. The form that saves files says the same.',
      atField(blocks.leftChannel()),
    ),
    sample('At the field: no folder is made.', atField(blocks.folderNotMade('design'))),
    sample(
      'At the field: somebody has linked the channel elsewhere, or unlinked it, since the form opened.',
      atField(blocks.settingsOutdated({ isDirect: false })),
    ),
    modal('While it takes longer.', blocks.SETTINGS_FORM.checking),
    sample(
      'It was refused, and the form closed by then: a direct message to a person who isn’t in the channel.',
      blocks.formProblemSaid(why, 'C012ABCDEF'),
    ),
    modal('Done after that.', blocks.SETTINGS_FORM.done(null)),
    ...[true, false].map((lines) =>
      sample(`Only the lines were turned ${lines ? 'on' : 'off'}.`, blocks.linesSet({ lines })),
    ),
    sample(
      'Done without me in the channel: in the form, or in direct messages, once that is closed.',
      blocks.notInChannel({ folder: INVOICES, elsewhere: 'C012ABCDEF' }),
    ),
  ];
}

/** A problem as Slack shows it beside a form’s field, without markup. */
function atField(why: Line): blocks.View {
  return say([plainText(why)]);
}

function refusals(): Sample[] {
  const changes = ['unlink', 'announce', 'file-earlier', 'stop-filing', 'retry'] as const;
  return [
    ...changes.map((change) =>
      sample(
        `${change}.`,
        blocks.changeRefused({ linkBy: 'admins', change, reason: 'not-allowed' }),
      ),
    ),
    sample(
      'unlink, by a guest, where members may link.',
      blocks.changeRefused({ change: 'unlink', reason: 'guest', linkBy: 'members' }),
    ),
    sample(
      'From another workspace.',
      blocks.changeRefused({ linkBy: 'admins', change: 'unlink', reason: 'other-workspace' }),
    ),
    sample('There is nothing to retry.', blocks.NOTHING_TO_RETRY),
    sample('An account that is nobody’s.', blocks.NOT_FOR_ACCOUNTS),
    sample('While a command takes its time.', blocks.LOOKING),
    sample('After that, where what was done shows elsewhere.', blocks.DONE),
    sample('After that, where a form has opened.', blocks.FORM_OPENED),
    sample('A button of long ago.', blocks.buttonOutOfDate()),
    sample(
      '“File again” for a private channel that the person has left.',
      blocks.say(blocks.leftChannel({ elsewhere: 'C012ABCDEF' })),
    ),
    sample(
      'Another button for a channel that the person has left, or the app.',
      blocks.say(blocks.outOfSight('C012ABCDEF')),
    ),
  ];
}

function trouble(): Sample[] {
  const doings: blocks.Doing[] = [
    ...(['list', 'delete', 'folders', 'link', 'save'] as const),
    ...(['unlink', 'announce', 'file-earlier', 'stop-filing', 'retry', 'skip'] as const),
    ...(['status', 'help'] as const),
  ];
  const failing = (code: ErrorCode, doing: blocks.Doing) =>
    blocks.serviceTrouble({ ...SERVICE_DOWN, code, doing });
  return [
    ...doings.map((doing) => sample(`${doing}.`, failing('SERVICE_FAILED', doing))),
    ...(['SERVICE_FORBIDDEN', 'SERVICE_NOT_FOUND'] as const).map((code) =>
      sample(`${code}.`, failing(code, 'list')),
    ),
    sample('The key is refused.', failing('SERVICE_UNAUTHORIZED', 'list')),
    sample(
      'The key is refused, said to a person who linked a channel.',
      blocks.keyRefused({ operator: OPERATOR }),
    ),
    ...(['key', 'token', 'folder', 'disk'] as const).map((need) =>
      sample(`The ${need}, said to the operator.`, blocks.operatorNeeded({ need })),
    ),
    sample(
      'A new ledger where the bot is in channels already, said to the operator.',
      blocks.ledgerIsNew({ channels: 4 }),
    ),
    sample(
      'Scopes that Slack has not granted, said to the operator.',
      blocks.scopesMissing({ missing: blocks.missingScopes([]) }),
    ),
    sample('Slack grants them again, said to the operator.', blocks.permissionsBack()),
  ];
}

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/base/index.ts';
import { HELP_LINES } from '../../src/surfaces/index.ts';
import { spokenText } from '../../src/surfaces/kit/layout.ts';
import { nameService } from '../../src/surfaces/kit/service-name.ts';
import { blockKitProblems, mrkdwnProblems, VIEW_BLOCKS } from '../support/block-kit-limits.ts';
import { EVERY_ACTION } from '../support/every-action.ts';
import { anyName, ODD_NAMES } from '../support/odd-names.ts';
import { buttonsOf } from '../support/shown-view.ts';
import { constantViews, viewMakers } from '../support/source-files.ts';
import * as blocks from '../support/views.ts';

const IN_HAND = ['waiting', 'sending', 'checking'] as const;
const PHASES = [...IN_HAND, 'filed', 'refused', 'parked', 'skipped', 'deleted'] as const;
const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const ID = Number.MAX_SAFE_INTEGER;
const NOW = Date.UTC(2025, 2, 14, 14, 30);

const READER = { linkBy: 'admins', mayLink: true } as const;
const HERE = { isDirect: false, isIn: true };

/** Returns every view, with `name` wherever a text from a person is shown. */
function everyView(name: string, count: number): Record<string, blocks.View> {
  const folder = folderNamed(name);
  const byUserId = name;
  const operator = name;
  const refusals = many(count, (index) => ({ name, problem: codeAt(index), problemNote: name }));
  const aFile = { projectId: ID, folderId: ID, page: ID, filter: name, fileId: ID };
  const saved = {
    ...{
      folder: { ...aFile, projectTitle: name, folderName: name },
      saved: count,
      there: 1 + count,
      gone: count,
    },
    ...{ removed: many(count, () => name), claim: { ...aFile, channel: 'C012ABCDEF', ts: '1.2' } },
  };
  const counts = { total: count, filed: 0, refused: count, waiting: count };
  const files = many(count, () => ({ name, url: addressWith(name) }));
  const claim = { shareId: ID, askedAt: ID };
  const report = { ...counts, refusals, files, operator };
  return {
    ...constantViews(),
    shareLine: blocks.shareLine({
      shareId: ID,
      folder,
      operator,
      sharedAt: NOW - count,
      now: NOW,
      files: many(count, (index) => shareFile(name, index)),
    }),
    fileList: fileList(name, count),
    fileListEmpty: fileList(name, 0),
    foundFiles: foundFiles(name, count),
    foundNothing: foundFiles(name, 0),
    folderList: folderList(name, count),
    foldersUnavailable: blocks.foldersUnavailable({
      ...{ linked: folder, linkBy: 'members', mayLink: false, isDirect: false },
      refused: { projectId: ID, title: name },
    }),
    notRecorded: blocks.notRecorded({ files: count, operator }),
    membersOnly: blocks.membersOnly({ isDirect: false }),
    backfillStarted: blocks.backfillStarted({ elsewhere: 'C012ABCDEF' }),
    projectList: blocks.projectList({
      page: 2,
      complete: false,
      copyAgeMs: 40_000,
      projects: many(count, (id) => ({ id: id + 1, title: name, archived: false })),
    }),
    unknownProject: blocks.stacked(
      blocks.unknownProject({ typed: name }),
      blocks.projectList({
        page: 2,
        complete: false,
        copyAgeMs: 40_000,
        projects: many(count, (id) => ({ id: id + 1, title: name, archived: false })),
      }),
    ),
    help: blocks.help({
      linkBy: 'admins',
      isIn: false,
      ...{
        linked: folder,
        isDefault: true,
        isDirect: false,
        mayLink: true,
        mayBrowse: true,
        inThread: true,
        commands: HELP_LINES,
      },
    }),
    noUpload: blocks.noUpload({ ...READER, linked: folder, isDefault: false, ...HERE }),
    noSignIn: blocks.noSignIn(),
    noRenaming: blocks.noRenaming(),
    unknownVerb: blocks.unknownVerb({ typed: name, nearest: 'status' }),
    linkUsage: blocks.linkUsage({ elsewhere: 'C1' }),
    buttonOutOfDate: blocks.buttonOutOfDate(),
    leftChannel: blocks.say(blocks.leftChannel({ elsewhere: 'C1' })),
    outOfSight: blocks.say(blocks.outOfSight('C1')),
    linked: blocks.linked({ isDirect: false, folder, byUserId, wasFolder: folder }),
    linkedAnnouncing: blocks.linked({
      isDirect: false,
      folder,
      byUserId,
      wasFolder: folder,
      announces: true,
    }),
    filesAdded: blocks.filesAdded({ folder, count, files: files.slice(0, 10), by: name }),
    filesAddedByMany: blocks.filesAdded({ folder, count, files: files.slice(0, 10), by: null }),
    announcementsSwitched: blocks.announcementsSwitched({ folder, on: true, byUserId }),
    announcementsStand: blocks.announcementsStand({
      linkBy: 'admins',
      folder,
      on: false,
      mayLink: false,
    }),
    noAnnouncements: blocks.noAnnouncements({ ...READER, folder }),
    noAnnouncementsElsewhere: blocks.noAnnouncements({
      ...READER,
      folder,
      elsewhere: 'C012ABCDEF',
    }),
    unlinked: blocks.unlinked({ isDirect: false, folder, byUserId, fallback: folder }),
    alreadyLinked: blocks.alreadyLinked({ isDirect: false, folder }),
    alreadyLinkedElsewhere: blocks.alreadyLinked({
      isDirect: false,
      folder,
      elsewhere: 'C012ABCDEF',
    }),
    linkedBefore: blocks.linkedBefore({ folder, byUserId: 'U012ABCDEF' }),
    noDestinationHint: blocks.noDestinationHint({
      linkBy: 'admins',
      mayLink: true,
      isDirect: false,
    }),
    changeRefused: blocks.changeRefused({
      linkBy: 'admins',
      change: 'unlink',
      reason: 'not-allowed',
    }),
    nowhereToFile: blocks.nowhereToFile({}),
    nowhereToFileElsewhere: blocks.nowhereToFile({ elsewhere: 'C012ABCDEF' }),
    linkedElsewhere: blocks.linkedElsewhere({ folder }),
    linkedElsewhereOf: blocks.linkedElsewhere({ folder, elsewhere: 'C012ABCDEF' }),
    notAnnounced: blocks.stacked(
      blocks.linked({ isDirect: false, folder, byUserId, wasFolder: folder }),
      blocks.notAnnounced({}),
      blocks.confirmParked({ count, destination: folder }),
    ),
    notAnnouncedElsewhere: blocks.stacked(
      blocks.linked({ isDirect: false, folder, byUserId, wasFolder: folder }),
      blocks.notAnnounced({ elsewhere: 'C012ABCDEF' }),
    ),
    waitingFiles: blocks.waitingFiles({ count, from: folder, to: folder }),
    formProblemSaid: blocks.formProblemSaid([{ file: name }], 'C012ABCDEF'),
    confirmUnlink: blocks.confirmUnlink({ isDirect: false, folder, fallback: folder }),
    changedMeanwhile: blocks.changedMeanwhile({}),
    linesSet: blocks.linesSet({ lines: count > 0 }),
    undoUnlink: blocks.undoUnlink({
      ...{ isDirect: false, folder, fallback: null, lines: true, announces: true },
    }),
    waitingElsewhere: blocks.waitingFiles({
      ...{ count, from: folder, to: folder, elsewhere: 'C012ABCDEF' },
    }),
    waitingSettled: blocks.waitingSettled({ count, from: folder, to: folder, beingSent: count }),
    deletedInSlack: blocks.deletedInSlack({ claim, files: refusals, folder }),
    savedLine: blocks.shareLine({
      ...{ shareId: ID, folder, operator, sharedAt: NOW - count, now: NOW },
      saved: { by: name, messageUrl: addressWith(name) },
      files: many(count, (index) => shareFile(name, index)),
    }),
    savedFiles: blocks.savedFiles(saved),
    savedElsewhere: blocks.savedFiles({ ...saved, elsewhere: 'C012ABCDEF' }),
    savedAgain: blocks.savedAgain({ saved: count }),
    saveRefused: blocks.saveRefused({
      count,
      linkBy: 'admins',
      reason: 'unreadable',
      isDirect: false,
    }),
    tooManyToSave: blocks.tooManyToSave({ count }),
    whereFiled: blocks.whereFiled({
      lines: many(count + 1, () =>
        blocks.fileDeleted({ name, back: { shareId: ID, transferId: ID } }),
      ),
      sharedBy: byUserId,
    }),
    copiesDeleted: blocks.copiesDeleted({ files: refusals, folder, changed: refusals }),
    copiesStopped: blocks.copiesStopped({
      ...{ files: refusals, folder, changed: refusals, claim, left: refusals },
      trouble: {
        ...{ code: codeAt(count), note: name, retryAfterMs: null, reference: name },
        ...{ doing: 'delete', operator, linkBy: 'admins' },
      },
    }),
    copiesKept: blocks.copiesKept({ files: refusals, folder }),
    linkRefused: blocks.linkRefused({
      linkBy: 'admins',
      reason: 'not-allowed',
      typed: name,
      isDirect: false,
    }),
    ambiguous: blocks.linkRefused({
      linkBy: 'admins',
      reason: 'ambiguous-name',
      typed: name,
      isDirect: true,
    }),
    addedHere: blocks.addedHere({ linkBy: 'admins', fallback: folder, mayLink: true }),
    notInChannel: blocks.notInChannel({ folder }),
    notInChannelElsewhere: blocks.notInChannel({ folder, elsewhere: 'C012ABCDEF' }),
    announcementsUnseen: blocks.announcementsUnseen({ folder }),
    notLinked: blocks.notLinked({ isDirect: true }),
    notSeen: blocks.notSeen({ isDirect: false, mayLink: false, linkBy: 'members' }),
    parkedFiled: blocks.parkedFiled({ count }),
    earlierFilesLeft: blocks.earlierFilesLeft({ newOnesFiled: true }),
    confirmParked: blocks.confirmParked({ count, destination: folder }),
    confirmParkedElsewhere: blocks.confirmParked({
      count,
      destination: folder,
      elsewhere: 'C012ABCDEF',
    }),
    backfillOffer: blocks.backfillOffer({ count, more: true, destination: folder }),
    backfillElsewhere: blocks.backfillOffer({
      ...{ count, more: true, destination: folder, elsewhere: 'C012ABCDEF' },
    }),
    backfillReport: blocks.backfillReport({
      ...report,
      reportId: ID,
      reading: false,
      stopped: true,
      trouble: { problem: name, nextTryAt: null },
      now: NOW,
    }),
    backfillHeldUp: blocks.backfillReport({
      ...report,
      reportId: ID,
      reading: true,
      stopped: false,
      trouble: { problem: name, nextTryAt: NOW + 60_000 },
      now: NOW,
    }),
    catchUpReport: blocks.catchUpReport(report),
    catchUpDone: blocks.catchUpReport({ ...report, filed: count, waiting: 0 }),
    deleteRefused: blocks.deleteRefused({ reason: 'not-allowed', name }),
    deleteQuestion: blocks.deleteQuestion({ name, folder, claim: { ...aFile, name, size: ID } }),
    puttingBack: blocks.puttingBack(many(count, () => name)),
    notPutBack: blocks.notPutBack({ reason: 'too-late', names: many(count, () => name) }),
    fileDetails: blocks.fileDetails({
      file: { ...listedFile(name, count), approvedCount: count },
      ...{ folder, list: { page: ID, filter: name } },
    }),
    fileShared: blocks.fileShared({ name, url: addressWith(name), folder, by: name }),
    alreadyShared: blocks.alreadyShared({ name }),
    filePreview: blocks.filePreview({
      ...{ name, url: addressWith(name), sizeBytes: ID, sharedBy: name, at: NOW - count },
    }),
    deleteGone: blocks.deleteGone({ name }),
    deleteChanged: blocks.deleteChanged(),
    deleteForbidden: blocks.deleteForbidden({ name, operator }),
    ...pausedLinks(name),
    keyRefused: blocks.keyRefused({ operator }),
    status: blocks.stacked(
      blocks.retriedAll({ count }),
      blocks.status({ linkBy: 'admins', hasDefault: true, ...attention(name, count) }),
    ),
    skippedAll: blocks.skippedAll({ count }),
    scopesMissing: blocks.scopesMissing({
      missing: blocks.missingScopes(Object.keys(blocks.missingScopes([])).slice(count)),
    }),
    ledgerIsNew: blocks.ledgerIsNew({ channels: count }),
    operatorNeeded: blocks.operatorNeeded({ need: 'token' }),
    permissionsBack: blocks.permissionsBack(),
    serviceTrouble: blocks.serviceTrouble({
      code: codeAt(count),
      note: name,
      retryAfterMs: count,
      reference: name,
      doing: 'delete',
      operator,
      linkBy: 'admins',
    }),
  };
}

function folderNamed(name: string) {
  const names = { projectTitle: name, folderName: name };
  return { projectId: ID, folderId: ID, ...names, url: addressWith(name) };
}

/** The most entries of a channel: with as many as there are channels, there would be millions. */
const MAX_OF_A_CHANNEL = 300;

function attention(name: string, count: number) {
  const kinds = ['refused', 'waiting', 'parked'] as const;
  const files = many(Math.min(count, MAX_OF_A_CHANNEL), (index) => ({
    kind: kinds[index % 3] ?? 'refused',
    problem: index % 4 === 0 ? null : codeAt(index),
    count: index + 1,
    name: index % 2 === 0 ? name : null,
    nextTryAt: NOW + index,
    isSaved: index % 5 === 0,
  }));
  const channels = many(count, (index) => ({
    channel: index % 2 === 0 ? 'C012ABCDEF' : name,
    files,
  }));
  const inHand = { count, isMore: true };
  const rights = { mayRetry: true, mayLink: true };
  const pages = { page: 2, linksPage: 2 };
  return { channels, ...rights, pages, operator: name, now: NOW, inHand };
}

function appHome(name: string, count: number): blocks.View {
  const folder = { projectId: ID, folderId: ID, projectTitle: name, folderName: name };
  const view = blocks.appHome({
    linkBy: 'admins',
    ...attention(name, count),
    links: many(count, () => ({ channel: 'C012ABCDEF', folder })),
    recent: many(Math.min(count, blocks.MOST_RECENT), () => ({
      ...{ name, recordUrl: addressWith(name), folder, sharedAt: NOW },
    })),
    hasLinks: count > 0,
    hasDefault: false,
    commands: HELP_LINES,
    mayLink: true,
    mayBrowse: true,
  });
  return blocks.inAppHome(blocks.stacked(blocks.retriedAll({ count }), view));
}

function shareFile(name: string, index: number): blocks.ShareFile {
  const at = NOW - index;
  const progress = { begunAt: at, movedAt: at, totalBytes: 10, sentBytes: index };
  return {
    name,
    url: addressWith(name),
    sizeBytes: index,
    phase: PHASES[index % PHASES.length] ?? 'filed',
    problem: index % 3 === 0 ? null : codeAt(index),
    problemNote: name,
    nextTryAt: NOW + index,
    progress: index % 2 === 0 ? progress : null,
    place: index,
    deletedBy: name,
    hasRecord: index % 2 === 0,
  };
}

function listedFile(name: string, count: number): blocks.ListedFile {
  return {
    ...{ id: ID, name, sizeBytes: ID, createdAt: NOW - count, sharedBy: name, mayDelete: true },
    ...{ creatorName: name, approvedCount: 3, proofCount: 3, fileType: name },
    ...{ url: addressWith(name), messageUrl: addressWith(name) },
  };
}

function fileList(name: string, count: number): blocks.View {
  return blocks.fileList({
    folder: folderNamed(name),
    files: many(count, () => listedFile(name, count)),
    onlyShared: true,
    total: 4000,
    matching: count,
    page: 2,
    pages: 300,
    filter: name,
    ...{ copyAgeMs: count, why: 'busy' },
    unreadable: 3,
    missing: 'nothing',
    isIn: false,
    isDirect: true,
    notice: blocks.fileDeleted({ name, back: { shareId: ID, transferId: ID } }),
    now: NOW,
  });
}

function foundFiles(words: string, count: number): blocks.View {
  const folder = { projectId: ID, folderId: ID, projectTitle: words, folderName: words };
  const address = { url: addressWith(words), messageUrl: addressWith(words) };
  return blocks.foundFiles({
    words,
    kind: count % 2 === 0 ? null : 'image',
    page: Math.min(7, count + 1),
    pages: Math.max(1, count),
    files: many(count, () => ({
      ...{ id: ID, name: words, sizeBytes: ID, createdAt: NOW - count, sharedBy: words },
      ...{ mayDelete: false, creatorName: words, approvedCount: 3, proofCount: 3 },
      ...{ fileType: words, folder, isHere: true, ...address },
    })),
    kinds: count === 0 ? {} : { image: count, document: count, other: 1 },
    total: 4_000,
    folders: count,
    missed: { later: count, shut: count, beyond: count },
    downAgeMs: count,
    now: NOW,
  });
}

function pausedLinks(name: string): Record<string, blocks.View> {
  const folder = { projectId: ID, folderId: ID, projectTitle: name, folderName: name };
  const gone = { reason: 'DESTINATION_GONE', folder } as const;
  const denied = { reason: 'SERVICE_FORBIDDEN', folder } as const;
  return {
    linkPausedGone: blocks.linkPaused({ ...gone, channel: name }),
    linkPausedDenied: blocks.linkPaused({ ...denied, channel: 'C012ABCDEF' }),
    linkPausedUpload: blocks.linkPaused({
      ...{ ...denied, reason: 'SERVICE_UPLOAD_FORBIDDEN' },
      channel: name,
    }),
    channelPaused: blocks.channelPaused({ ...gone, linkBy: 'members' }),
    pausedHere: blocks.pausedHere({ ...denied, isDirect: false, mayLink: true }),
  };
}

function addressWith(name: string): string {
  return `https://files.example/${encodeURIComponent(name.toWellFormed())}?a=1&b=<|>`;
}

function folderList(name: string, count: number): blocks.View {
  const nested = (index: number) => (index % 12 === 0 ? null : index);
  const folders = many(count, (index) => ({
    id: index + 1,
    name,
    level: 1,
    parentId: nested(index),
  }));
  return blocks.folderList({
    copyAgeMs: 40_000,
    projectTitle: name,
    projectId: ID,
    folders,
    complete: false,
    currentId: 3,
    linked: { projectId: ID, folderId: 3, projectTitle: name, folderName: `${name} › ${name}` },
    ...{ linkBy: 'admins', mayLink: true, isDirect: true },
    page: 2,
  });
}

function codeAt(index: number): ErrorCode {
  return CODES[index % CODES.length] ?? 'UNEXPECTED';
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function problemsOf(name: string, count: number): string[] {
  const views = Object.entries(everyView(name, count));
  return views.flatMap(([view, made]) =>
    blockKitProblems(made).map((problem) => `${view}: ${problem}`),
  );
}

describe('every view', () => {
  it.each(ODD_NAMES)('is valid Block Kit and escapes the name %j', (name) => {
    expect([0, 1, 2, 7, 60, 300].flatMap((count) => problemsOf(name, count))).toEqual([]);
  });

  it.each([10, 4_000])('is valid Block Kit and escapes names, with %i files', (count) => {
    const problems = ['a.pdf', ODD_NAMES[0], 'x'.repeat(255)].flatMap((name) =>
      problemsOf(name, count),
    );
    expect(problems).toEqual([]);
  });

  it('is tested here', () => {
    const source = readFileSync(new URL(import.meta.url), 'utf8');
    const views = viewMakers();
    expect(views.length).toBeGreaterThan(50);
    const missing = views.filter((name) => !source.includes(`blocks.${name}(`));
    expect(missing, 'Export their files in test/support/views.ts, and call them here').toEqual([]);
  });

  it('is valid Block Kit and escapes any name', () => {
    const counts = fc.integer({ min: 0, max: 60 });
    fc.assert(fc.property(anyName, counts, (name, count) => problemsOf(name, count).length === 0));
  });

  it.each([0, 1, 10, 60, 4_000])('is valid and escaped: the App Home of %i channels', (count) => {
    const problems = ODD_NAMES.flatMap((name) =>
      blockKitProblems(appHome(name, Math.min(count, 200)), VIEW_BLOCKS),
    );
    expect(problems).toEqual([]);
    expect(blockKitProblems(appHome('a.pdf', count), VIEW_BLOCKS)).toEqual([]);
  });

  it('names the service as it is set', () => {
    nameService('Acme Files');
    const all = { ...everyView('a.pdf', 3), ...constantViews() };
    nameService('the file service');
    const texts = Object.values(all).map((view) => JSON.stringify(view));
    expect(texts.filter((text) => /file service/i.test(text))).toEqual([]);
    expect(texts.some((text) => text.includes('Acme Files'))).toBe(true);
  });

  it('has only buttons with known action IDs', () => {
    const known = [...EVERY_ACTION, blocks.HOME_REFRESH, blocks.OPEN_FIND].map(({ id }) => id);
    const used = Object.values(everyView('a.pdf', 30)).flatMap(buttonsOf);
    expect(
      used.map((button) => button.action_id).filter((id) => !known.includes(id ?? '')),
    ).toEqual([]);
  });

  it('says in its text, which screen readers read, what its blocks say', () => {
    const views = Object.entries(everyView('a.pdf', 3));
    const others = views.filter(([, { text, blocks }]) => text !== spokenText(blocks));
    expect(others.map(([name]) => name)).toEqual([]);
  });

  it('has no exclamation mark and no colon emoji', () => {
    const texts = Object.values(everyView('a.pdf', 30)).map((view) => JSON.stringify(view));
    const read = texts.map((text) => text.replace(/<!date/g, ''));
    expect(read.filter((text) => /!|:[a-z_]+:/.test(text))).toEqual([]);
  });
});

describe('blockKitProblems', () => {
  it('reports what Slack would act on or refuse', () => {
    const button = {
      type: 'button',
      action_id: 'a',
      text: { type: 'plain_text', text: '', emoji: false },
    } as const;
    const bad: blocks.View = {
      text: '<!channel>',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: '*a*' } },
        { type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151), emoji: false } },
        { type: 'actions', elements: [{ ...button, value: 'x'.repeat(2001) }, button] },
        { type: 'divider' },
      ],
    };
    expect(blockKitProblems(bad)).toMatchSnapshot();
    expect(blockKitProblems({ text: 'a', blocks: [] })).toEqual(['blocks: 0 of them']);
  });

  it.each(['<!here>', '<@U012ABCDEF|x>', '<#C0|x>', '<https://a.example>', 'a & b'])(
    'reports %s',
    (text) => {
      expect(mrkdwnProblems('text', text)).toHaveLength(1);
    },
  );
});

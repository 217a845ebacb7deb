import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SharedFile } from '../../src/core/index.ts';
import {
  assessFile,
  attachmentsOf,
  fileInfo,
  type MessageContext,
  parseAddedFiles,
  parseDeletion,
  parseEdited,
  parseShare,
} from '../../src/slack/objects.ts';
import { SlackClient } from '../../src/slack/web-api.ts';
import { sharedFile } from '../support/builders.ts';
import { startServer } from '../support/start-server.ts';

describe('assessFile', () => {
  it.each(['hosted', 'snippet', 'post', null])('returns “ready” for a file of mode %j', (mode) => {
    expect(assessFile(sharedFile({ mode }))).toBe('ready');
  });

  it.each([
    ['has no address', { url: null }],
    ['is a stub', { mode: 'file_access', fileAccess: 'check_file_info', url: null }],
    ['may not be visible', { fileAccess: 'check_file_info' }],
  ])('returns “ask” for a file that %s', (_what, fields) => {
    expect(assessFile(sharedFile(fields))).toBe('ask');
  });

  it.each([
    ['SLACK_FILE_EXTERNAL', { mode: 'external' }],
    ['SLACK_FILE_EXTERNAL', { isExternal: true }],
    ['SLACK_FILE_EMAIL', { mode: 'email' }],
    ['SLACK_FILE_UNSUPPORTED', { mode: 'canvas' }],
    ['SLACK_FILE_UNSUPPORTED', { mode: 'list' }],
  ])('returns %s, never to be retried, for %j: it stays what it is', (code, fields) => {
    expect(assessFile(sharedFile(fields))).toMatchObject({ code, retry: 'never' });
  });

  it.each([
    ['SLACK_FILE_DELETED', { mode: 'tombstone' }],
    ['SLACK_FILE_DELETED', { fileAccess: 'file_not_found' }],
    ['SLACK_FILE_HIDDEN', { mode: 'hidden_by_limit' }],
    ['SLACK_FILE_DENIED', { fileAccess: 'access_denied' }],
    ['SLACK_FILE_UNSUPPORTED', { mode: 'what may come' }],
  ])('returns %s, to be retried later, for %j: Slack may say otherwise then', (code, fields) => {
    expect(assessFile(sharedFile(fields))).toMatchObject({ code, retry: 'later' });
  });
});

const HERE: MessageContext = { team: 'T1', channel: 'C1', botUserId: 'UBOT', botId: 'BBOT' };
const FILE = { id: 'F1', name: 'a.pdf', size: 3, mode: 'hosted', url_private: 'https://x/F1' };
const message = (fields: object) => ({
  type: 'message',
  ts: '1.2',
  user: 'U1',
  files: [FILE],
  ...fields,
});

describe('parseShare', () => {
  it('reads a message with files, whatever its subtype', () => {
    for (const subtype of [undefined, 'file_share', 'thread_broadcast', 'me_message'])
      expect(parseShare(message({ subtype }), HERE)).toMatchObject({
        team: 'T1',
        channel: 'C1',
        ts: '1.2',
        threadTs: null,
        userId: 'U1',
        files: [{ id: 'F1', name: 'a.pdf', size: 3, url: 'https://x/F1' }],
      });
  });

  it('distinguishes a reply from the message that began its thread', () => {
    expect(parseShare(message({ thread_ts: '1.1' }), HERE)?.threadTs).toBe('1.1');
    expect(parseShare(message({ thread_ts: '1.2' }), HERE)?.threadTs).toBeNull();
  });

  it('takes a file once, however often the message has it', () => {
    expect(parseShare(message({ files: [FILE, FILE] }), HERE)?.files).toHaveLength(1);
  });

  it('takes the files of a message that is forwarded in it, after its own', () => {
    const inside = (fields: object) => ({ ...fields, ts: '0.9', files: [{ ...FILE, id: 'F2' }] });
    const read = (fields: object) =>
      parseShare(message(fields), HERE)?.files.map(({ id }) => id) ?? null;
    const attachments = [null, { text: 'a picture' }, inside({ is_share: true })];
    expect(read({ attachments })).toEqual(['F1', 'F2']);
    expect(read({ attachments, files: undefined })).toEqual(['F2']);
    expect(read({ attachments: [inside({ is_msg_unfurl: true })], files: undefined })).toBeNull();
    for (const odd of ['none', { 0: inside({ is_share: true }) }, [{ is_share: true, files: 7 }]])
      expect(read({ attachments: odd })).toEqual(['F1']);
    expect(parseShare(message({ attachments, files: undefined }), HERE)).toMatchObject({
      ts: '1.2',
      userId: 'U1',
    });
  });

  it('ignores forwarded files in a message that an app posted, also for a person', () => {
    const attachments = [{ is_share: true, ts: '0.9', files: [{ ...FILE, id: 'F2' }] }];
    for (const user of [undefined, 'U1']) {
      const posted = message({ user, bot_id: 'BOTHER', attachments });
      expect(parseShare(posted, HERE)?.files.map(({ id }) => id)).toEqual(['F1']);
      expect(parseShare({ ...posted, files: undefined }, HERE)).toBeNull();
    }
  });

  it('takes the attachments of an email, those that have an address, after it', () => {
    const url = 'https://files-origin.slack.com/files-email-priv/T1-F2-1a2b/plan.pdf';
    const attachments = [
      { filename: 'plan.pdf', size: 9, mimetype: 'application/pdf', url, metadata: null },
      ...[null, 'odd', { filename: 'unseen.pdf', size: 3 }, { url: '' }],
      { size: -1, url },
    ];
    const email = { ...FILE, id: 'F2', name: 'Re: plan', mode: 'email', attachments };
    const files = (file: object) => parseShare(message({ files: [file] }), HERE)?.files ?? [];
    const attachmentId = expect.stringMatching(/^F2#[0-9a-f]{16}$/);
    expect(files(email)).toMatchObject([
      { id: 'F2', name: 'Re: plan', mode: 'email' },
      {
        id: attachmentId,
        name: 'plan.pdf',
        size: 9,
        mimetype: 'application/pdf',
        url,
        mode: 'hosted',
      },
      { id: attachmentId, name: null, size: null, mimetype: null, url },
    ]);
    expect(files({ ...email, mode: 'hosted' })).toHaveLength(1);
    for (const odd of [undefined, null, 'none', { 0: attachments[0] }])
      expect(files({ ...email, attachments: odd })).toHaveLength(1);
  });

  it('prefers the address for downloads', () => {
    const file = { ...FILE, url_private_download: 'https://x/download/F1' };
    expect(parseShare(message({ files: [file] }), HERE)?.files[0]?.url).toBe(
      'https://x/download/F1',
    );
  });

  it('takes the files of other bots', () => {
    const share = parseShare(message({ user: undefined, bot_id: 'BOTHER' }), HERE);
    expect(share).toMatchObject({ userId: null });
  });

  it.each([
    ['an edit', { subtype: 'message_changed' }],
    ['a deletion', { subtype: 'message_deleted' }],
    ['a hidden message', { hidden: true }],
    ['a message with the bot’s user ID', { user: 'UBOT' }],
    ['a message with the bot’s bot ID', { user: undefined, bot_id: 'BBOT' }],
    ['a message without files', { files: undefined }],
    ['a message with an empty list of files', { files: [] }],
    ['a message with malformed files', { files: [null, 1, 'F1', {}, { id: 7 }] }],
    ['a message without a timestamp', { ts: undefined }],
    ['a message with a malformed timestamp', { ts: '1.2; drop' }],
  ])('%s is no share', (_what, fields) => {
    expect(parseShare(message(fields), HERE)).toBeNull();
  });

  it('reads a malformed file object with null or false in its invalid fields', () => {
    const odd = { id: 'F2', name: 7, size: -1, mimetype: null, is_external: 'yes', title: {} };
    expect(parseShare(message({ files: [odd, FILE] }), HERE)?.files[0]).toEqual({
      id: 'F2',
      name: null,
      title: null,
      mimetype: null,
      filetype: null,
      size: null,
      mode: null,
      isExternal: false,
      fileAccess: null,
      url: null,
      uploader: null,
    });
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, files) => {
        expect(() => parseShare(value, HERE)).not.toThrow();
        expect(() => parseShare(message({ files }), HERE)).not.toThrow();
      }),
    );
  });
});

describe('parseAddedFiles', () => {
  const OTHER = { ...FILE, id: 'F2', name: 'b.pdf' };
  const previous_message = message({ thread_ts: '1.1' });
  const forwards = message({ attachments: [{ is_share: true, files: [OTHER] }] });
  const edited = (files: unknown, fields: object = {}) => ({
    ...{ type: 'message', subtype: 'message_changed', hidden: true, channel: 'C1', ts: '9.9' },
    ...{ message: message({ thread_ts: '1.1', files }), previous_message, ...fields },
  });

  it('returns the files that an edit added as a share of the edited message', () => {
    expect(parseAddedFiles(edited([FILE, OTHER]), HERE)).toMatchObject({
      ...{ team: 'T1', channel: 'C1', ts: '1.2', threadTs: '1.1', userId: 'U1' },
      files: [{ id: 'F2', name: 'b.pdf' }],
    });
    const words = { previous_message: { ts: '1.2', text: 'no file' } };
    expect(parseAddedFiles(edited([FILE], words), HERE)?.files).toMatchObject([{ id: 'F1' }]);
  });

  it.each<[string, object]>([
    ['an edit of the text alone', edited([FILE])],
    ['an edit that removed a file', edited([])],
    [
      'an edit of a message that forwards files',
      edited([], { message: forwards, previous_message: forwards }),
    ],
    ['an edit with a deleted file', edited([FILE, { id: 'F2', mode: 'tombstone' }])],
    ['an edit that does not say what was before', edited([OTHER], { previous_message: null })],
    [
      'an edit of the bot’s own message',
      edited([], { message: message({ user: 'UBOT', files: [OTHER] }) }),
    ],
    ['a deletion', edited([OTHER], { subtype: 'message_deleted' })],
    ['a new message', message({})],
  ])('returns null for %s', (_what, event) => {
    expect(parseAddedFiles(event, HERE)).toBeNull();
  });

  it('leaves an edit that does not say what was before to parseEdited, with all its files', () => {
    const silent = { previous_message: undefined };
    const deleted = { id: 'F3', mode: 'tombstone' };
    expect(parseEdited(edited([FILE, OTHER, deleted], silent), HERE)).toMatchObject({
      ...{ team: 'T1', channel: 'C1', ts: '1.2', threadTs: '1.1', userId: 'U1' },
      files: [{ id: 'F1' }, { id: 'F2' }],
    });
    const own = message({ user: 'UBOT', files: [OTHER] });
    for (const event of [
      ...[edited([FILE, OTHER]), edited([], silent), edited([deleted], silent), message({})],
      edited([], { ...silent, message: own }),
      edited([OTHER], { ...silent, subtype: 'message_deleted' }),
    ])
      expect(parseEdited(event, HERE)).toBeNull();
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, files) => {
        expect(() => parseAddedFiles(value, HERE)).not.toThrow();
        expect(() => parseAddedFiles(edited(files), HERE)).not.toThrow();
        expect(() => parseEdited(value, HERE)).not.toThrow();
        expect(() => parseEdited(edited(files, { previous_message: null }), HERE)).not.toThrow();
      }),
    );
  });
});

describe('parseDeletion', () => {
  const file = { id: 'F1', name: 'a.pdf', mode: 'hosted' };
  const message = { ts: '17.5', user: 'U1', files: [file] };
  const common = { type: 'message', channel: 'C1', hidden: true, ts: '18.0' };
  const deleted = { ...common, subtype: 'message_deleted', deleted_ts: '17.5' };
  const changed = { ...common, subtype: 'message_changed', previous_message: message };

  it('returns a deleted message unless it is known to have had no files', () => {
    expect(parseDeletion({ ...deleted, previous_message: message })).toEqual([
      { channel: 'C1', ts: '17.5' },
    ]);
    expect(parseDeletion(deleted)).toEqual([{ channel: 'C1', ts: '17.5' }]);
    expect(parseDeletion({ ...deleted, previous_message: { ts: '17.5', files: [] } })).toEqual([]);
    const attachments = [{ is_share: true, files: [file] }];
    expect(parseDeletion({ ...deleted, previous_message: { ts: '17.5', attachments } })).toEqual([
      { channel: 'C1', ts: '17.5' },
    ]);
  });

  it('takes a tombstone in place of a message with files as its deletion', () => {
    const tombstone = { ts: '17.5', subtype: 'tombstone' };
    expect(parseDeletion({ ...changed, message: tombstone })).toEqual([
      { channel: 'C1', ts: '17.5' },
    ]);
    const words = { ...changed, previous_message: { ts: '17.5' } };
    expect(parseDeletion({ ...words, message: tombstone })).toEqual([]);
  });

  it('returns the deleted files of a message that stays', () => {
    const gone = { id: 'F2', mode: 'tombstone' };
    expect(parseDeletion({ ...changed, message: { ...message, files: [file, gone] } })).toEqual([
      { fileId: 'F2' },
    ]);
  });

  it('returns nothing for an edit, a share and malformed events', () => {
    expect(parseDeletion({ ...changed, message })).toEqual([]);
    expect(parseDeletion({ ...message, channel: 'C1' })).toEqual([]);
    expect(parseDeletion({ ...deleted, deleted_ts: 'now', channel: 7 })).toEqual([]);
    expect(parseDeletion(null)).toEqual([]);
  });
});

describe('fileInfo of an attachment', () => {
  const listed = (name: string, size: number, at: string) => ({
    ...{ filename: name, size, mimetype: 'application/pdf' },
    url: `https://files.slack.com/files-email-priv/${at}`,
  });
  const emailWith = (...attachments: object[]) => ({ id: 'F2', mode: 'email', attachments });

  /** Returns a Slack that knows one file. */
  async function knowing(file: object): Promise<SlackClient> {
    const origin = await startServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, file }));
    });
    return new SlackClient('xoxb-any', { slackApiUrl: `${origin}/` });
  }

  /** Returns the attachments of an email as a message's event names them. */
  function shared(email: object): SharedFile[] {
    const message = { ts: '1.0', user: 'U1', files: [email] };
    return parseShare(message, HERE)?.files.slice(1) ?? [];
  }

  const plan = listed('plan.pdf', 9, 'plan');
  const same = listed('plan.pdf', 9, 'another');
  const offer = listed('offer.pdf', 9, 'offer');

  it.each([
    ['moved in the list', [plan], [offer, plan], plan.url],
    ['has another address', [plan], [offer, { ...plan, url: 'https://x/' }], 'https://x/'],
    ['got a namesake of its size before it', [plan], [same, plan], plan.url],
    ['lost a namesake of its size', [plan, same], [plan], plan.url],
    ['has a namesake of its size', [plan, same], [same, plan], plan.url],
  ])('has its own address if it %s', async (_, before, now, url) => {
    const [file = sharedFile()] = shared(emailWith(...before));
    const found = await fileInfo(await knowing(emailWith(...now)), file);
    expect(found).toMatchObject({ id: file.id, name: 'plan.pdf', url });
  });

  it.each([
    ['is not listed', [plan], [offer]],
    ['cannot be told from a namesake', [plan], [same, { ...plan, url: 'https://x/' }]],
    ['is not listed, unlike a namesake', [plan, same], [same]],
  ])('rejects if it %s', async (_, before, now) => {
    const [file = sharedFile()] = shared(emailWith(...before));
    const slack = await knowing(emailWith(...now));
    await expect(fileInfo(slack, file)).rejects.toMatchObject({ code: 'SLACK_FILE_UNAVAILABLE' });
  });

  it('says that it is deleted if its email is', async () => {
    const [file = sharedFile()] = shared(emailWith(plan));
    const found = await fileInfo(await knowing({ id: 'F2', mode: 'tombstone' }), file);
    expect(found).toEqual({ ...file, mode: 'tombstone' });
  });

  it('takes what attachmentsOf lists for what the message’s event listed', async () => {
    const email = emailWith(plan, offer);
    const found = await attachmentsOf(await knowing(email), sharedFile({ id: 'F2' }));
    expect(found.map(({ id }) => id)).toEqual(shared(email).map(({ id }) => id));
    expect(found).toHaveLength(2);
  });
});

import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { fileRecord } from '../support/builders.ts';
import { ACCOUNT, API, FILES, FOLDER, record, sourceOf } from './client-under-test.ts';
import { BULK, PERSON, useNock } from './nock-under-test.ts';

const under = useNock();

/** An account over TLS, as all are except those on this machine. */
const SECURE = 'https://acme.example';

describe('section 2.1: the reader of file records', () => {
  async function read(fields: Record<string, unknown>) {
    under.moveTo(SECURE);
    nock(`${SECURE}/api/v3`)
      .get(FILES)
      .reply(200, [record(fields)]);
    const list = await under.it.client.listFiles(FOLDER, PERSON);
    return { file: list.files[0], unreadable: list.unreadable };
  }

  test('reads every field that is used', async () => {
    expect((await read({})).file).toEqual({
      id: 1,
      name: 'plan.pdf',
      byteSize: 5,
      createdAt: Date.UTC(2026, 0, 5, 9),
      approvedCount: 2,
      fileType: 'pdf',
      proofCount: 3,
      url: 'https://acme.example/thumbnails/1.png',
      creatorId: 9,
    });
  });

  test('keeps a record whatever its other fields hold', async () => {
    const { file } = await read({ updated_at: 7, source: { of: 'x' }, approved_by_me: 'perhaps' });
    expect(file).toEqual((await read({})).file);
  });

  test('keeps a record with only an identifier, a name and a size', async () => {
    nock(API)
      .get(FILES)
      .reply(200, [{ id: '3', name: 'a', byte_size: '12' }]);
    expect((await under.it.client.listFiles(FOLDER, PERSON)).files).toEqual([
      fileRecord({ id: 3, name: 'a', byteSize: 12 }),
    ]);
  });

  test.each([
    ['an offset without a colon', '2026-01-05T10:00:00+0100', Date.UTC(2026, 0, 5, 9)],
    ['UTC', '2026-01-05T09:00:00.250Z', Date.UTC(2026, 0, 5, 9, 0, 0, 250)],
    ['no offset', '2026-01-05T09:00:00', null],
    ['no time at all', 'yesterday', null],
    ['a number', 1767603600, null],
  ])('reads created_at with %s', async (_what, created_at, expected) => {
    expect((await read({ created_at })).file?.createdAt).toBe(expected);
  });

  test.each([
    ['an object', { thumbnail: `${SECURE}/t`, download: `${SECURE}/f` }, `${SECURE}/f`],
    ['an object without the file', { thumbnail: `${SECURE}/t` }, `${SECURE}/t`],
    ['another port of the account’s host', `${SECURE}:8443/f`, null],
    ['bytes in a browser’s memory', `blob:${SECURE}/f`, null],
    ['another host', 'https://acme.example.evil.example/f', null],
    [
      'another host before one of the account’s',
      { view: 'https://evil.example/f', download: `${SECURE}/f` },
      `${SECURE}/f`,
    ],
    ['the account’s name before another host', 'https://acme.example@evil.example/f', null],
    ['plain http', 'http://acme.example/', null],
    ['plain http of another machine', 'http://127.0.0.1:8080/t', null],
    ['a script', 'javascript:alert(1)', null],
    ['nothing', null, null],
  ])('reads url as %s', async (_what, url, expected) => {
    expect((await read({ url })).file?.url).toBe(expected);
  });

  test('keeps a plain http URL on this machine when the account is on this machine', async () => {
    under.moveTo('http://127.0.0.1:8080');
    nock('http://127.0.0.1:8080/api/v3')
      .get(FILES)
      .reply(200, [record({ url: 'http://127.0.0.1:8080/t' })]);
    const list = await under.it.client.listFiles(FOLDER, PERSON);
    expect(list.files[0]?.url).toBe('http://127.0.0.1:8080/t');
  });

  test.each([
    ['none', null],
    ['words', 'large'],
    ['a negative number', -1],
  ])('keeps a record with %s for its size', async (_what, byte_size) => {
    expect(await read({ byte_size })).toMatchObject({ file: { byteSize: null }, unreadable: 0 });
  });

  test.each([
    ['no identifier', { id: undefined }],
    ['no name', { name: '' }],
    ['an identifier beyond exact numbers', { id: 2 ** 60 }],
  ])('counts a record with %s as unreadable', async (_what, fields) => {
    expect(await read(fields)).toEqual({ file: undefined, unreadable: 1 });
  });
});

describe('section 2.2: the reader of attachments', () => {
  test.each([
    ['an object', { file_id: 5, name: 'x' }],
    ['a numeric string', { file_id: '5' }],
    ['one level down', { status: 'ok', file: { file_id: 5 } }],
    ['an array of one', [{ file_id: 5 }]],
  ])('reads file_id from %s', async (_what, answer) => {
    nock(ACCOUNT).post('/files/upload.php').reply(200, JSON.stringify(answer));
    expect((await under.it.client.uploadFile(7, sourceOf('hello'), BULK)).attachmentId).toBe(5);
  });
});

describe('section 3 (states are not specified): the reader of file records', () => {
  test('ignores a state that a record gives', async () => {
    nock(API)
      .get(FILES)
      .reply(200, [record({ state: 'archived' })]);
    expect((await under.it.client.listFiles(FOLDER, PERSON)).files[0]).not.toHaveProperty('state');
  });
});

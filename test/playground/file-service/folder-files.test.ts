import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import {
  type CreateAnswer,
  LIMITED_API_KEY,
  READ_ONLY_API_KEY,
} from '../../../src/playground/file-service/index.ts';
import {
  CAMPAIGN,
  CONTRACTS,
  COPY,
  DESIGN,
  type FileJson,
  fileServiceUnderTest,
  filesOf,
  HOME,
  json,
  LOGOS,
} from './file-service-under-test.ts';

const NO_IDENTIFIERS: [unknown][] = [
  [{}],
  [{ attachments: [] }],
  [{ attachments: 7 }],
  [{ attachments: ['7'] }],
  [{ attachments: [1.5] }],
  [[]],
  ['null'],
  ['{"attachments":'],
];

describe('section 4.1: list', () => {
  it('returns every field of a record', async () => {
    const { call, service } = await fileServiceUnderTest();
    const answer = await call(filesOf(LOGOS));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual([
      {
        id: 1254836,
        name: 'harbour-mark.svg',
        byte_size: 94,
        created_at: '2025-09-09T13:05:12+00:00',
        updated_at: '2025-09-09T13:05:12+00:00',
        source: 'upload',
        approved_by_me: true,
        approved_by: [12009183, 12009185],
        approved_count: 2,
        file_type: 'image/svg+xml',
        proof_count: 1,
        by_me: false,
        url: `${service.accountUrl}/files/1254836/download`,
        creator: { id: 12009184 },
      },
    ]);
  });

  it('returns the files of the folder itself, not those of its subfolders', async () => {
    const { call } = await fileServiceUnderTest();
    expect(await (await call(filesOf(DESIGN))).json()).toEqual([]);
  });

  it.each([
    [filesOf(1), 404],
    [filesOf(CONTRACTS), 404],
    [filesOf(LOGOS, 9), 404],
    [filesOf(CONTRACTS, CAMPAIGN), 200],
  ])('of %s returns %i', async (path, status) => {
    const { call } = await fileServiceUnderTest();
    expect((await call(path)).status).toBe(status);
  });
});

describe('section 4.2: create', () => {
  it('returns 201 with the record, which the list then contains', async () => {
    const { attach, call, clock, create } = await fileServiceUnderTest();
    await clock.advance(1500);
    const attachmentId = await attach({ name: 'Plan.PDF', content: 'twelve bytes' });
    const answer = await create(DESIGN, { attachments: [attachmentId], folder: DESIGN });
    expect(answer.status).toBe(201);
    const record = await json<FileJson>(answer);
    expect(record).toMatchObject({
      name: 'Plan.PDF',
      byte_size: 12,
      created_at: '2026-01-05T09:00:01+00:00',
      file_type: 'application/pdf',
      approved_by_me: false,
      approved_count: 0,
      proof_count: 0,
      creator: { id: 12009183 },
    });
    expect(record.id).not.toBe(attachmentId);
    expect(await (await call(filesOf(DESIGN))).json()).toEqual([record]);
  });

  it('names the key’s user as creator, not the uploader', async () => {
    const { attach, create } = await fileServiceUnderTest();
    const body = { attachments: [await attach()], folder: DESIGN };
    const answer = await create(DESIGN, body, { apiKey: LIMITED_API_KEY });
    expect(await answer.json()).toMatchObject({ creator: { id: 12009184 } });
  });

  it('puts the file into the folder given in the body', async () => {
    const { attach, create, service } = await fileServiceUnderTest();
    await create(DESIGN, { attachments: [await attach()], folder: LOGOS });
    expect(service.store.files(LOGOS)).toHaveLength(2);
    expect(service.store.files(DESIGN)).toHaveLength(0);
  });

  it('uses the home folder if the body names no folder, whatever the path says', async () => {
    const { attach, create, service } = await fileServiceUnderTest();
    expect((await create(DESIGN, { attachments: [await attach()] })).status).toBe(201);
    expect(service.store.files(HOME)).toHaveLength(1);
    expect(service.store.files(DESIGN)).toHaveLength(0);
  });

  it.each<[CreateAnswer, number, number | null]>([
    ['one-or-array', 1, null],
    ['one-or-array', 2, 2],
    ['array', 1, 1],
    ['array', 2, 2],
    ['first', 2, null],
  ])('with %s turns %i attachments into an array of %s', async (createAnswer, count, length) => {
    const { attach, create, service } = await fileServiceUnderTest({ createAnswer });
    const attachments: number[] = [];
    for (let index = 0; index < count; index += 1) attachments.push(await attach());
    const value = await (await create(DESIGN, { attachments, folder: DESIGN })).json();
    expect(Array.isArray(value) ? value.length : null).toBe(length);
    expect(service.store.files(DESIGN)).toHaveLength(count);
  });

  it.each(NO_IDENTIFIERS)('refuses the body %j with 400', async (body) => {
    const { create } = await fileServiceUnderTest();
    expect((await create(DESIGN, body)).status).toBe(400);
  });

  it.each([['1'], [null], [1.5], [{}]])('refuses the folder %j with 400', async (folder) => {
    const { attach, create } = await fileServiceUnderTest();
    expect((await create(DESIGN, { attachments: [await attach()], folder })).status).toBe(400);
  });

  it.each([
    ['unknown', async () => 5],
    ['of another project', (attach: Attach) => attach({ projectId: CAMPAIGN })],
    ['listed twice', (_: Attach, good: number) => good],
  ])('refuses a whole batch if one attachment is %s', async (_what, makeBad) => {
    const { attach, create, service } = await fileServiceUnderTest();
    const good = await attach();
    const bad = await makeBad(attach, good);
    const answer = await create(DESIGN, { attachments: [good, bad], folder: DESIGN });
    expect(answer.status).toBe(400);
    expect(service.store.files(DESIGN)).toEqual([]);
    expect(service.store.isUsed(good)).toBe(false);
    const again = await create(DESIGN, { attachments: [good], folder: DESIGN });
    expect(again.status).toBe(201);
  });

  it('refuses a used attachment, even if its file is gone', async () => {
    const { attach, create, service } = await fileServiceUnderTest();
    const body = { attachments: [await attach()], folder: DESIGN };
    const { id } = await json<FileJson>(await create(DESIGN, body));
    expect((await create(DESIGN, body)).status).toBe(400);
    service.store.deleteFile(id);
    expect((await create(DESIGN, body)).status).toBe(400);
    expect(service.store.files(DESIGN)).toEqual([]);
  });

  it('accepts an attachment again if the profile allows it, and keeps its bytes for every file', async () => {
    const { attach, create, service } = await fileServiceUnderTest({ attachmentUse: 'often' });
    const attachment = await attach({ content: 'twice' });
    const body = { attachments: [attachment], folder: DESIGN };
    const [first, second] = [
      await json<FileJson>(await create(DESIGN, body)),
      await json<FileJson>(await create(DESIGN, body)),
    ];
    service.store.deleteFile(first.id);
    const bytes = service.store.openFile(second.id);
    expect(bytes && (await text(bytes))).toBe('twice');
    const batch = { attachments: [attachment, attachment], folder: DESIGN };
    expect((await create(DESIGN, batch)).status).toBe(400);
  });

  it('returns 404 for a folder that does not exist, in the path or in the body', async () => {
    const { attach, create } = await fileServiceUnderTest();
    const attachments = [await attach()];
    expect((await create(1, { attachments, folder: DESIGN })).status).toBe(404);
    expect((await create(DESIGN, { attachments, folder: 1 })).status).toBe(404);
    expect((await create(DESIGN, { attachments, folder: CONTRACTS })).status).toBe(404);
  });

  it('returns 403 in a folder that the user may only read', async () => {
    const { attach, call } = await fileServiceUnderTest();
    const attachments = [await attach({ projectId: CAMPAIGN })];
    const body = { attachments, folder: CONTRACTS };
    const path = filesOf(CONTRACTS, CAMPAIGN);
    const refused = await call(path, { method: 'POST', body, apiKey: READ_ONLY_API_KEY });
    expect(refused.status).toBe(403);
    expect((await call(path, { apiKey: READ_ONLY_API_KEY })).status).toBe(200);
    expect((await call(path, { method: 'POST', body })).status).toBe(201);
  });

  it('applies "only read" to subfolders too', async () => {
    const { call, service } = await fileServiceUnderTest();
    const { id } = service.store.addFolder(CAMPAIGN, CONTRACTS, 'Signed');
    const body = { attachments: [1], folder: id };
    const path = filesOf(id, CAMPAIGN);
    const answer = await call(path, { method: 'POST', body, apiKey: READ_ONLY_API_KEY });
    expect(answer.status).toBe(403);
  });
});

describe('section 4.3: delete', () => {
  const path = `${filesOf(LOGOS)}/1254836`;

  it('returns 204 without a body, then 404', async () => {
    const { call, service } = await fileServiceUnderTest();
    const answer = await call(path, { method: 'DELETE' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('Content-Length')).toBeNull();
    expect(await answer.text()).toBe('');
    expect(service.store.file(1254836)).toBeNull();
    expect((await call(path, { method: 'DELETE' })).status).toBe(404);
  });

  it('does not delete a file through another folder', async () => {
    const { call, service } = await fileServiceUnderTest();
    const answer = await call(`${filesOf(COPY)}/1254836`, { method: 'DELETE' });
    expect(answer.status).toBe(404);
    expect(service.store.file(1254836)).not.toBeNull();
  });

  it('returns 403 in a folder that the user may only read', async () => {
    const { call, service } = await fileServiceUnderTest();
    const inContracts = `${filesOf(CONTRACTS, CAMPAIGN)}/1254838`;
    const answer = await call(inContracts, { method: 'DELETE', apiKey: READ_ONLY_API_KEY });
    expect(answer.status).toBe(403);
    expect(service.store.file(1254838)).not.toBeNull();
  });
});

type Attach = (options: { projectId: number }) => Promise<number>;

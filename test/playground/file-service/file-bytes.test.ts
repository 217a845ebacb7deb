import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { DEMO_API_KEY, LIMITED_API_KEY } from '../../../src/playground/file-service/index.ts';
import {
  DESIGN,
  type FileJson,
  type FileServiceUnderTest,
  fileServiceUnderTest,
  json,
  OFFICE_MOVE,
  turn,
  type UploadJson,
  WEBSITE,
} from './file-service-under-test.ts';

const BOUNDARY = 'the-boundary';

function field(name: string, value: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function fileHead(fileName: string): string {
  const disposition = `form-data; name="file"; filename="${fileName}"`;
  const type = 'Content-Type: application/octet-stream';
  return `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n${type}\r\n\r\n`;
}

const END = `\r\n--${BOUNDARY}--\r\n`;

function sendForm({ service }: FileServiceUnderTest, body: string | Readable): Promise<Response> {
  return fetch(`${service.accountUrl}/files/upload.php`, {
    method: 'POST',
    headers: {
      'X-API-KEY': DEMO_API_KEY,
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
    body: typeof body === 'string' ? body : Readable.toWeb(body),
    ...(typeof body === 'string' ? {} : { duplex: 'half' }),
  });
}

function filesOnDisk({ dataDir }: FileServiceUnderTest): string[] {
  return ['bytes', 'incoming'].flatMap((folder) => readdirSync(join(dataDir, folder)));
}

describe('section 4.4: upload', () => {
  it('returns a file_id, and stores the bytes and their hash', async () => {
    const { attach, create, service, upload } = await fileServiceUnderTest();
    const answer = await upload({ name: 'note.txt', content: 'seven b' });
    expect(answer.status).toBe(200);
    const { file_id: attachmentId } = await json<UploadJson>(answer);
    expect(service.store.unusedAttachments()).toEqual([
      {
        id: attachmentId,
        projectId: WEBSITE,
        uploaderId: 12009183,
        name: 'note.txt',
        byteSize: 7,
        sha256: createHash('sha256').update('seven b').digest('hex'),
        uploadedAt: Date.UTC(2026, 0, 5, 9),
      },
    ]);
    const body = { attachments: [attachmentId], folder: DESIGN };
    const { id } = await json<FileJson>(await create(DESIGN, body));
    expect(service.store.unusedAttachments()).toEqual([]);
    const stream = service.store.openFile(id) ?? Readable.from([]);
    expect(String(await buffer(stream))).toBe('seven b');
    expect(await attach()).not.toBe(attachmentId);
  });

  it.each([
    'naïve – 計画 🚀.pdf',
    'quote".txt',
    'two\r\nlines.txt',
    'percent%41%22.txt',
    'back\\slash.txt',
    'half; of=it.txt',
    `${'x'.repeat(250)}.bin`,
  ])('keeps the name %j', async (name) => {
    const { attach, service } = await fileServiceUnderTest();
    const id = await attach({ name });
    // Senders do not escape a percent sign, so an escaped quote in a name looks like a quote.
    expect(service.store.attachment(id)?.name).toBe(name.replace('%22', '"'));
  });

  it('accepts the same name twice', async () => {
    const { attach, service } = await fileServiceUnderTest();
    await attach({ name: 'a.txt' });
    await attach({ name: 'a.txt' });
    expect(service.store.unusedAttachments().map(({ name }) => name)).toEqual(['a.txt', 'a.txt']);
  });

  it.each([
    ['an empty file', ''],
    ['one that looks like a form', `\r\n--${BOUNDARY.slice(0, -1)}\r\n--`],
  ])('accepts %s', async (_what, content) => {
    const underTest = await fileServiceUnderTest();
    const form = field('project_id', String(WEBSITE)) + fileHead('a') + content + END;
    const answer = await sendForm(underTest, form);
    expect(await answer.json()).toMatchObject({ byte_size: content.length });
  });

  it('accepts the fields in any order', async () => {
    const underTest = await fileServiceUnderTest();
    const form = `${fileHead('a.txt')}abc\r\n${field('project_id', String(WEBSITE))}--${BOUNDARY}--\r\n`;
    expect((await sendForm(underTest, form)).status).toBe(200);
  });

  it.each([
    ['no project_id', fileHead('a.txt')],
    ['a project_id that is no number', field('project_id', 'x') + fileHead('a.txt')],
    ['no file', field('project_id', String(WEBSITE)) + field('file', '').replace(/\r\n$/, '')],
    ['a file without a name', field('project_id', String(WEBSITE)) + fileHead('')],
  ])('refuses %s with 400, and stores nothing', async (_what, form) => {
    const underTest = await fileServiceUnderTest();
    const before = filesOnDisk(underTest);
    expect((await sendForm(underTest, `${form}abc${END}`)).status).toBe(400);
    expect(filesOnDisk(underTest)).toEqual(before);
  });

  it('refuses a form that ends too early with 400', async () => {
    const underTest = await fileServiceUnderTest();
    const before = filesOnDisk(underTest);
    const form = `${field('project_id', String(WEBSITE))}${fileHead('a.txt')}abc`;
    expect((await sendForm(underTest, form)).status).toBe(400);
    expect(filesOnDisk(underTest)).toEqual(before);
  });

  it('refuses a body that is no form with 415', async () => {
    const { call } = await fileServiceUnderTest();
    const answer = await call('/files/upload.php', { method: 'POST', body: {} });
    expect(answer.status).toBe(415);
  });

  it('distinguishes a project without access (403) from one that does not exist (404)', async () => {
    const underTest = await fileServiceUnderTest();
    const before = filesOnDisk(underTest);
    const { upload } = underTest;
    const refused = await upload({ projectId: OFFICE_MOVE, apiKey: LIMITED_API_KEY });
    expect(refused.status).toBe(403);
    expect((await upload({ projectId: 5 })).status).toBe(404);
    expect((await upload({ projectId: OFFICE_MOVE })).status).toBe(200);
    expect(filesOnDisk(underTest)).toHaveLength(before.length + 1);
  });

  it('stores nothing of an interrupted upload', async () => {
    const underTest = await fileServiceUnderTest();
    const { service } = underTest;
    const before = filesOnDisk(underTest);
    const over = new Promise((resolve) => service.requests.onRequest(resolve));
    const sender = httpRequest(`${service.accountUrl}/files/upload.php`, {
      method: 'POST',
      headers: {
        'X-API-KEY': DEMO_API_KEY,
        'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      },
    });
    sender.on('error', () => undefined);
    sender.write(field('project_id', String(WEBSITE)) + fileHead('a.txt') + 'x'.repeat(3_000_000));
    while (!existsSync(join(underTest.dataDir, 'incoming', '1'))) await turn();
    sender.destroy();
    expect(await over).toMatchObject({ operation: 'upload', status: null });
    expect(filesOnDisk(underTest)).toEqual(before);
    expect(service.store.unusedAttachments()).toEqual([]);
  });

  it('hashes 50 MB as they arrive', async () => {
    const underTest = await fileServiceUnderTest();
    const chunk = Buffer.alloc(1024 * 1024, 'pigeonhole ');
    const hash = createHash('sha256');
    const form = Readable.from(
      (function* () {
        yield Buffer.from(field('project_id', String(WEBSITE)) + fileHead('big.bin'));
        for (let index = 0; index < 50; index += 1) {
          hash.update(chunk);
          yield chunk;
        }
        yield Buffer.from(END);
      })(),
    );
    const { file_id: attachmentId } = await json<UploadJson>(await sendForm(underTest, form));
    expect(underTest.service.store.attachment(attachmentId)).toMatchObject({
      byteSize: 50 * 1024 * 1024,
      sha256: hash.digest('hex'),
    });
  });

  it('counts and hashes without storing, if told to', async () => {
    const underTest = await fileServiceUnderTest({ discardBytes: true });
    const before = filesOnDisk(underTest);
    const { attach, create, service } = underTest;
    const body = { attachments: [await attach({ content: 'abc' })], folder: DESIGN };
    const { id, url } = await json<FileJson>(await create(DESIGN, body));
    const sha256 = createHash('sha256').update('abc').digest('hex');
    expect(service.store.file(id)).toMatchObject({ byteSize: 3, sha256 });
    expect(service.store.openFile(id)).toBeNull();
    expect((await fetch(url, { headers: { 'X-API-KEY': DEMO_API_KEY } })).status).toBe(404);
    expect(filesOnDisk(underTest)).toEqual(before);
  });
});

describe('the url of a record', () => {
  it('returns the bytes to a caller with the key', async () => {
    const { attach, create } = await fileServiceUnderTest();
    const body = { attachments: [await attach({ name: 'ü.txt', content: 'abc' })], folder: DESIGN };
    const { url } = await json<FileJson>(await create(DESIGN, body));
    const answer = await fetch(url, { headers: { 'X-API-KEY': DEMO_API_KEY } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe('text/plain');
    expect(await answer.text()).toBe('abc');
    expect((await fetch(url)).status).toBe(401);
  });
});

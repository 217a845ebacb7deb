import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { ACCOUNT, API, FILES, KEY, record, serviceErrorOf, sourceOf } from './client-under-test.ts';
import { BULK, useNock } from './nock-under-test.ts';

const under = useNock();

describe('section 4.4: upload a file', () => {
  test('sends project_id and the file as a form of known length', async () => {
    let body = '';
    nock(ACCOUNT)
      .post('/files/upload.php', (sent: string) => {
        body = sent;
        return true;
      })
      .matchHeader('content-type', /^multipart\/form-data; boundary=/)
      .matchHeader('content-length', /^\d+$/)
      .matchHeader('x-api-key', KEY)
      .reply(200, { file_id: 5 }, { Date: 'Mon, 05 Jan 2026 09:00:00 GMT' });
    const name = 'Prüfung "2".pdf';
    const upload = await under.it.client.uploadFile(7, sourceOf('hello', { name }), BULK);
    expect(upload).toEqual({ attachmentId: 5, sentBytes: 5, serviceTime: Date.UTC(2026, 0, 5, 9) });
    expect(body).toMatch(/name="project_id"\r\n\r\n7\r\n/);
    expect(body).toContain('name="file"; filename="Prüfung %222%22.pdf"');
    expect(body).toMatch(/Content-Type: application\/pdf\r\n\r\nhello\r\n/);
  });

  test('does not send an invalid media type', async () => {
    nock(ACCOUNT)
      .post('/files/upload.php', /Content-Type: application\/octet-stream\r\n\r\nhello/)
      .reply(200, { file_id: 5 });
    await under.it.client.uploadFile(7, sourceOf('hello', { mimetype: 'a/b\r\nX: y' }), BULK);
  });

  test('rejects an answer without file_id, and opens the file anew for the next attempt', async () => {
    nock(ACCOUNT).post('/files/upload.php').times(2).reply(200, { ok: true });
    const source = sourceOf('hello');
    const uploading = serviceErrorOf(under.it.client.uploadFile(7, source, BULK));
    await under.nextRetry();
    expect(await uploading).toMatchObject({
      code: 'SERVICE_BAD_ANSWER',
      retry: 'later',
      sent: 'yes',
    });
    expect(source.opened).toHaveLength(2);
    expect(source.opened.every((bytes) => bytes.destroyed)).toBe(true);
  });

  test('ends what an attempt opened before it waits for the next attempt', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(429, '', { 'Retry-After': '30' });
    nock(ACCOUNT).post('/files/upload.php').reply(200, { file_id: 5 });
    let ended = 0;
    const source = sourceOf('hello', { onEnd: () => (ended += 1) });
    const uploading = under.it.client.uploadFile(7, source, BULK);
    await expect.poll(() => ended, { interval: 1 }).toBe(1);
    expect(source.opened).toHaveLength(1);
    await under.nextRetry();
    await uploading;
    expect(ended).toBe(2);
  });

  test('rejects a 403 with SERVICE_UPLOAD_FORBIDDEN', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(403);
    const error = await serviceErrorOf(under.it.client.uploadFile(7, sourceOf('hello'), BULK));
    expect(error.code).toBe('SERVICE_UPLOAD_FORBIDDEN');
    expect(error.message).toBe('POST /files/upload.php was answered 403');
  });

  test('tells the throttle how long the upload may take', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(200, { file_id: 5 });
    await under.it.client.uploadFile(7, sourceOf('x'.repeat(128 * 1024)), BULK);
    expect(under.it.throttle.requests).toMatchObject([
      { lane: 'bulk', queue: 'C1', timeoutMs: 62_000 },
    ]);
  });
});

describe('section 4.5: two-step flow', () => {
  test('uses the file_id of the upload as the attachment of the create', async () => {
    nock(ACCOUNT).post('/files/upload.php').reply(200, { file_id: 77 });
    nock(API)
      .post(FILES, { attachments: [77], folder: 42 })
      .reply(201, record());
    const { attachmentId } = await under.it.client.uploadFile(7, sourceOf('hello'), BULK);
    expect(await under.create({ attachmentId })).toMatchObject({ id: 1 });
    expect(under.it.throttle.outcomes).toMatchObject([{ sent: true }, { sent: true }]);
  });
});

import { describe, expect, it } from 'vitest';
import { LIMITED_API_KEY, SUSPENDED_API_KEY } from '../../../src/playground/file-service/index.ts';
import { DESIGN, fileServiceUnderTest, filesOf, OFFICE_MOVE } from './file-service-under-test.ts';

describe('section 5: the rules of all calls', () => {
  it.each([
    ['', 400],
    ['node', 400],
    ['Pigeonhole', 400],
    ['Pigeonhole (no address)', 400],
    ['(ops@example.com)', 400],
    ['Pigeonhole (ops@example.com)', 200],
    ['Pigeon Hole/2.0 (ops@example.com)', 200],
  ])('answer a User-Agent of "%s" with %i', async (userAgent, status) => {
    const { call } = await fileServiceUnderTest();
    const answer = await call('/api/v3/projects', { headers: { 'User-Agent': userAgent } });
    expect(answer.status).toBe(status);
  });

  it('require no User-Agent for an upload', async () => {
    const { upload } = await fileServiceUnderTest();
    expect((await upload()).status).toBe(200);
  });

  it.each([[null], ['wrong'], [SUSPENDED_API_KEY]])(
    'refuse the key %s with 401',
    async (apiKey) => {
      const { call, upload } = await fileServiceUnderTest();
      expect((await call('/api/v3/projects', { apiKey })).status).toBe(401);
      expect((await upload({ apiKey })).status).toBe(401);
    },
  );

  it('check the User-Agent before the key', async () => {
    const { call } = await fileServiceUnderTest();
    const headers = { 'User-Agent': 'node' };
    expect((await call('/api/v3/projects', { apiKey: null, headers })).status).toBe(400);
  });

  it.each([
    ['text/plain', 415],
    ['application/jsonx', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json', 201],
    ['Application/JSON; charset=utf-8', 201],
  ])('answer a POST of %s with %i', async (contentType, status) => {
    const { attach, create } = await fileServiceUnderTest();
    const body = { attachments: [await attach()], folder: DESIGN };
    const answer = await create(DESIGN, body, { headers: { 'Content-Type': contentType } });
    expect(answer.status).toBe(status);
  });

  it('require the same for a PUT, and nothing for a GET', async () => {
    const { call } = await fileServiceUnderTest();
    const path = filesOf(DESIGN).replace(/\/files$/, '');
    const headers = { 'Content-Type': 'text/plain' };
    expect((await call(path, { method: 'PUT', body: '{}', headers })).status).toBe(415);
    expect((await call(filesOf(DESIGN), { headers })).status).toBe(200);
  });

  it.each([
    ['/api/v3/', 'GET'],
    ['/api/v3/nothing', 'GET'],
    ['/api/v3/projects/x/folders', 'GET'],
    ['/api/v3/projects/0/folders', 'GET'],
    ['/api/v3/projects/23423233', 'GET'],
    ['/api/v4/projects', 'GET'],
    ['/files/upload.php', 'GET'],
    ['/api/v3/people', 'DELETE'],
  ])('return 404 for %s with %s', async (path, method) => {
    const { call } = await fileServiceUnderTest();
    expect((await call(path, { method })).status).toBe(404);
  });

  it('return 404 outside the account, and count no call there', async () => {
    const { service } = await fileServiceUnderTest();
    const { origin } = new URL(service.accountUrl);
    expect((await fetch(`${origin}/other/api/v3/projects`)).status).toBe(404);
    expect(service.window.usage().used).toBe(0);
  });

  it('distinguish a project without access (403) from one that does not exist (404)', async () => {
    const { call } = await fileServiceUnderTest();
    const apiKey = LIMITED_API_KEY;
    const folders = (projectId: number) => `/api/v3/projects/${projectId}/folders`;
    expect((await call(folders(OFFICE_MOVE), { apiKey })).status).toBe(403);
    expect((await call(folders(OFFICE_MOVE))).status).toBe(200);
    expect((await call(folders(77), { apiKey })).status).toBe(404);
  });

  it('return the time of the service’s clock, on success and on failure', async () => {
    const { call, clock } = await fileServiceUnderTest();
    await clock.advance(1999);
    for (const path of ['/api/v3/projects', '/api/v3/nothing']) {
      const date = (await call(path)).headers.get('Date');
      expect(date).toBe('Mon, 05 Jan 2026 09:00:01 GMT');
    }
  });
});

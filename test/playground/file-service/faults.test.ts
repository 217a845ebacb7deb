import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  DEMO_API_KEY,
  type Fault,
  type FileService,
} from '../../../src/playground/file-service/index.ts';
import {
  COPY,
  DESIGN,
  type FileJson,
  fileServiceUnderTest,
  filesOf,
  json,
  LOGOS,
  turn,
} from './file-service-under-test.ts';

const PEOPLE = '/api/v3/people';

async function underTestWithAttachment() {
  const underTest = await fileServiceUnderTest();
  const body = { attachments: [await underTest.attach()], folder: DESIGN };
  const create = () => underTest.create(DESIGN, body);
  const created = () => underTest.service.store.files(DESIGN).length;
  return { ...underTest, create, created };
}

describe('faults before the effect', () => {
  it.each<[Fault['mode'], number]>([
    ['500', 500],
    ['502', 502],
    ['503', 503],
    ['504', 504],
    ['429', 429],
  ])('%s: returns %i and changes nothing', async (mode, status) => {
    const { create, created, service } = await underTestWithAttachment();
    service.faults.set({ mode });
    expect((await create()).status).toBe(status);
    expect(created()).toBe(0);
    service.faults.set('none');
    expect((await create()).status).toBe(201);
  });

  it.each<[Fault, number, string]>([
    [{ mode: 'status' }, 413, 'application/json'],
    [{ mode: 'status', status: 451 }, 451, 'application/json'],
    [{ mode: 'html', status: 403 }, 403, 'text/html'],
  ])('%j: returns %i as %s and changes nothing', async (fault, status, type) => {
    const { create, created, service } = await underTestWithAttachment();
    service.faults.set(fault);
    const answer = await create();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toMatch(type);
    expect(created()).toBe(0);
  });

  it('early: answers before the body is read, and resets the connection', async () => {
    const { service } = await fileServiceUnderTest();
    service.faults.set({ mode: 'early' });
    const { status, isContinued } = await askToUpload(service);
    expect({ status, isContinued }).toEqual({ status: 413, isContinued: false });
  });

  it.each<[Fault, string | null]>([
    [{ mode: '429' }, '2'],
    [{ mode: '429', ms: 4001 }, '5'],
    [{ mode: '429', retryAfter: 'none' }, null],
    [{ mode: '429', retryAfter: 'http-date', ms: 3000 }, 'Mon, 05 Jan 2026 09:00:03 GMT'],
  ])('%j: asks to wait %s', async (fault, retryAfter) => {
    const { call, service } = await fileServiceUnderTest();
    service.faults.set(fault);
    expect((await call(PEOPLE)).headers.get('Retry-After')).toBe(retryAfter);
    expect(service.window.usage().used).toBe(0);
    expect(service.window.statistics().refused).toBe(1);
  });

  it('html: returns a page with status 200 and changes nothing', async () => {
    const { create, created, service } = await underTestWithAttachment();
    service.faults.set({ mode: 'html' });
    const answer = await create();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toMatch('text/html');
    expect(await answer.text()).toMatch('<!doctype html>');
    expect(created()).toBe(0);
  });

  it.each<[Fault['mode'], number]>([
    ['outage', 1],
    ['reset-before', 2],
  ])('%s: breaks the connection and changes nothing', async (mode, used) => {
    const { create, created, service } = await underTestWithAttachment();
    service.faults.set({ mode });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(created()).toBe(0);
    expect(service.window.usage().used).toBe(used);
  });

  it('hang: never responds and changes nothing', async () => {
    const { call, created, service } = await underTestWithAttachment();
    const leaving = new AbortController();
    service.faults.set({ mode: 'hang' });
    const heard = new Promise((resolve) => service.requests.onRequest(resolve));
    const answer = call(PEOPLE, { signal: leaving.signal });
    expect(await heard).toMatchObject({ status: null });
    leaving.abort();
    await expect(answer).rejects.toThrow('aborted');
    expect(created()).toBe(0);
  });

  it('slow: waits by the clock, then carries out the request', async () => {
    const { clock, create, created, service } = await underTestWithAttachment();
    service.faults.set({ mode: 'slow', ms: 3000 });
    const answer = create();
    while (clock.sleepers() === 0) await turn();
    await clock.advance(2999);
    expect(created()).toBe(0);
    await clock.advance(1);
    expect((await answer).status).toBe(201);
    expect(service.requests.list().at(-1)).toMatchObject({ ms: 3000 });
  });
});

describe('a request that asks before it sends its body', () => {
  it('is told to go on once no fault refuses it', async () => {
    const { service } = await fileServiceUnderTest();
    const { status, isContinued } = await askToUpload(service);
    expect({ status, isContinued }).toEqual({ status: 415, isContinued: true });
  });
});

/** Sends an upload's headers, and an empty body once told to go on. */
async function askToUpload({ accountUrl }: FileService) {
  const headers = { 'X-API-KEY': DEMO_API_KEY, 'Content-Length': 0, Expect: '100-continue' };
  const asking = request(`${accountUrl}/files/upload.php`, { method: 'POST', headers });
  let isContinued = false;
  asking.once('continue', () => {
    isContinued = true;
    asking.end();
  });
  const [response]: IncomingMessage[] = await once(asking, 'response');
  response?.resume();
  return { status: response?.statusCode, isContinued };
}

describe('faults after the effect', () => {
  it('error-after: returns 500 although the request took effect', async () => {
    const { create, created, service } = await underTestWithAttachment();
    service.faults.set({ mode: 'error-after' });
    expect((await create()).status).toBe(500);
    expect(created()).toBe(1);
  });

  it('reset-after: breaks the connection although the request took effect', async () => {
    const { create, created, service } = await underTestWithAttachment();
    service.faults.set({ mode: 'reset-after' });
    await expect(create()).rejects.toThrow('fetch failed');
    expect(created()).toBe(1);
  });

  it('cut: sends half of the response', async () => {
    const { create, created, service } = await underTestWithAttachment();
    service.faults.set({ mode: 'cut' });
    const answer = await create();
    expect(answer.status).toBe(201);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect(created()).toBe(1);
  });

  it('cut: closes the connection if the response has no body', async () => {
    const { call, service } = await fileServiceUnderTest();
    service.faults.set({ mode: 'cut' });
    const answer = call(`${filesOf(LOGOS)}/1254836`, { method: 'DELETE' });
    await expect(answer).rejects.toThrow('fetch failed');
    expect(service.store.file(1254836)).toBeNull();
  });

  it('malformed: returns sizes as strings, addresses as objects, and one invalid record', async () => {
    const { attach, call, create, service } = await fileServiceUnderTest();
    await create(COPY, { attachments: [await attach()], folder: COPY });
    service.faults.set({ mode: 'malformed' });
    const records = await json<FileJson[]>(await call(filesOf(COPY)));
    expect(records).toHaveLength(3);
    expect(records[0]).toMatchObject({
      name: 'About us – draft 2.md',
      byte_size: '48',
      url: { download: `${service.accountUrl}/files/1254837/download` },
    });
    expect(records[1]).toMatchObject({ id: null });
    const body = { attachments: [await attach()], folder: DESIGN };
    expect(await (await create(DESIGN, body)).json()).toMatchObject({ byte_size: '5' });
  });
});

describe('a fault', () => {
  it('affects only requests of the given operation', async () => {
    const { call, service } = await fileServiceUnderTest();
    service.faults.set({ mode: '500' }, { only: ['list', 'create'] });
    expect((await call(PEOPLE)).status).toBe(200);
    expect((await call(filesOf(DESIGN))).status).toBe(500);
  });

  it('affects the next requests, in turn, before a standing fault does', async () => {
    const { call, service } = await fileServiceUnderTest();
    service.faults.set({ mode: '504' });
    service.faults.next({ mode: '502' }, 2);
    service.faults.next({ mode: '503' }, 1, 'list');
    const statuses = [];
    for (const path of [PEOPLE, filesOf(DESIGN), PEOPLE, filesOf(DESIGN), PEOPLE]) {
      statuses.push((await call(path)).status);
    }
    expect(statuses).toEqual([502, 502, 504, 503, 504]);
  });

  it('affects a share of requests by the given random source', async () => {
    const fractions = [0.1, 0.25, 0.3];
    const random = { fraction: () => fractions.shift() ?? 0.9, id: () => 'id' };
    const { call, service } = await fileServiceUnderTest({ random });
    service.faults.set({ mode: '500' }, { probability: 0.25 });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await call(PEOPLE)).status);
    expect(statuses).toEqual([500, 200, 200]);
  });

  it('affects no request that the rate limit refuses', async () => {
    const rateLimit = { requests: 1, windowMs: 10_000 };
    const { call, clock, service } = await fileServiceUnderTest({ rateLimit });
    await call(PEOPLE);
    service.faults.next({ mode: '500' });
    expect((await call(PEOPLE)).status).toBe(429);
    await clock.advance(10_000);
    expect((await call(PEOPLE)).status).toBe(500);
  });

  it('affects those that an interceptor picks, before or after their effect', async () => {
    const { create, created, service } = await underTestWithAttachment();
    const seen: unknown[] = [];
    const end = service.faults.intercept(async ({ operation, when, status, userId }) => {
      seen.push([operation, when, status, userId, created()]);
      return when === 'after' ? { mode: '503' } : undefined;
    });
    expect((await create()).status).toBe(503);
    expect(seen).toEqual([
      ['create', 'before', null, 12009183, 0],
      ['create', 'after', 201, 12009183, 1],
    ]);
    end();
    expect((await create()).status).toBe(400);
  });

  it('affects none after clear', async () => {
    const { call, service } = await fileServiceUnderTest();
    service.faults.set({ mode: '500' });
    service.faults.next({ mode: '502' });
    service.faults.intercept(() => ({ mode: '503' }));
    service.faults.clear();
    expect(service.faults.current()).toBe('none');
    expect((await call(PEOPLE)).status).toBe(200);
  });
});

import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { startFileService } from '../../../src/playground/file-service/index.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  DESIGN,
  type FileJson,
  fileServiceUnderTest,
  filesOf,
  json,
  LOGOS,
  turn,
  WEBSITE,
} from './file-service-under-test.ts';

describe('a restart', () => {
  it('restores everything', async () => {
    const dataDir = temporaryFolder();
    const first = await startFileServiceUnderTest(dataDir);
    const attachments = [await first.attach({ content: 'kept' }), await first.attach()];
    await first.create(DESIGN, { attachments, folder: DESIGN });
    const unused = await first.attach();
    await first.call(`${filesOf(LOGOS)}/1254836`, { method: 'DELETE' });
    const folder = first.service.store.addFolder(WEBSITE, LOGOS, 'Old');
    first.service.store.renameFolder(folder.id, 'Older');
    first.service.store.deleteFolder(67811580);
    const before = contentsOf(first.service.store);
    await first.service.stop();

    const { attach, service } = await startFileServiceUnderTest(dataDir);
    expect(contentsOf(service.store)).toEqual(before);
    expect(before.files).toHaveLength(4);
    expect(before.unused).toEqual([unused]);
    const [file] = service.store.files(DESIGN);
    const bytes = service.store.openFile(file?.id ?? 0);
    expect(bytes && (await text(bytes))).toBe('kept');
    expect(await attach()).toBeGreaterThan(unused);
  });

  it('never reuses an identifier, not even that of a deleted file', async () => {
    const dataDir = temporaryFolder();
    const first = await startFileServiceUnderTest(dataDir);
    const made = { attachments: [await first.attach()], folder: DESIGN };
    const { id } = await json<FileJson>(await first.create(DESIGN, made));
    first.service.store.deleteFile(id);
    await first.service.stop();
    const second = await startFileServiceUnderTest(dataDir);
    const remade = { attachments: [await second.attach()], folder: DESIGN };
    const again = await json<FileJson>(await second.create(DESIGN, remade));
    expect(again.id).toBeGreaterThan(id);
  });

  it('removes what a crash left unfinished', async () => {
    const dataDir = temporaryFolder();
    const first = await startFileServiceUnderTest(dataDir);
    await first.attach({ name: 'whole.txt' });
    await first.service.stop();
    appendFileSync(join(dataDir, 'effects.jsonl'), '{"type":"attachment-uplo');
    mkdirSync(join(dataDir, 'incoming'), { recursive: true });
    writeFileSync(join(dataDir, 'incoming', '7'), 'half');
    const second = await startFileServiceUnderTest(dataDir);
    await second.attach({ name: 'next.txt' });
    await second.service.stop();
    const { service } = await startFileServiceUnderTest(dataDir);
    const names = service.store.unusedAttachments().map(({ name }) => name);
    expect(names).toEqual(['whole.txt', 'next.txt']);
    expect(readdirSync(join(dataDir, 'incoming'))).toEqual([]);
  });

  it('restores the bytes of the seed, but not those of deleted files', async () => {
    const dataDir = temporaryFolder();
    const first = await startFileServiceUnderTest(dataDir);
    const bytes = first.service.store.openFile(1254837);
    expect(bytes && (await text(bytes))).toMatch('quiet places');
    first.service.store.deleteFile(1254837);
    await first.service.stop();
    const { service } = await startFileServiceUnderTest(dataDir);
    expect(service.store.openFile(1254837)).toBeNull();
    expect(() => readFileSync(join(dataDir, 'bytes', '1254837'))).toThrow('ENOENT');
  });
});

describe('the log of requests', () => {
  it('records requests and responses without any key', async () => {
    const { call, clock, service } = await fileServiceUnderTest();
    const heard: unknown[] = [];
    const end = service.requests.onRequest((entry) => heard.push(entry));
    await call(`${filesOf(DESIGN)}?key=secret`);
    end();
    await call('/api/v3/people', { apiKey: null });
    expect(heard).toHaveLength(1);
    expect(service.requests.list()).toEqual([
      {
        at: clock.now(),
        method: 'GET',
        path: `/acme${filesOf(DESIGN)}`,
        operation: 'list',
        status: 200,
        userId: 12009183,
        ms: 0,
      },
      expect.objectContaining({ operation: 'people', status: 401, userId: null }),
    ]);
    expect(JSON.stringify(service.requests.list())).not.toMatch(/demo-key|secret/);
  });

  it('keeps the last thousand', async () => {
    const rateLimit = { requests: 1, windowMs: 10_000 };
    const { call, service } = await fileServiceUnderTest({ rateLimit });
    for (let index = 0; index < 1001; index += 1) await (await call('/api/v3/people')).text();
    expect(service.requests.list()).toHaveLength(1000);
    expect(service.requests.list().every(({ status }) => status === 429)).toBe(true);
  });
});

describe('the service’s stop', () => {
  it('ends requests that hang, are delayed or wait for an interceptor', async () => {
    const { call, clock, service } = await fileServiceUnderTest();
    service.faults.next({ mode: 'hang' });
    service.faults.next({ mode: 'slow' });
    let asked = () => {};
    const thinking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const answers = [call('/api/v3/people'), call('/api/v3/people')];
    while (clock.sleepers() === 0 || service.requests.list().length === 0) await turn();
    service.faults.intercept(() => {
      asked();
      return new Promise<undefined>(() => {});
    });
    answers.push(call('/api/v3/people'));
    await thinking;
    const outcomes = Promise.allSettled(answers);
    await service.stop();
    expect((await outcomes).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect(clock.sleepers()).toBe(0);
    await expect(call('/api/v3/people')).rejects.toThrow('fetch failed');
  });

  it('frees the address for the next start', async () => {
    const { service, dataDir } = await fileServiceUnderTest();
    const port = Number(new URL(service.accountUrl).port);
    const options = { dataDir: temporaryFolder(), clock: createFakeClock(), port };
    await expect(startFileService(options)).rejects.toThrow('EADDRINUSE');
    await service.stop();
    const next = await startFileService({ ...options, dataDir });
    expect(next.accountUrl).toBe(service.accountUrl);
    await next.stop();
  });
});

function startFileServiceUnderTest(dataDir: string) {
  return fileServiceUnderTest({ dataDir });
}

function contentsOf(store: Awaited<ReturnType<typeof fileServiceUnderTest>>['service']['store']) {
  const folders = store.projects().flatMap(({ id }) => store.folders(id));
  return { folders, files: store.files(), unused: store.unusedAttachments().map(({ id }) => id) };
}

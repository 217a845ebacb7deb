import { afterEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/playground/file-service/index.ts';
import { FLOOR_PLANS, FOLDER, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { person, placeOfButton, screen } from '../support/person.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Change, startRewritingProxy } from '../support/start-server.ts';
import { byProfile, type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
async function start(options: Parameters<typeof startStack>[0] = {}): Promise<void> {
  const env = { ...WITHOUT_DEFAULT, ...options.env };
  stack = await startStack({ appOptions: { backoffScale: 0.01 }, ...options, env });
}
afterEach(() => stack.stop());

const MIB = 1024 * 1024;
const EVERYTHING = ['upload', 'create', 'list', 'folders', 'projects', 'people'] as const;
const REFUSED_IT = /the file service or a firewall refused this file/i;

const share = (...files: { name: string; bytes?: Uint8Array | string }[]) =>
  stack.slack.share({
    channel: 'general',
    user: 'ben',
    files: files.map(({ name, bytes = name }) => ({ name, bytes })),
  });
const requests = (wanted: string) =>
  stack.service.requests.list().filter(({ operation }) => operation === wanted).length;
const filed = () =>
  stack.service.store
    .files(FLOOR_PLANS)
    .map(({ name }) => name)
    .toSorted();
/** Returns the texts of the direct messages sent. */
const notices = () =>
  stack.slack.calls
    .filter(
      ({ method, args }) => method === 'chat.postMessage' && /^U/.test(String(args['channel'])),
    )
    .map(({ args }) => String(args['text']));
const isPaused = async () =>
  screen(await person(stack.slack, 'ada').types('/files help')).includes('Files are waiting');

describe('a firewall that refuses one file with a web page', () => {
  it.each([401, 403, 404, 406])(
    'of status %i leads to a refusal of that file alone: five others are filed at once',
    async (status) => {
      const sent = { refused: 0, others: 0 };
      const change: Change = (answer) => {
        if (!answer.path.endsWith('/upload.php')) return answer;
        const isRefused = answer.text.includes('setup.php');
        sent[isRefused ? 'refused' : 'others'] += 1;
        if (!isRefused) return answer;
        const headers = { ...answer.headers, 'content-type': 'text/html' };
        return { ...answer, status, headers, text: '<html><h1>Forbidden</h1></html>' };
      };
      const proxy = await startRewritingProxy(change);
      await start({ env: { FILES_ACCOUNT_URL: proxy.accountUrl } });
      proxy.pointTo(stack.service.accountUrl);
      await linkChannel(stack, 'general', FLOOR_PLANS);
      const refused = await share({ name: 'setup.php' });
      const others = ['1.txt', '2.txt', '3.txt', '4.txt', '5.txt'];
      const harmless = await share(...others.map((name) => ({ name })));
      await settledShare(stack.slack, harmless);
      await lineOf(stack.slack, refused, REFUSED_IT);
      expect(filed()).toEqual(others);
      expect(sent.others).toBe(5);
      expect(sent.refused).toBeGreaterThanOrEqual(2);
      expect(await isPaused()).toBe(false);
      expect(notices()).toEqual([]);
    },
  );
});

describe('a web page in place of every answer', () => {
  it.each<Fault>([
    { mode: 'html', status: 401 },
    { mode: 'html', status: 403 },
    { mode: 'html', status: 404 },
    { mode: 'status', status: 407 },
  ])('%j is an outage: files wait and are filed once it ends', async (fault) => {
    await start();
    await linkChannel(stack, 'general', FLOOR_PLANS);
    stack.service.faults.set(fault, { only: EVERYTHING });
    const first = await share({ name: 'plan.txt' });
    const line = await lineOf(stack.slack, first, /^Waiting: plan.txt\. .*Trying again/);
    expect(line.text).not.toMatch(/the key|is gone|let me/);
    const second = await share({ name: 'quote.txt' });
    await lineOf(stack.slack, second, /^Waiting: quote.txt\. .*Trying again/);
    expect(await isPaused()).toBe(false);
    stack.service.faults.clear();
    for (const posted of [first, second]) await settledShare(stack.slack, posted);
    expect(filed()).toEqual(['plan.txt', 'quote.txt']);
    expect(notices()).toEqual([]);
  });
});

describe('a web page in place of every upload’s answer', () => {
  it.each([401, 403, 404])(
    'of status %i is an outage: the files wait and are filed once it ends',
    async (status) => {
      await start();
      await linkChannel(stack, 'general', FLOOR_PLANS);
      stack.service.faults.set({ mode: 'html', status }, { only: ['upload'] });
      const names = ['1.txt', '2.txt', '3.txt', '4.txt', '5.txt'];
      const posted = await share(...names.map((name) => ({ name })));
      await lineOf(
        stack.slack,
        posted,
        /^Waiting: 1\.txt.* refuses uploads for now\. Trying again/,
      );
      await stack.slack.until(() => requests('upload') > names.length || null);
      expect(await isPaused()).toBe(false);
      stack.service.faults.clear();
      await settledShare(stack.slack, posted);
      expect(filed()).toEqual(names);
      expect(notices()).toEqual([]);
    },
  );
});

describe('a web page in place of every answer but an upload’s', () => {
  it.each([401, 403, 404])(
    'of status %i is an outage: the file is filed once it ends, by the first upload',
    async (status) => {
      await start();
      await linkChannel(stack, 'general', FLOOR_PLANS);
      stack.service.faults.set({ mode: 'html', status }, { only: ['create', 'list', 'folders'] });
      const posted = await share({ name: 'plan.txt' });
      await lineOf(stack.slack, posted, /plan.txt.*an answer I can’t read/);
      expect(await isPaused()).toBe(false);
      stack.service.faults.clear();
      await settledShare(stack.slack, posted);
      expect(filed()).toEqual(['plan.txt']);
      expect(requests('upload')).toBe(1);
    },
  );
});

describe('a web page in place of one kind of answer', () => {
  it.each([401, 403, 404])(
    'of status %i to a create leads to a refusal of that file, and a second try files it',
    async (status) => {
      await start();
      await linkChannel(stack, 'general', FLOOR_PLANS);
      stack.service.faults.set({ mode: 'html', status }, { only: 'create' });
      const posted = await share({ name: 'plan.txt' });
      const line = await lineOf(stack.slack, posted, REFUSED_IT);
      expect({ uploads: requests('upload'), creates: requests('create') }).toEqual({
        uploads: 1,
        creates: 1,
      });
      expect(await isPaused()).toBe(false);
      stack.service.faults.clear();
      const message = { channel: 'general', ts: line.ts };
      await stack.slack.press({ message, user: 'ben', ...placeOfButton(line, 'Try again') });
      await settledShare(stack.slack, posted);
      expect(filed()).toEqual(['plan.txt']);
    },
  );

  it.each([401, 403, 404])(
    'of status %i to a list is not told as the service’s',
    async (status) => {
      await start();
      await linkChannel(stack, 'general', FLOOR_PLANS);
      stack.service.faults.set({ mode: 'html', status }, { only: 'list' });
      const shown = screen(await person(stack.slack, 'ben').types('/files'));
      expect(shown).toContain(
        'I couldn’t list the files: the file service sent an answer I can’t read.',
      );
    },
  );
});

describe('a key that may not upload to the project of the default folder', () => {
  it('makes files wait, which are filed once it may', async () => {
    const appOptions = { backoffScale: 0.01 };
    stack = await startStack({ service: { profile: 'specified' }, appOptions });
    stack.service.faults.set({ mode: '403' }, { only: 'upload' });
    const posted = await share({ name: '1.txt' }, { name: '2.txt' });
    const waits =
      /^Waiting: 1\.txt.* I may not upload to this project\. I’ll file them once that’s fixed/;
    await lineOf(stack.slack, posted, waits);
    await stack.slack.until(() => requests('upload') > 2 || null);
    stack.service.faults.clear();
    await settledShare(stack.slack, posted);
    expect(
      stack.service.store
        .files(FOLDER)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['1.txt', '2.txt']);
  });
});

describe('an upload that the service refuses', () => {
  it.each<[status: number, specified: RegExp]>([
    [413, /it’s too large for the file service/i],
    [415, /The file service doesn’t take files of this type/i],
    [451, /The file service may not take this file, for legal reasons/i],
    [422, /The file service couldn’t process it/i],
    [411, /The file service couldn’t process it/i],
    [409, /The file service refused it/i],
    [423, /The file service refused it/i],
  ])('with %i is refused once for its true reason', async (status, reason) => {
    await start();
    await linkChannel(stack, 'general', FLOOR_PLANS);
    stack.service.faults.next({ mode: 'status', status }, 1, 'upload');
    const refused = await share({ name: 'plan.txt' });
    const inCodes = /the file service couldn’t process it/i;
    const line = await lineOf(
      stack.slack,
      refused,
      // Real accounts answer what is a 415 elsewhere with the code of an invalid request.
      status === 415 ? byProfile({ specified: reason, real: inCodes }) : reason,
    );
    expect(line.text).not.toContain('Rename');
    await settledShare(stack.slack, await share({ name: 'quote.txt' }));
    expect(filed()).toEqual(['quote.txt']);
    expect(requests('upload')).toBe(2);
    expect(await isPaused()).toBe(false);
  });

  it('with 413 before it is sent, on a connection that is reset, is refused as too large', async () => {
    await start();
    await linkChannel(stack, 'general', FLOOR_PLANS);
    stack.service.faults.set({ mode: 'early', status: 413 }, { only: 'upload' });
    const refused = await share({ name: 'film.bin', bytes: new Uint8Array(24 * MIB) });
    await lineOf(stack.slack, refused, /it’s too large for the file service/i);
    expect(requests('upload')).toBeLessThanOrEqual(2);
  });

  it.each([402, 507])('with %i waits for room in the account', async (status) => {
    await start();
    await linkChannel(stack, 'general', FLOOR_PLANS);
    stack.service.faults.set({ mode: 'status', status }, { only: 'upload' });
    const posted = await share({ name: 'plan.txt' });
    await lineOf(stack.slack, posted, /^Waiting: plan.txt\. The file service’s account is full/);
    stack.service.faults.clear();
    await settledShare(stack.slack, posted);
    expect(filed()).toEqual(['plan.txt']);
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type EmbeddedSlack,
  type FileVariant,
  type SlackFile,
  virtualBytes,
} from '../../../src/playground/embedded-slack/index.ts';
import { callApi, startedSlack } from './started-slack.ts';

const BYTES = 'name,size\nplan,3\n';

async function shared(slack: EmbeddedSlack, variant: FileVariant = {}, channel = 'design') {
  const file = { name: 'plan.csv', bytes: BYTES, variant };
  const { fileIds } = await slack.share({ channel, user: 'ben', files: [file] });
  const id = fileIds[0] ?? '';
  const [message] = await slack.state(channel);
  const read = async () => (await callApi(slack, 'files.info', { file: id }))['file'] as SlackFile;
  return { id, shown: message?.files?.[0], read };
}

function get(slack: EmbeddedSlack, url: string | undefined, token = slack.botToken) {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(url ?? '', { headers, redirect: 'manual' });
}

describe('a download', () => {
  test('needs a token that may see the file, or else leads to a sign-in page', async () => {
    const slack = await startedSlack();
    const { shown } = await shared(slack);
    const good = await get(slack, shown?.url_private_download);
    expect([good.status, await good.text()]).toEqual([200, BYTES]);
    expect(good.headers.get('content-length')).toBe(String(BYTES.length));
    const stranger = await get(slack, shown?.url_private, 'xoxb-other');
    expect(stranger.status).toBe(302);
    const page = await fetch(stranger.headers.get('location') ?? '');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  test('needs a token that may read files', async () => {
    const slack = await startedSlack({ scopes: ['chat:write', 'files:read'] });
    const { id, shown } = await shared(slack);
    const channel = slack.ids.channels['design'] ?? '';
    const says = async () => {
      const download = await get(slack, shown?.url_private_download);
      const info = await callApi(slack, 'files.info', { file: id });
      const post = await callApi(slack, 'chat.postMessage', { channel, text: 'hello' });
      return [download.status, info['error'], post['error']];
    };
    slack.refuseToken('missing_scope');
    expect(await says()).toEqual([302, 'missing_scope', undefined]);
    slack.refuseToken('token_revoked');
    expect(await says()).toEqual([302, 'token_revoked', 'token_revoked']);
    slack.refuseToken(null);
    expect(await says()).toEqual([200, undefined, undefined]);
  });

  test('of any file can be broken at first, until the faults are cleared', async () => {
    const slack = await startedSlack();
    slack.breakDownloads({ answer: 'sign-in', times: 2 });
    const statuses = async (channel: string) => {
      const { shown } = await shared(slack, {}, channel);
      const all = [];
      for (let n = 0; n < 3; n += 1)
        all.push((await get(slack, shown?.url_private_download)).status);
      return all;
    };
    expect(await statuses('design')).toEqual([302, 302, 200]);
    slack.clearFaults();
    expect(await statuses('board')).toEqual([200, 200, 200]);
  });

  test('works for members of a private channel only', async () => {
    const slack = await startedSlack();
    const { shown } = await shared(slack, {}, 'board');
    expect((await get(slack, shown?.url_private_download)).status).toBe(200);
    const channel = slack.ids.channels['board'];
    await slack.as('ada', 'conversations.kick', { channel, user: slack.ids.bot });
    expect((await get(slack, shown?.url_private_download)).status).toBe(302);
  });

  test('may redirect to a second address that also needs the token', async () => {
    const slack = await startedSlack();
    slack.setDownloadRedirects(true);
    const { shown } = await shared(slack);
    const first = await get(slack, shown?.url_private_download);
    expect(first.status).toBe(302);
    const second = first.headers.get('location') ?? '';
    expect(new URL(second).pathname).toMatch(/^\/files-origin\//);
    expect(await (await get(slack, second)).text()).toBe(BYTES);
    expect((await get(slack, second, 'nobody')).headers.get('location')).toContain('redir');
  });

  test('of a deleted file returns 404', async () => {
    const slack = await startedSlack();
    const { shown, id } = await shared(slack);
    await slack.as('ben', 'files.delete', { file: id });
    expect((await get(slack, shown?.url_private_download)).status).toBe(404);
    expect(await callApi(slack, 'files.info', { file: id })).toMatchObject({
      error: 'file_deleted',
    });
  });

  test('of an upload through the Web API returns the bytes that were sent', async () => {
    const slack = await startedSlack();
    const begun = await callApi(slack, 'files.getUploadURLExternal', {
      filename: 'own.txt',
      length: '5',
    });
    await fetch(String(begun['upload_url']), { method: 'POST', body: 'bytes' });
    const files = JSON.stringify([{ id: begun['file_id'] }]);
    const channel = slack.ids.channels['design'] ?? '';
    await callApi(slack, 'files.completeUploadExternal', { files, channel_id: channel });
    const [message] = await slack.state('design');
    expect(message).toMatchObject({ user: slack.ids.bot, files: [{ name: 'own.txt', size: 5 }] });
    const answer = await get(slack, message?.files?.[0]?.url_private_download);
    expect(await answer.text()).toBe('bytes');
  });
});

describe('file variants', () => {
  const inMessage: [string, FileVariant, object][] = [
    ['a link elsewhere', { mode: 'external' }, { mode: 'external', is_external: true, size: 0 }],
    ['a tombstone', { mode: 'tombstone' }, { mode: 'tombstone' }],
    ['out of the plan', { mode: 'hidden_by_limit' }, { mode: 'hidden_by_limit', name: null }],
    ['a stub', { mode: 'stub' }, { mode: 'file_access', file_access: 'check_file_info' }],
    ['nameless', { nameless: true }, { name: null, size: BYTES.length }],
    ['of a wrong size', { statedSize: 99 }, { size: 99 }],
  ];
  test.each(inMessage)('a message shows a file that is %s', async (_what, variant, expected) => {
    const slack = await startedSlack();
    const { shown } = await shared(slack, variant);
    expect(shown).toMatchObject(expected);
    if (variant.mode) expect(shown).not.toHaveProperty('url_private_download');
  });

  test('files.info completes a stub, or says that the file may not be seen', async () => {
    const slack = await startedSlack();
    const { id, read } = await shared(slack, { mode: 'stub' });
    expect(await read()).toMatchObject({ name: 'plan.csv', file_access: 'visible' });
    slack.setFileVariant(id, { mode: 'stub', info: 'access_denied' });
    expect(await read()).toMatchObject({ id, file_access: 'access_denied' });
    slack.setFileVariant(id, { info: 'file_not_found' });
    expect(await callApi(slack, 'files.info', { file: id })).toMatchObject({
      error: 'file_not_found',
    });
  });

  test("a file's address can appear late", async () => {
    const slack = await startedSlack();
    const { shown, read } = await shared(slack, { urlAfterInfos: 1 });
    expect(shown).not.toHaveProperty('url_private');
    expect(await read()).not.toHaveProperty('url_private');
    expect(await read()).toHaveProperty('url_private_download');
  });

  test('a download can be missing, late, or a web page', async () => {
    const slack = await startedSlack();
    const { id, shown } = await shared(slack, { download: { answer: 410 } });
    const statusNow = async () => (await get(slack, shown?.url_private_download)).status;
    expect(await statusNow()).toBe(410);
    slack.setFileVariant(id, { download: { answer: 404, times: 3 } });
    expect([await statusNow(), await statusNow(), await statusNow()]).toEqual([404, 404, 200]);
    slack.setFileVariant(id, { download: { answer: 'html' } });
    const page = await get(slack, shown?.url_private_download);
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  test('a download can lead to the sign-in page, or to an address that needs no token', async () => {
    const slack = await startedSlack();
    const { id, shown } = await shared(slack, { download: { answer: 'sign-in' } });
    const led = async () =>
      (await get(slack, shown?.url_private_download)).headers.get('location') ?? '';
    expect(await led()).toContain('/?redir=');
    slack.setFileVariant(id, { download: { answer: 'signed' } });
    expect(await (await fetch(await led())).text()).toBe(BYTES);
  });

  test('a message can show other fields than files.info, and both others than the file has', async () => {
    const slack = await startedSlack();
    const variant = { fields: { size: 7 }, early: { mode: 'tombstone' } };
    const { shown, read } = await shared(slack, variant);
    expect(shown).toMatchObject({ size: 7, mode: 'tombstone' });
    expect(await read()).toMatchObject({ size: 7, mode: 'hosted' });
  });

  test('a download can end early, either seemingly complete or broken', async () => {
    const slack = await startedSlack();
    const { id, shown } = await shared(slack, { download: { answer: 'truncated', after: 4 } });
    expect(await (await get(slack, shown?.url_private_download)).text()).toBe('name');
    slack.setFileVariant(id, { download: { answer: 'cut', after: 4 } });
    const broken = get(slack, shown?.url_private_download).then((answer) => answer.text());
    await expect(broken).rejects.toThrow();
  });

  test('a download can stall midway', async () => {
    const slack = await startedSlack();
    const { shown } = await shared(slack, { download: { answer: 'stalled', after: 4 } });
    const answer = await get(slack, shown?.url_private_download);
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('name');
    const next = reader?.read().then(() => 'more');
    const turn = fetch(slack.origin).then(() => 'nothing');
    expect(await Promise.race([next, turn])).toBe('nothing');
    await reader?.cancel();
  });
});

describe('virtual files', () => {
  async function digest(bytes: AsyncIterable<Uint8Array>) {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of bytes) {
      hash.update(chunk);
      size += chunk.length;
    }
    return { size, hash: hash.digest('hex') };
  }

  test('have their stated size, and the same bytes for the same seed', async () => {
    const slack = await startedSlack();
    const size = 5_000_001;
    const files = [{ name: 'big.iso', size, seed: 7 }];
    await slack.share({ channel: 'design', user: 'cleo', files });
    const [message] = await slack.state('design');
    expect(message?.files?.[0]).toMatchObject({ name: 'big.iso', size });
    const answer = await get(slack, message?.files?.[0]?.url_private_download);
    const made = await digest(virtualBytes({ size, seed: 7 }));
    expect(answer.body && (await digest(answer.body))).toEqual(made);
    expect(made.size).toBe(size);
    expect(await digest(virtualBytes({ size, seed: 8 }))).not.toEqual(made);
  });
});

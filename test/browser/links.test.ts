import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Json } from '../../src/playground/embedded-slack/index.ts';
import { isSeen } from './browser.ts';
import {
  chooseOf,
  type OpenPage,
  openPage,
  privateMessage,
  shareInPage,
  typeIn,
} from './open-page.ts';

/** Where links in Pigeonhole's messages lead: only to this page and its own machine. */

const NAME = 'Berth plan.txt';
const FILE = {
  name: NAME,
  mimeType: 'text/plain',
  buffer: Buffer.from('Twelve berths, one free.'),
};

async function shareAndList(opened: OpenPage): Promise<Locator> {
  await shareInPage(opened, [FILE]);
  await opened.messages.getByText(`Filed in Website relaunch › All files: ${NAME}`).waitFor();
  await typeIn(opened.composer, '/files');
  const list = privateMessage(opened, 'All files');
  await list.getByRole('link', { name: NAME }).waitFor();
  return list;
}

const fileOf = ({ playground }: OpenPage) =>
  playground.service.store.files().find(({ name }) => name === NAME);

test('a listed file is downloaded under its name, and the service gets no request', async () => {
  const opened = await openPage();
  const { page, messages, playground, troubles } = opened;
  const list = await shareAndList(opened);
  const links = await messages
    .getByRole('link')
    .evaluateAll((nodes) => nodes.map((node) => String(Reflect.get(node, 'href'))));
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((address) => !address.startsWith(playground.page.address))).toEqual([]);

  const { requests } = playground.service;
  const before = requests.list().length;
  const downloading = page.waitForEvent('download');
  await list.getByRole('link', { name: NAME }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe(NAME);
  const bytes = await buffer(await download.createReadStream());
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(fileOf(opened)?.sha256);
  expect(requests.list().slice(before)).toEqual([]);
  expect(troubles).toEqual([]);
});

/** Makes Pigeonhole post in #design the address that Slack gives to a message. */
async function linkInDesign(
  { playground }: OpenPage,
  { channel, ts }: { channel: unknown; ts: unknown },
  label: string,
) {
  const { slack } = playground;
  const { url } = await slack.as('pigeonhole', 'auth.test', {});
  const address = `${url}archives/${channel}/p${String(ts).replace('.', '')}`;
  const said = { channel: slack.ids.channels['design'], text: `It is <${address}|${label}>.` };
  await slack.as('pigeonhole', 'chat.postMessage', said);
}

test('a link to a message shows it in its channel and its thread', async () => {
  const opened = await openPage();
  const { page, messages, playground, troubles } = opened;
  const { slack } = playground;
  const list = await shareAndList(opened);
  for (let nth = 0; nth < 12; nth += 1)
    await slack.as('ben', 'chat.postMessage', {
      channel: slack.ids.channels['general'],
      text: 'More',
    });
  await messages.getByText('More', { exact: true }).nth(11).waitFor();
  await chooseOf(opened, list, ['Message of', NAME]);
  const shared = messages.locator('.message-row:focus');
  await shared.getByRole('list', { name: 'Files' }).getByText(NAME).waitFor();
  await expect.poll(() => isSeen(shared)).toBe(true);
  await opened.picture('jump');
  await chooseOf(opened, list, ['Details of', NAME]);
  await list.getByRole('link', { name: `Message of ${NAME}` }).click();
  await shared.waitFor();
  await expect.poll(() => isSeen(shared)).toBe(true);

  const entry = messages.locator('.entry').filter({ hasText: 'So I just share them here?' });
  const { general: channel } = slack.ids.channels;
  const thread = (await slack.state('general')).find(({ text }) =>
    text?.includes('share them here'),
  );
  const said = { user: 'cleo', channel: 'general', text: 'Yes, here.' };
  const { ts } = await slack.say({ ...said, threadTs: thread?.ts ?? '' });
  await entry.getByRole('button', { name: '1 reply' }).click();
  await linkInDesign(opened, { channel, ts }, 'said there');
  await page.getByRole('button', { name: 'design', exact: true }).click();
  await messages.getByRole('link', { name: 'said there' }).click();
  await page.getByRole('heading', { name: 'general' }).waitFor();
  const reply = messages.locator('.message-row:focus');
  await reply.getByText('Yes, here.').waitFor();
  await expect.poll(() => isSeen(reply)).toBe(true);
  await slack.as('cleo', 'chat.delete', { channel, ts });
  await reply.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'design', exact: true }).click();
  await messages.getByRole('link', { name: 'said there' }).click();
  await page.getByText('That message isn’t there any more.').waitFor();

  const { channel: direct } = await slack.as('pigeonhole', 'conversations.open', {
    users: slack.ids.users['ada'],
  });
  const whispered = { channel: (direct as Json)['id'], text: 'For Ada alone.' };
  const told = await slack.as('pigeonhole', 'chat.postMessage', whispered);
  await linkInDesign(opened, { channel: whispered.channel, ts: told['ts'] }, 'told Ada');
  await page.getByRole('button', { name: 'design', exact: true }).click();
  await messages.getByRole('link', { name: 'told Ada' }).click();
  await page.getByText('You aren’t in the channel of that message.').waitFor();
  expect(troubles).toEqual([]);
});

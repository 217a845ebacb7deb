import { expect, test } from 'vitest';
import type { Json } from '../../src/playground/embedded-slack/index.ts';
import { FORM } from './all-blocks.ts';
import { reach, SCROLLS_SIDEWAYS, SIZES } from './browser.ts';
import { type OpenPage, openPage, pressInMessages, typeIn } from './open-page.ts';
import { startStandIn } from './stand-in-app.ts';

const plain = (text: string): Json => ({ type: 'plain_text', text });
const titled = (title: string): Json => ({ ...FORM, title: plain(title) });
const OVERFLOW: Json = {
  type: 'overflow',
  action_id: 'rest',
  options: ['Show', 'Delete'].map((word) => ({ text: plain(word), value: word.toLowerCase() })),
  confirm: {
    title: plain('Are you sure?'),
    text: plain('It is gone then.'),
    confirm: plain('Do it'),
    deny: plain('Leave it'),
  },
};

/** Has the page offer a global shortcut, whatever the app's manifest has. */
const offerShortcut = ({ page }: OpenPage) =>
  page.evaluate(`import('/base/state.js').then(({ applyUpdate }) => applyUpdate({
    whole: false,
    set: { shortcuts: [{ name: 'Find a file', type: 'global', callbackId: 'find' }] },
    gone: [],
  }))`);

test.each(SIZES)(
  'an address is unfurled under its message, and its menu acts after a question: %s',
  async (size, width, height) => {
    const opened = await openPage({ width, height });
    const { page, composer, messages, playground, troubles } = opened;
    const { slack, service } = playground;
    const { heard } = await startStandIn(slack, async () => undefined);
    const url = `${service.accountUrl}/files/1254840/download`;
    await typeIn(composer, `Have you seen ${url}?`);
    await messages.getByRole('link', { name: url }).waitFor();
    const { ts } = (await slack.state('general')).at(-1) ?? {};
    const text = { type: 'mrkdwn', text: '*Kick-off notes.md*' };
    const unfurl = { blocks: [{ type: 'section', text, accessory: OVERFLOW }] };
    const channel = slack.ids.channels['general'];
    const unfurls = { [url]: unfurl };
    expect(await slack.as('pigeonhole', 'chat.unfurl', { channel, ts, unfurls })).toEqual({
      ok: true,
    });
    const preview = messages.getByRole('group', { name: 'Preview' });
    await preview.getByText('Kick-off notes.md').waitFor();

    await pressInMessages(opened, preview.getByRole('button', { name: 'More actions' }));
    await reach(page, preview.getByRole('menuitem', { name: 'Delete' }), 'ArrowDown');
    await opened.picture(`unfurl-${size}`);
    expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Are you sure?' });
    await question.getByRole('button', { name: 'Do it' }).click();
    await expect.poll(() => heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({
      container: { type: 'message_attachment', app_unfurl_url: url },
      actions: [{ action_id: 'rest', selected_option: { value: 'delete' } }],
    });
    expect(troubles).toEqual([]);
  },
);

test('a bookmark in the channel’s head shows its folder', async () => {
  const { page, playground, service, troubles } = await openPage();
  const { slack } = playground;
  const link = `${playground.service.accountUrl}/projects/23423233/folders/67811578`;
  const channel_id = slack.ids.channels['general'];
  const bookmark = { channel_id, type: 'link', title: 'Designs', link, emoji: ':file_folder:' };
  await slack.as('pigeonhole', 'bookmarks.add', bookmark);
  await page.getByRole('tab', { name: 'Traffic' }).click();
  const shown = page.getByRole('list', { name: 'Bookmarks' });
  await shown.getByRole('link', { name: '📁 Designs' }).click();
  await service.getByRole('heading', { name: 'Website relaunch › Design' }).waitFor();
  await service.getByText('Colours and type.txt').waitFor();
  expect(troubles).toEqual([]);
});

test('a global shortcut opens a form, on which another is pushed and closed again', async () => {
  const opened = await openPage();
  const { page, playground, composer, troubles } = opened;
  const { slack } = playground;
  const { heard } = await startStandIn(slack, async ({ type, trigger_id, view }) => {
    if (type === 'shortcut')
      await slack.as('pigeonhole', 'views.open', { trigger_id, view: titled('First') });
    const title = ((view as Json | undefined)?.['title'] as Json | undefined)?.['text'];
    if (title === 'First') return { response_action: 'push', view: titled('Second') };
    return undefined;
  });
  await offerShortcut(opened);
  await composer.focus();
  await reach(page, page.getByRole('button', { name: 'Shortcuts' }), 'Shift+Tab');
  await page.keyboard.press('ArrowDown');
  await opened.picture('shortcuts');
  await page.keyboard.press('Enter');
  const first = page.getByRole('dialog', { name: 'First' });
  await first.getByLabel('Name').fill('Berths');
  await page.keyboard.press('Enter');
  const second = page.getByRole('dialog', { name: 'Second' });
  await second.waitFor();
  await second.getByRole('button', { name: 'Leave' }).click();
  await first.waitFor();
  await expect.poll(() => first.getByLabel('Name').inputValue()).toBe('Berths');
  await page.keyboard.press('Escape');
  await first.waitFor({ state: 'hidden' });
  expect(heard[0]).toMatchObject({ type: 'shortcut', callback_id: 'find' });
  expect(heard[0]).not.toHaveProperty('channel');
  expect(troubles).toEqual([]);
});

test('a button with an address is a link that the app hears of', async () => {
  const { page, messages, playground } = await openPage();
  const { slack } = playground;
  const { heard } = await startStandIn(slack, async () => undefined);
  const url = `${playground.service.accountUrl}/projects/23423233/folders/67811578`;
  const button = { type: 'button', action_id: 'open', text: plain('Open the folder'), url };
  await slack.as('pigeonhole', 'chat.postMessage', {
    channel: slack.ids.channels['general'],
    text: 'A folder',
    blocks: [{ type: 'actions', elements: [button] }],
  });
  await messages.getByRole('link', { name: 'Open the folder' }).click();
  await page.getByRole('heading', { name: 'Website relaunch › Design' }).waitFor();
  await expect.poll(() => heard).toMatchObject([{ actions: [{ action_id: 'open', url }] }]);
});

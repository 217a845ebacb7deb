import { expect, test } from 'vitest';
import { callApi, idOf, startedSlack } from './started-slack.ts';

const LINK = { title: 'All files', type: 'link', link: 'https://files.example/7', emoji: ':link:' };

test('the app adds, edits and removes a channel’s bookmarks', async () => {
  const slack = await startedSlack();
  let changes = 0;
  slack.onChange(({ what }) => {
    changes += Number(what === 'bookmark');
  });
  const channel_id = idOf(slack.ids.channels, 'design');
  const list = async () => (await callApi(slack, 'bookmarks.list', { channel_id }))['bookmarks'];
  const added = await callApi(slack, 'bookmarks.add', { channel_id, ...LINK });
  expect(added).toMatchObject({ ok: true, bookmark: LINK });
  const [{ id: bookmark_id }] = (await list()) as [{ id: string }];
  await callApi(slack, 'bookmarks.edit', { channel_id, bookmark_id, title: 'Plans' });
  expect(await list()).toMatchObject([{ ...LINK, title: 'Plans' }]);
  await callApi(slack, 'bookmarks.remove', { channel_id, bookmark_id });
  expect(await list()).toEqual([]);
  expect(changes).toBe(3);
});

test('a channel that the app is not in, and an address that is none, are refused', async () => {
  const slack = await startedSlack();
  const add = (channel: string, link = LINK.link) =>
    callApi(slack, 'bookmarks.add', {
      ...LINK,
      channel_id: idOf(slack.ids.channels, channel),
      link,
    });
  expect(await add('random')).toMatchObject({ error: 'not_in_channel' });
  expect(await add('design', 'no address')).toMatchObject({ error: 'invalid_link' });
});

import { expect, it } from 'vitest';
import { type AppHomeInput, appHome } from '../../../src/surfaces/home/app-home.ts';
import { HELP_LINES } from '../../../src/surfaces/index.ts';
import { ODD_NAMES } from '../../support/odd-names.ts';
import { shown } from '../../support/shown-view.ts';

/** The App Home of somebody who sees these links, and nothing else. */
function homeWith(
  links: AppHomeInput['links'],
  linksPage: number,
  changes: Partial<AppHomeInput> = {},
) {
  return appHome({
    linkBy: 'admins',
    ...{ channels: [], links, pages: { page: 1, linksPage }, inHand: { count: 0, isMore: false } },
    ...{ operator: null, now: 0, hasDefault: false, commands: HELP_LINES },
    ...{ mayRetry: true, mayLink: true, mayBrowse: true, recent: [], hasLinks: true, ...changes },
  });
}

it.each(ODD_NAMES)('the App Home lists each of 60 links, with folders named %j', (name) => {
  const names = { projectTitle: name, folderName: name };
  const heldFor = 'SERVICE_FORBIDDEN' as const;
  const folder = { projectId: 12, folderId: 345, ...names, heldFor };
  const ids = Array.from({ length: 60 }, (_, nth) => `C${1_000 + nth}`);
  const links = ids.map((channel) => ({ channel, folder }));
  const pages = [1, 2, 3, 4].map((page) => shown(homeWith(links, page)));
  expect(ids.filter((id) => !pages.some((page) => page.includes(`#${id} → `)))).toEqual([]);
});

it.each(ODD_NAMES)('the App Home shows ten recent files whole, named %j', (name) => {
  const folder = { projectId: 12, folderId: 345, projectTitle: name, folderName: name };
  const recordUrl = 'https://files.example.com/a';
  const sharedAt = Date.UTC(2025, 2, 14, 14, 30);
  const recent = Array.from({ length: 10 }, () => ({ name, recordUrl, folder, sharedAt }));
  const seen = shown(homeWith([], 1, { recent }));
  expect(seen.match(/^.*14:30/gm)).toHaveLength(20);
});

it('the App Home begins with stuck files, then shows the reader’s own, channels, and help', () => {
  const folder = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Invoices' };
  const recent = [{ name: 'a.pdf', recordUrl: null, folder, sharedAt: 0 }];
  const waiting = { kind: 'parked' as const, problem: null, name: 'b.pdf', nextTryAt: null };
  const channels = [{ channel: 'C0GENERAL', files: [{ ...waiting, count: 1 }] }];
  const headings = ({ blocks }: ReturnType<typeof homeWith>) =>
    blocks.flatMap((block) => (block.type === 'header' ? [block.text.text] : []));
  expect(headings(homeWith([], 1, { channels, recent, hasLinks: false }))).toEqual([
    ...['Stuck files', 'Your recent files', 'Channels', 'Three steps to begin', 'Help'],
  ]);
  expect(headings(homeWith([], 1))).toEqual(['Channels', 'Help']);
  expect(shown(homeWith([], 1))).toMatch(/^text: All filed. ✅/);
});

it('the App Home offers a channel picker to those who may link, another one each time', () => {
  const pickerAt = (now: number, mayLink: boolean) =>
    homeWith([], 2, { now, mayLink }).blocks.flatMap((block) =>
      block.type === 'actions' && block.elements.some(({ type }) => type === 'conversations_select')
        ? [block.block_id]
        : [],
    );
  expect(pickerAt(5, true)).toEqual(['{"c":"","page":1,"links":2,"shownAt":5}']);
  expect(pickerAt(6, true)).not.toEqual(pickerAt(5, true));
  expect(pickerAt(5, false)).toEqual([]);
  expect(shown(homeWith([], 1))).toContain(
    '- Files shared in channels without a folder stay in Slack only. To give one a folder of its own, choose it here:\n[Choose a channel ▾ → home_channel]',
  );
});

const NAMELESS = { projectId: 1, folderId: 2, projectTitle: null, folderName: null };

it.each([
  [true, {}],
  [false, { hasDefault: true }],
  [false, { links: [{ channel: 'D0BEN', folder: NAMELESS }] }],
])('the App Home says that it files nothing sent to it: %s, with %j', (says, changes) => {
  const words = shown(homeWith([], 1, changes as Partial<AppHomeInput>));
  expect(words.includes('I don’t file what you send me here.')).toBe(says);
});

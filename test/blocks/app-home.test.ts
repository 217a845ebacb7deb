import { expect, it } from 'vitest';
import { type AppHomeInput, appHome } from '../../src/blocks/index.ts';
import { ODD_NAMES } from '../support/odd-names.ts';
import { shown } from '../support/shown-view.ts';

/** The App Home of somebody who sees these links, and nothing else. */
function homeWith(links: AppHomeInput['links'], linksPage: number) {
  return appHome({
    linkBy: 'admins',
    ...{ channels: [], links, pages: { page: 1, linksPage }, inHand: { count: 0, isMore: false } },
    ...{ operator: null, now: 0, hasDefault: false },
    ...{ mayRetry: true, mayLink: true, mayBrowse: true },
  });
}

it.each(ODD_NAMES)('the App Home lists each of 60 links, with folders named %j', (name) => {
  const names = { projectTitle: name, folderName: name };
  const pausedFor = 'SERVICE_FORBIDDEN' as const;
  const folder = { projectId: 12, folderId: 345, ...names, pausedFor };
  const ids = Array.from({ length: 60 }, (_, nth) => `C${1_000 + nth}`);
  const links = ids.map((channel) => ({ channel, folder }));
  const pages = [1, 2].map((page) => shown(homeWith(links, page)));
  expect(ids.filter((id) => !pages.some((page) => page.includes(`#${id} → `)))).toEqual([]);
});

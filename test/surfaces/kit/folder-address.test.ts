import { afterEach, expect, it } from 'vitest';
import { folderAddress, locateFolders } from '../../../src/surfaces/kit/folder-address.ts';
import { line, say } from '../../../src/surfaces/kit/prose.ts';
import { shownFolder } from '../../../src/surfaces/kit/text.ts';

const folder = { projectId: 12, folderId: 345, projectTitle: 'Website', folderName: 'A › B' };
const SETTING = 'https://acme.example/#app/project-{project}/folder-{folder}';

afterEach(() => locateFolders(null));

it('a folder’s name is a link to the address that was pasted, else to that of the setting', () => {
  const shown = (url: string | null) =>
    JSON.stringify(say(line`In ${{ folder: { ...folder, url } }}.`).blocks);
  expect(shown(null)).not.toContain('"link"');
  locateFolders(SETTING);
  expect(shown(null)).toContain('"url":"https://acme.example/#app/project-12/folder-345"');
  expect(shown('https://acme.example/f/345')).toContain('"url":"https://acme.example/f/345"');
  expect(shown(null)).toContain('"text":"Website › A › B"');
});

it.each([
  'javascript:alert(1)',
  'https://user:key@acme.example/',
  `https://a.example/${'x'.repeat(600)}`,
])('the address %s is no link', (url) => {
  expect(folderAddress({ ...folder, url })).toBeNull();
});

it('a long path keeps its project, and the end with the folder’s own name', () => {
  const folderName = Array.from({ length: 50 }, (_, nth) => `A level ${nth}`).join(' › ');
  const path = shownFolder({ ...folder, folderName }, 30, 60);
  expect(path).toMatch(/^Website › … › .*A level 49$/);
  expect(path.length).toBeLessThanOrEqual(60);
});

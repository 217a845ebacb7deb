import { expect, it } from 'vitest';
import { filesAdded, noAnnouncements } from '../../../src/surfaces/announce/added-files.ts';

const folder = { projectId: 12, folderId: 345, projectTitle: 'Website', folderName: 'Logos' };
const files = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${index + 1}.png`, url: null }));
const shown = (count: number, by: string | null = null) =>
  filesAdded({ folder, count, files: files(Math.min(10, count)), by }).text;

it('filesAdded names a single file, and who added it if the file service says so', () => {
  expect(shown(1)).toBe('1 file was added to Website › Logos in the file service: 1.png');
  expect(shown(1, 'Maya Chen')).toBe(
    'Maya Chen added 1 file to Website › Logos in the file service: 1.png',
  );
});

it('filesAdded names up to ten files and counts the rest', () => {
  expect(shown(10)).toMatch(
    /^10 files were added to Website › Logos in the file service: 1.png, .*, 10.png$/,
  );
  expect(shown(11)).toMatch(/, 10.png and 1 more$/);
  expect(shown(4_000, 'Maya Chen')).toMatch(
    /^Maya Chen added 4,000 files to .*, 10.png and 3,990 more$/,
  );
});

it('filesAdded drops invisible characters from the adder’s name, or says Somebody', () => {
  expect(shown(1, 'https://evil.example/ \u202Egnp')).toContain(
    'https://evil.example/ gnp added 1 file',
  );
  expect(shown(1, '\u200B')).toContain('Somebody added 1 file');
});

it('filesAdded links a file’s name to its address', () => {
  const linked = [{ name: 'a.png', url: 'https://acme.example/files/1' }];
  const view = filesAdded({ folder, count: 1, files: linked, by: null });
  expect(JSON.stringify(view.blocks)).toContain('"url":"https://acme.example/files/1"');
});

it('noAnnouncements calls a direct message a conversation', () => {
  const { text } = noAnnouncements({ folder, linkBy: 'admins', mayLink: true, isDirect: true });
  expect(text).toContain('You can choose a folder for the conversation first.');
});

it('noAnnouncements asks nobody to link the channel who may not', () => {
  const folder = { projectId: 12, folderId: 345, projectTitle: 'Accounts', folderName: 'Inbox' };
  const said = (mayLink: boolean) => noAnnouncements({ folder, linkBy: 'admins', mayLink }).text;
  expect(said(true)).toMatch(/You can choose a folder for the channel first\.$/);
  expect(said(false)).toMatch(/A workspace admin can choose a folder for the channel/);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { View } from '../../src/surfaces/kit/layout.ts';
import { FOLDER } from '../support/app-settings.ts';
import { blockKitProblems, mrkdwnProblems } from '../support/block-kit-limits.ts';
import { person, screen } from '../support/person.ts';
import { lineOf, settledShare } from '../support/slack-channel.ts';
import { type Stack, sha256, startStack } from '../support/start-stack.ts';

/** Names in Slack, and the names in the folder where those differ. */
const NAMES: [inSlack: string, filed?: string][] = [
  ['"quoted" \'name\'.txt'],
  ['semi;colon, comma=equals.txt'],
  ['line\nbreak\r\n.txt', 'line break .txt'],
  ['tab\tand\u0000null.txt', 'tab and null.txt'],
  ['<!channel>.txt'],
  ['<@U012ABCDEF> <#C012ABCDEF|x>.txt'],
  ['&lt;!here&gt; & co.txt'],
  ['*bold* _it_ ~x~ `code`.md'],
  ['\u202Egpj.exe'],
  ['חשבונית 2025.pdf'],
  ['résumé 📎👩‍👩‍👧.pdf'],
  ['e\u0301te\u0301.txt', 'été.txt'],
  [`${'x'.repeat(251)}.txt`],
  [`${'y'.repeat(300)}.pdf`, `${'y'.repeat(251)}.pdf`],
  ['../../etc/passwd', '..-..-etc-passwd'],
  ['C:\\Windows\\win.ini', 'C:-Windows-win.ini'],
  [
    'Content-Disposition: form-data; name="project_id"\r\n\r\n1',
    'Content-Disposition: form-data; name="project_id" 1',
  ],
  ['%00%2e%2e%2f.txt'],
  ['.hidden'],
  ['no extension'],
  ['日本語のファイル.docx'],
];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

it.each(NAMES)(
  '%j is filed under a faithful name without side effects',
  async (name, as = name) => {
    const bytes = Buffer.from(`bytes of ${name}`);
    const posted = await stack.slack.share({
      channel: 'general',
      user: 'ben',
      files: [{ name, bytes }],
    });
    await settledShare(stack.slack, posted);
    const line = await lineOf(stack.slack, posted, /^Filed in Office move › All files: /);
    const file = stack.service.store.files(FOLDER).at(-1);
    expect(file).toMatchObject({ name: as, byteSize: bytes.length, sha256: sha256(bytes) });
    expect(mrkdwnProblems('the line', String(line.text))).toEqual([]);
    const said = JSON.stringify(line.blocks);
    expect(said).not.toMatch(/"type":"(user|usergroup|broadcast|channel)"/);
    const links = [...said.matchAll(/"type":"link","url":"([^"]*)"/g)].map(([, url]) => url);
    expect(links).toEqual([`${stack.service.accountUrl}/files/${file?.id}/download`]);
  },
);

it('/files lists all odd names, each on its own line, and nothing pings', async () => {
  const ben = person(stack.slack, 'ben');
  const list = await ben.types('/files');
  expect(screen(list)).toContain(
    `${NAMES.length} files · page 1 of ${Math.ceil(NAMES.length / 5)}`,
  );
  const pages = [list.blocks, (await ben.presses(list, 'Older')).blocks].flat();
  const blocks: unknown = pages;
  const view = { text: 'a page', blocks: blocks as View['blocks'] };
  expect(blockKitProblems(view).filter((problem) => !/ of them$/.test(problem))).toEqual([]);
  const sections = pages.filter(({ type }) => type === 'section').map(({ text }) => text);
  expect(sections.length).toBeGreaterThan(0);
  for (const text of sections) expect(JSON.stringify(text)).not.toMatch(/\\n|\u202E/);
});

it('Delete names and deletes a file with an odd name', async () => {
  const ada = person(stack.slack, 'ada');
  const list = await ada.types('/files list <!channel>');
  const after = await ada.deletes(list);
  expect(screen(after)).toContain('| Deleted <!channel>.txt.');
  expect(mrkdwnProblems('the answer', after.text)).toEqual([]);
});

it('two files of one name and size in one share are both filed', async () => {
  const files = ['one', 'two'].map((text) => ({ name: 'same.txt', bytes: text }));
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await settledShare(stack.slack, posted);
  const stored = stack.service.store.files(FOLDER).filter(({ name }) => name === 'same.txt');
  expect(stored.map((file) => file.sha256).toSorted()).toEqual(
    ['one', 'two'].map((text) => sha256(Buffer.from(text))).toSorted(),
  );
});

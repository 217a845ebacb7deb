import type { Locator } from 'playwright-core';
import { test } from 'vitest';
import { make, type OpenPage, openPage, shareInPage, textFile, typeIn } from './open-page.ts';
import { showOff, THEMES, takePicture } from './pictures.ts';
import { makePdf, makePng, paddedTo } from './real-files.ts';

/**
 * Takes the pictures of docs/in-slack.md, which show what people see in Slack without the rest of
 * the page. `npm run docs:pictures` makes them and puts them there.
 */

const REPORT = {
  name: 'Mooring report.pdf',
  mimeType: 'application/pdf',
  buffer: paddedTo(248_000, makePdf('All berths are free.')),
};
const PHOTO = {
  name: 'Harbour.png',
  mimeType: 'image/png',
  buffer: paddedTo(2_430_000, makePng(640, 420)),
};

/** Types a command; returns its private answer once it holds these words. */
async function types({ page, composer, messages }: OpenPage, command: string, words: string) {
  await typeIn(composer, command);
  const answer = messages.locator('.entry').filter({ has: page.locator('.message-private') });
  await answer.last().getByText(words).first().waitFor();
  return answer.last();
}

test.each(THEMES)('what people see in Slack, $name', async ({ suffix, dark }) => {
  // Tall enough that every message is whole.
  const opened = await openPage({ width: 1180, height: 1500, dark, scale: 2 });
  const { page, messages, playground } = opened;
  await showOff(opened);
  const entryOf = (words: string) => messages.locator('.entry').filter({ hasText: words }).last();
  const picture = (name: string, from: Locator, to = from, margin = 0) =>
    takePicture(opened, `in-slack-${name}${suffix}`, { from, to, margin });

  await opened.composer.fill('The berths, and the report for Thursday');
  await shareInPage(opened, [PHOTO, REPORT]);
  await entryOf('Thursday').getByText('Filed in Website relaunch › All files').waitFor();
  await picture('share', entryOf('So I just share'), entryOf('Thursday'));

  await make(opened, 'the service', 'be down');
  await shareInPage(opened, [textFile('Radio plan.txt')]);
  const outage = entryOf('Radio plan.txt');
  await outage.getByText('The file service can’t be reached').waitFor();
  await picture('outage', outage);
  await make(opened, 'the service', 'work');
  await outage.getByRole('button', { name: 'Try again' }).click();
  await outage.getByText('Filed in Website relaunch › All files').waitFor();

  await picture('files', await types(opened, '/files', 'All files'));
  await picture('find', await types(opened, '/files find r', 'Files with “r”'));

  for (const name of ['Berths', 'Tide tables', 'Crew']) {
    const file = { name, bytes: name, variant: { mode: 'external' as const } };
    await playground.slack.share({ channel: 'general', user: 'ben', files: [file] });
    await messages.getByText(`Couldn’t be filed: ${name}`).waitFor();
  }
  await page.getByLabel('You are').selectOption('Ada (admin)');
  await picture('status', await types(opened, '/files status', 'Stuck files'));

  await page.getByRole('list', { name: 'Direct messages' }).getByRole('button').click();
  const home = page.locator('#home');
  await home.getByText('3 files couldn’t be filed').waitFor();
  await picture('home', home.locator('> *').first(), home.locator('> *').last(), 16);

  await page.getByRole('button', { name: 'general', exact: true }).click();
  await entryOf('Thursday').getByLabel('Message actions').first().click();
  await page.getByRole('menuitem', { name: 'Save files to a folder' }).click();
  const saving = page.getByRole('dialog', { name: 'Save files' });
  await saving.getByText('Website relaunch › All files').waitFor();
  await picture('save', saving);
  await saving.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'design', exact: true }).click();
  await typeIn(page.getByRole('combobox', { name: 'Message #design' }), '/files link');
  const form = page.getByRole('dialog', { name: 'Where files go' });
  await form.getByText('Files shared in #design will go to the folder you choose').waitFor();
  await picture('link', form);
});

import { test } from 'vitest';
import { type OpenPage, openPage, shareInPage, textFile, typeIn } from './open-page.ts';
import { makePdf } from './real-files.ts';

/**
 * Takes the pictures of docs/in-slack.md, which show what people see in Slack without the rest of
 * the page, and of the README, which show the rest too. `npm run docs:pictures` makes them and puts
 * them there.
 */

async function types({ composer, messages }: OpenPage, command: string, answer: string) {
  await typeIn(composer, command);
  await messages.locator('.message-private').last().getByText(answer).first().waitFor();
}

const takesPicture =
  ({ page }: OpenPage) =>
  async (name: string) => {
    // The pointer must be over nothing.
    await page.mouse.move(0, 0);
    await page.locator('#conversation').screenshot({
      path: `test/browser/out/in-slack-${name}.png`,
      animations: 'disabled',
      caret: 'hide',
    });
  };

test('what people see in Slack', async () => {
  const opened = await openPage({ width: 1180, height: 760 });
  const { page, messages, playground } = opened;
  const picture = takesPicture(opened);
  const report = { name: 'Mooring report.pdf', mimeType: 'application/pdf' };
  await opened.composer.fill('The report for Thursday');
  await shareInPage(opened, [
    { ...report, buffer: makePdf('All berths are free.') },
    textFile('Prices.csv'),
  ]);
  await messages.getByText(`Filed in Website relaunch › All files: ${report.name}`).waitFor();
  await picture('share');

  await page.getByLabel('Make the service').selectOption('be down');
  await shareInPage(opened, [textFile('Radio plan.txt')]);
  await messages.getByText('The file service can’t be reached').waitFor();
  await picture('outage');
  await page.getByLabel('Make the service').selectOption('work');
  await messages.getByRole('button', { name: 'Try now' }).click();
  await messages.getByText('Filed in Website relaunch › All files: Radio plan.txt').waitFor();

  await types(opened, '/files', 'All files');
  await picture('files');
  await page.screenshot({ path: 'test/browser/out/playground.png', caret: 'hide' });
  await types(opened, '/files find r', 'Files with “r”');
  await picture('find');

  for (const name of ['Berths.txt', 'Tides.txt', 'Crew.txt']) {
    const file = { name, bytes: name, variant: { mode: 'external' as const } };
    await playground.slack.share({ channel: 'general', user: 'ben', files: [file] });
    await messages.getByText(`Couldn’t be filed: ${name}`).waitFor();
  }
  await page.getByLabel('You are').selectOption('Ada (admin)');
  await types(opened, '/files status', 'Needs attention');
  await picture('status');

  await page.getByRole('list', { name: 'Direct messages' }).getByRole('button').click();
  await page.locator('#home').getByText('3 files couldn’t be filed').waitFor();
  await picture('home');

  await page.getByRole('button', { name: 'general', exact: true }).click();
  await messages
    .locator('.entry')
    .filter({ hasText: report.name })
    .getByLabel('Message actions')
    .first()
    .click();
  await messages.getByRole('button', { name: 'Save files to a folder' }).click();
  const saving = page.getByRole('dialog', { name: 'Save files' });
  await saving.getByText('Website relaunch › All files').waitFor();
  await saving.screenshot({ path: 'test/browser/out/in-slack-save.png', animations: 'disabled' });
  await saving.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'design', exact: true }).click();
  const composer = page.getByRole('combobox', { name: 'Message #design' });
  await typeIn(composer, '/files link');
  const form = page.getByRole('dialog', { name: 'Link to a folder' });
  await form.getByText('in #design will be filed').waitFor();
  await form.screenshot({ path: 'test/browser/out/in-slack-link.png', animations: 'disabled' });
});

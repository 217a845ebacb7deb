import { test } from 'vitest';
import { openPage } from './open-page.ts';
import { recordFrames, showOff, THEMES } from './pictures.ts';
import { makePdf, makePng, paddedTo } from './real-files.ts';

/**
 * Records the moving picture of the README: a photo and a PDF are dropped into a channel, are filed,
 * and are listed. `npm run docs:pictures` makes it and puts it there.
 */

const FILES = [
  {
    name: 'Harbour.png',
    type: 'image/png',
    bytes: paddedTo(2_430_000, makePng(640, 420)).toString('base64'),
  },
  {
    name: 'Mooring report.pdf',
    type: 'application/pdf',
    bytes: paddedTo(248_000, makePdf('Free.')).toString('base64'),
  },
];

// Hovers with the files over the conversation, or drops them there.
const drag = (event: 'dragover' | 'drop') => `{
  const files = ${JSON.stringify(FILES)}.map(({ name, type, bytes }) =>
    new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], name, { type }));
  const dataTransfer = new DataTransfer();
  for (const file of files) dataTransfer.items.add(file);
  document.querySelector('#conversation')
    .dispatchEvent(new DragEvent('${event}', { dataTransfer, bubbles: true, cancelable: true }));
}`;

test.each(THEMES)('a tour in six seconds, $name', async ({ suffix, dark }) => {
  const opened = await openPage({ width: 1180, height: 700, dark, scale: 2 });
  const { page, messages, composer, service } = opened;
  await showOff(opened);
  const { show, finish } = recordFrames(opened, `tour${suffix}`);
  await show(600);
  await page.evaluate(drag('dragover'));
  await show(500);
  await page.evaluate(drag('drop'));
  await composer.fill('The berths, and the report for Thursday');
  await show(500);
  await composer.press('Enter');
  await messages.getByText('Thursday').waitFor();
  await show(200);
  await messages.getByText('Filed in Website relaunch › All files: Harbour').waitFor();
  await service.getByText('Harbour.png').first().waitFor();
  await show(1_500);
  for (const typed of ['/f', '/fil', '/files']) {
    await composer.fill(typed);
    await show(150);
  }
  await composer.press('Enter');
  await messages.locator('.message-private').getByText('All files').first().waitFor();
  await show(2_300);
  finish();
});

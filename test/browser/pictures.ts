import { writeFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import type { OpenPage } from './open-page.ts';

const OUT = 'test/browser/out';

/** The two looks of each picture, with what is added to the picture's name. */
export const THEMES = [
  { name: 'light', suffix: '', dark: false },
  { name: 'dark', suffix: '-dark', dark: true },
];

/** Makes the page fit for a picture: an open font, and nothing that is about trying it out. */
export async function showOff({ page }: OpenPage): Promise<void> {
  await page.evaluate(`document.documentElement.style.setProperty('--sans', 'Inter')`);
  await page.evaluate('document.fonts.ready');
  await page
    .getByRole('region', { name: 'Try this' })
    .getByRole('button', { name: 'Close' })
    .click();
}

/** Saves a picture of the page from the top of one element to the bottom of another, with a margin. */
export async function takePicture(
  { page }: OpenPage,
  name: string,
  { from, to = from, margin = 0 }: { from: Locator; to?: Locator; margin?: number },
): Promise<void> {
  // The pointer must be over nothing.
  await page.mouse.move(0, 0);
  const first = await boxOf(from);
  const last = await boxOf(to);
  await page.screenshot({
    path: `${OUT}/${name}.png`,
    animations: 'disabled',
    caret: 'hide',
    clip: {
      ...{ x: first.x - margin, y: first.y - margin },
      width: first.width + 2 * margin,
      height: last.y + last.height - first.y + 2 * margin,
    },
  });
}

async function boxOf(element: Locator) {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (!box) throw new Error(`${element} is not on the page`);
  return box;
}

/** Records a moving picture of the page, frame by frame. */
export function recordFrames({ page }: OpenPage, name: string) {
  const frames: string[] = [];
  return {
    /** Adds the page as it is now, to be shown for so many milliseconds. */
    show: async (shownMs: number): Promise<void> => {
      const path = `${OUT}/${name}-${String(frames.length).padStart(3, '0')}.png`;
      await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
      frames.push(`-d ${shownMs} ${path}`);
    },
    /** Writes the list of frames, as img2webp reads it. */
    finish: (): void => writeFileSync(`${OUT}/${name}.frames`, `${frames.join('\n')}\n`),
  };
}

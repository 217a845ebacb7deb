import type { Locator, Page } from 'playwright-core';

const FAR = 150;

/** Presses Tab, or another key, until the control has the focus. */
export async function reach(page: Page, control: Locator, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < FAR; presses += 1) {
    if (await control.evaluate((node) => node.matches(':focus'))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${control}`);
}

/** Moves the focus to the control and presses it. */
export async function pressByKey(page: Page, control: Locator, key = 'Tab'): Promise<void> {
  await reach(page, control, key);
  await page.keyboard.press('Enter');
}

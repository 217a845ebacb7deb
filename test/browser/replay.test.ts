import { expect, test } from 'vitest';
import type { Replay } from '../../src/playground/replay/replay-file.ts';
import { startReplay } from '../../src/playground/replay/replay-server.ts';
import { SMALL_REPLAY } from '../playground/replay/small-replay.ts';
import { boxesOf, openBrowser, SCROLLS_SIDEWAYS } from './browser.ts';

async function openReplay(
  size: { width?: number; height?: number } = {},
  shown: Replay = SMALL_REPLAY,
) {
  const replay = await startReplay(shown, 0);
  const browser = await openBrowser({ ...size, address: replay.page.address, stop: replay.stop });
  const { page } = browser;
  const region = (name: string) => page.getByRole('region', { name });
  const player = region('Player');
  await player.getByText('1 of 7').waitFor();
  return {
    ...browser,
    player,
    events: region('Events'),
    service: region('File service'),
    messages: page.getByRole('log', { name: 'Messages' }),
    press: (name: string) => player.getByRole('button', { name, exact: true }).click(),
  };
}

test('a replay goes forward and back, and shows the channel and the folder at each step', async () => {
  const { messages, service, press, player, troubles, picture } = await openReplay();
  await press('Forward');
  await messages.getByText('The plan').waitFor();
  await expect.poll(() => service.getByText('plan.pdf').count()).toBe(0);
  await press('Next change');
  await player.getByText('4 of 7').waitFor();
  await service.getByText('plan.pdf').waitFor();
  await expect.poll(() => messages.locator('.reaction').count()).toBe(0);
  await press('Forward');
  await messages.locator('[data-reaction=white_check_mark]').waitFor();
  await messages.getByText('Filed in Contracts: plan.pdf').waitFor();
  await picture('replay');

  await press('Back');
  await messages.locator('.reaction').waitFor({ state: 'detached' });
  await messages.getByText('Filed in Contracts').waitFor({ state: 'hidden' });
  await press('Previous change');
  await player.getByText('2 of 7').waitFor();
  await service.getByText('plan.pdf').waitFor({ state: 'detached' });
  await messages.getByText('The plan').waitFor();
  expect(troubles).toEqual([]);
});

test('keys step through a replay, and a click on an event jumps to it as the person who sees it', async () => {
  const { page, messages, service, events, player } = await openReplay();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await player.getByText('3 of 7').waitFor();
  await page.keyboard.press('ArrowLeft');
  await player.getByText('2 of 7').waitFor();
  await events.getByRole('button', { name: 'Ben lists' }).click();
  await messages.getByText('Contracts: 1 file').waitFor();
  await expect.poll(() => page.getByLabel('You are').inputValue()).toBe('U2');
  await expect.poll(() => events.locator('[aria-current=step]').innerText()).toContain('Ben lists');

  await page.keyboard.press('End');
  await player.getByText('7 of 7 · 01:02:03.004').waitFor();
  await service.getByText('plan.pdf').waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowRight');
  await player.getByText('7 of 7').waitFor();
  await page.keyboard.press('Home');
  await messages.getByText('The plan').waitFor({ state: 'detached' });
});

test('a viewer who does not follow the replay stays at the same place', async () => {
  const { page, messages, press, player } = await openReplay();
  await player.getByLabel('Follow what happens').uncheck();
  await page.getByRole('button', { name: 'two', exact: true }).click();
  await press('Forward');
  await player.getByText('2 of 7').waitFor();
  await expect.poll(() => messages.getByText('The plan').count()).toBe(0);
});

test('the replay has one column on a phone, with gaps between its parts', async () => {
  const { page, picture } = await openReplay({ width: 390, height: 844 });
  await page.keyboard.press('End');
  await picture('replay-phone');
  expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
  const parts = ['.top-bar', '#player', '#events', '#slack', '#service'];
  const boxes = await boxesOf(page, ...parts);
  for (const [index, { top }] of boxes.slice(1).entries())
    expect(top - Number(boxes[index]?.bottom), parts[index]).toBeGreaterThanOrEqual(8);
});

test('a long event does not make the page wider than its window', async () => {
  const events = SMALL_REPLAY.events.map((event) => ({ ...event, text: 'word '.repeat(100) }));
  const { page } = await openReplay({ width: 1280 }, { ...SMALL_REPLAY, events });
  expect(await page.evaluate<string[]>(SCROLLS_SIDEWAYS)).toEqual([]);
});

import { expect, test } from 'vitest';
import type { Json } from '../../src/playground/embedded-slack/index.ts';
import { openPage, typeIn } from './open-page.ts';
import { startStandIn } from './stand-in-app.ts';

const plain = (text: string): Json => ({ type: 'plain_text', text });
const options = ['One', 'Two'].map((word) => ({ text: plain(word), value: word.toLowerCase() }));
const field = (name: string, element: Json): Json => ({
  type: 'input',
  block_id: name.toLowerCase(),
  label: plain(name),
  element: { ...element, action_id: name.toLowerCase() },
});

const FORM: Json = {
  type: 'modal',
  callback_id: 'fields',
  title: plain('Fields'),
  submit: plain('Keep'),
  blocks: [
    field('Name', { type: 'plain_text_input' }),
    field('Folder', { type: 'external_select', min_query_length: 1 }),
    field('Way', { type: 'radio_buttons', options }),
    field('Extras', { type: 'checkboxes', options }),
  ],
};

/**
 * Opens a playground whose app opens the form at a command, suggests folders and, once `answered`
 * resolves, refuses the form with `errors`.
 */
async function openForm(errors: Record<string, string> = {}, answered = Promise.resolve()) {
  const opened = await openPage();
  const { slack } = opened.playground;
  await startStandIn(slack, async ({ trigger_id, type, value }) => {
    if (type === 'block_suggestion')
      return { options: [{ text: plain(`Folder ${value}`), value: 'folder-7' }] };
    if (type === 'view_submission') {
      await answered;
      return { response_action: 'errors', errors };
    }
    await slack.as('pigeonhole', 'views.open', { trigger_id, view: FORM });
    return undefined;
  });
  await typeIn(opened.composer, '/files link');
  const form = opened.page.getByRole('dialog', { name: 'Fields' });
  await form.waitFor();
  const update = async () => {
    const { id } = slack.views(slack.ids.users['ben'] ?? '').at(-1) ?? {};
    const blocks = [field('Another', { type: 'plain_text_input' }), ...(FORM['blocks'] as Json[])];
    await slack.as('pigeonhole', 'views.update', { view_id: id, view: { ...FORM, blocks } });
    await form.getByLabel('Another').waitFor();
  };
  return { ...opened, form, folder: form.getByRole('combobox', { name: 'Folder' }), update };
}

test('Escape closes the suggestions of a field, and closes the form only if there are none', async () => {
  const { page, form, folder, troubles } = await openForm();
  await form.getByLabel('Name').fill('Berths');
  const found = form.getByRole('option', { name: 'Folder x' });
  await folder.focus();
  await expect.poll(() => folder.getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.type('x');
  await found.waitFor();
  await expect.poll(() => folder.getAttribute('aria-expanded')).toBe('true');
  const list = form.locator(`#${await folder.getAttribute('aria-controls')}`);
  await expect.poll(() => list.getByRole('option').count()).toBe(1);
  await page.keyboard.press('Escape');
  await found.waitFor({ state: 'hidden' });
  await expect.poll(() => folder.getAttribute('aria-expanded')).toBe('false');
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Berths');

  // This also works once a suggestion is chosen with the arrow keys.
  await page.keyboard.type('y');
  const other = form.getByRole('option', { name: 'Folder xy' });
  await other.waitFor();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => other.getAttribute('aria-selected')).toBe('true');
  await expect
    .poll(() => folder.getAttribute('aria-activedescendant'))
    .toBe(await other.getAttribute('id'));
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
  await expect.poll(() => folder.evaluate((node) => node.matches(':focus'))).toBe(true);
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'hidden' });
  expect(troubles).toEqual([]);
});

test('a form is sent only once until the app responds, and shows what goes wrong', async () => {
  const { page, form, playground } = await openForm();
  const answer = Promise.withResolvers<undefined>();
  const sent: string[] = [];
  await page.route('**/api/submit', async (route) => {
    sent.push(route.request().url());
    await answer.promise;
    await route.continue();
  });
  await form.getByLabel('Name').fill('Berths');
  await form.getByRole('button', { name: 'Keep' }).dblclick();
  await playground.page.stop();
  answer.resolve(undefined);
  await form.getByText('The playground does not answer. Is it still running?').waitFor();
  expect(sent).toHaveLength(1);
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Berths');
});

test('an empty field keeps the focus, and a notice stays, when the app updates the form', async () => {
  const { page, form, update } = await openForm();
  await page.route('**/api/submit', (route) => route.abort());
  await form.getByRole('button', { name: 'Keep' }).click();
  const notice = form.getByText('The playground does not answer. Is it still running?');
  await notice.waitFor();
  await form.getByLabel('Name').focus();
  await update();
  await page.keyboard.type('Berths');
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Berths');
  await expect.poll(() => notice.isVisible()).toBe(true);
});

test('a search text stays, with its results, when the app updates the form', async () => {
  const { page, form, folder, update } = await openForm();
  await folder.focus();
  await page.keyboard.type('x');
  const found = form.getByRole('option', { name: 'Folder x' });
  await found.waitFor();
  await update();
  await expect.poll(() => folder.inputValue()).toBe('x');
  await found.click();
  await expect.poll(() => folder.inputValue()).toBe('Folder x');
});

test('a form that the app updates while it is sent is sent once, and shows its errors', async () => {
  const answer = Promise.withResolvers<void>();
  const { page, form, update } = await openForm({ name: 'Too short.' }, answer.promise);
  const submits: string[] = [];
  page.on('request', (request) => request.url().endsWith('/api/submit') && submits.push('submit'));
  await form.getByLabel('Name').fill('B');
  const keep = form.getByRole('button', { name: 'Keep' });
  await keep.click();
  await update();
  await keep.click();
  answer.resolve();
  await form.getByRole('alert').getByText('Too short.').waitFor();
  expect(submits).toHaveLength(1);
});

test('suggestions close when the focus leaves their field', async () => {
  const { page, form, folder } = await openForm();
  await folder.focus();
  await page.keyboard.type('x');
  const found = form.getByRole('option', { name: 'Folder x' });
  await found.waitFor();
  await page.keyboard.press('Shift+Tab');
  await found.waitFor({ state: 'hidden' });
  await expect.poll(() => folder.getAttribute('aria-expanded')).toBe('false');
});

test('choices that belong together have the name of their field, and its error beside them', async () => {
  const { page, form, picture } = await openForm({
    way: 'Choose another way.',
    extras: 'Tick one.',
  });
  const way = page.getByRole('group', { name: 'Way' });
  const extras = page.getByRole('group', { name: 'Extras' });
  await way.getByRole('radio', { name: 'Two' }).check();
  await extras.getByRole('checkbox', { name: 'One' }).check();
  await form.getByRole('button', { name: 'Keep' }).click();
  const fieldOf = (group: typeof way) => form.locator('.block-input').filter({ has: group });
  await fieldOf(way).getByRole('alert').getByText('Choose another way.').waitFor();
  await fieldOf(extras).getByRole('alert').getByText('Tick one.').waitFor();
  await picture('form-fields');
});

test('Enter takes the chosen suggestion, and does not send the form', async () => {
  const { page, form, folder, troubles } = await openForm();
  const submits: string[] = [];
  page.on('request', (request) => request.url().endsWith('/api/submit') && submits.push('submit'));
  await folder.focus();
  await page.keyboard.type('x');
  const found = form.getByRole('option', { name: 'Folder x' });
  await found.waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await found.waitFor({ state: 'hidden' });
  await expect.poll(() => folder.inputValue()).toBe('Folder x');
  expect(submits).toEqual([]);
  expect(troubles).toEqual([]);
});

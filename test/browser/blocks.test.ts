import { expect, test } from 'vitest';
import type { Json } from '../../src/playground/embedded-slack/index.ts';
import { ALL_BLOCKS, FORM } from './all-blocks.ts';
import { openPage, typeIn } from './open-page.ts';
import { startStandIn } from './stand-in-app.ts';

test('blocks of every kind are drawn, and what people do in them is sent', async () => {
  const opened = await openPage({ height: 1000 });
  const { page, messages, playground, troubles } = opened;
  const { slack } = playground;
  const { heard } = await startStandIn(slack, async ({ type, value }) => {
    if (type !== 'block_suggestion') return undefined;
    const text = { type: 'plain_text', text: `Folder ${value}` };
    return { options: [{ text, value: 'folder-7' }] };
  });
  await slack.as('pigeonhole', 'chat.postMessage', {
    channel: slack.ids.channels['general'],
    text: 'Every block',
    blocks: ALL_BLOCKS,
  });

  await messages.getByRole('heading', { name: 'Every block 🎉' }).waitFor();
  expect(await messages.getByRole('link', { name: 'a link' }).getAttribute('href')).toBe(
    'https://example.com',
  );
  expect(await messages.getByText('no link').evaluate('(node) => node.tagName')).not.toBe('A');
  await expect
    .poll(() => messages.locator('pre').first().textContent())
    .toBe('preformatted *as is* <b>');
  await messages.getByText('A block of the type divider cannot be shown here.').waitFor();
  await expect.poll(() => messages.locator('strong', { hasText: 'Rich' }).count()).toBe(1);
  await expect.poll(() => messages.locator('code', { hasText: '/files' }).count()).toBe(1);
  await opened.picture('blocks');

  await messages.getByRole('button', { name: 'Go' }).click();
  await messages.getByRole('button', { name: 'More' }).click();
  await messages.getByLabel('Pick one').selectOption('Three');
  await messages.getByRole('radio', { name: 'One' }).check();
  await messages.getByRole('checkbox', { name: 'Two' }).check();
  await messages.getByPlaceholder('Search folders').fill('x');
  await messages.getByRole('option', { name: 'Folder x' }).click();
  await messages.getByLabel('Choose a channel').selectOption('#board');
  await expect
    .poll(() => heard.map(choiceOf))
    .toEqual([
      ['go', 'v'],
      ['more', 'v'],
      ['pick', 'three'],
      ['radio', 'one'],
      ['boxes', 'two'],
      ['search', undefined],
      ['search', 'folder-7'],
      ['channel', slack.ids.channels['board']],
    ]);
  const title = await page.title();
  expect([title, ...troubles]).toEqual(['Pigeonhole playground']);
});

test('a word between colons that is no emoji stays unchanged', async () => {
  const { composer, messages } = await openPage();
  await typeIn(composer, 'No :constructor: and no :__proto__: but a :bird:');
  await messages.getByText('No :constructor: and no :__proto__: but a 🐦').waitFor();
});

test('a modal keeps its entries if the app refuses them', async () => {
  const opened = await openPage();
  const { page, composer, playground } = opened;
  const { slack } = playground;
  let refusals = 0;
  const { heard } = await startStandIn(slack, async ({ trigger_id, type }) => {
    if (type === 'view_submission') {
      refusals += 1;
      if (refusals > 1) return { response_action: 'clear' };
      return { response_action: 'errors', errors: { name: 'That name is taken.' } };
    }
    await slack.as('pigeonhole', 'views.open', { trigger_id, view: FORM });
    return undefined;
  });
  await typeIn(composer, '/files link');

  const modal = page.getByRole('dialog', { name: 'A form' });
  await modal.getByLabel('Name').fill('Berths');
  await modal.getByLabel('Kind').selectOption('Two');
  await modal.getByRole('button', { name: 'Keep' }).click();
  await modal.getByText('That name is taken.').waitFor();
  await expect.poll(() => modal.getByLabel('Name').inputValue()).toBe('Berths');
  await opened.picture('modal');
  await modal.getByLabel('Name').fill('Berths 2');
  await modal.getByRole('button', { name: 'Keep' }).click();
  await modal.waitFor({ state: 'detached' });
  const values = (heard.at(-1)?.['view'] as Json | undefined)?.['state'];
  expect(values).toMatchObject({
    values: {
      name: { name: { value: 'Berths 2' } },
      kind: { kind: { selected_option: { value: 'two' } } },
    },
  });
});

test('what is being typed in a modal stays when the app updates it', async () => {
  const { page, composer, playground } = await openPage();
  const { slack } = playground;
  const { heard } = await startStandIn(slack, async ({ trigger_id, type }) => {
    if (type === 'view_submission') return { response_action: 'clear' };
    await slack.as('pigeonhole', 'views.open', { trigger_id, view: FORM });
    return undefined;
  });
  await typeIn(composer, '/files link');

  const modal = page.getByRole('dialog', { name: 'A form' });
  await modal.getByLabel('Kind').selectOption('Two');
  await modal.getByLabel('Name').focus();
  await page.keyboard.type('Ber');
  const { id, blocks } = slack.views(slack.ids.users['ben'] ?? '').at(-1) ?? {};
  const [name, kind] = blocks as Json[];
  const moved = [
    { type: 'section', text: { type: 'mrkdwn', text: 'Both at hand.' } },
    name,
    { ...kind, block_id: 'another' },
  ];
  const view = { ...FORM, blocks: moved };
  await slack.as('pigeonhole', 'views.update', { view_id: id, view });
  await modal.getByText('Both at hand.').waitFor();
  await page.keyboard.type('ths');
  await page.keyboard.press('Enter');
  await modal.waitFor({ state: 'detached' });
  const values = (heard.at(-1)?.['view'] as Json | undefined)?.['state'];
  expect(values).toEqual({
    values: {
      name: { name: { type: 'plain_text_input', value: 'Berths' } },
      another: { kind: { type: 'static_select', selected_option: null } },
    },
  });
});

test('the app’s conversation begins with its Home tab', async () => {
  const { page, playground } = await openPage();
  const { slack } = playground;
  // The real app would publish its own Home when the tab is opened.
  await startStandIn(slack, async () => undefined);
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'Welcome *home*' } }];
  await slack.as('pigeonhole', 'views.publish', {
    user_id: slack.ids.users['ben'],
    view: { type: 'home', blocks },
  });
  await page.getByRole('button', { name: 'Pigeonhole', exact: true }).click();
  await page.getByText('Welcome home').waitFor();
});

function choiceOf(payload: Json): unknown[] {
  const [action] = (payload['actions'] ?? [{ action_id: payload['action_id'] }]) as Json[];
  const option = action?.['selected_option'] as Json | undefined;
  const [first] = (action?.['selected_options'] ?? []) as Json[];
  const plain = action?.['selected_conversation'] ?? action?.['value'];
  return [
    action?.['action_id'],
    option?.['value'] ?? first?.['value'] ?? (payload['actions'] ? plain : undefined),
  ];
}

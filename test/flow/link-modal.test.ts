import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FOLDER_FIELDS } from '../../src/blocks/index.ts';
import type { SlackView } from '../../src/playground/embedded-slack/index.ts';
import { defaultSeed } from '../../src/playground/file-service/index.ts';
import { PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import { type Person, person, placeOfButton, screen } from '../support/person.ts';
import { announced } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const { project: PROJECT_FIELD, folder: FOLDER_FIELD, address: ADDRESS_FIELD } = FOLDER_FIELDS;
const WEBSITE = 23423233;

const clock = createMovableClock();
let stack: Stack;
let ada: Person;
beforeAll(async () => {
  stack = await startStack({ env: WITHOUT_DEFAULT, service: { clock }, appOptions: { clock } });
  ada = person(stack.slack, 'ada');
});
afterAll(() => stack.stop());
beforeEach(async () => {
  stack.service.faults.clear();
  stack.slack.clearFaults();
  stack.slack.closeView({ user: 'ada' });
});

const top = () => stack.slack.views('ada').at(-1);
const shown = (view: SlackView | undefined) => screen({ text: '', blocks: view?.blocks });
const fieldIn = (view: SlackView | undefined, action: string) =>
  view?.blocks.find(({ element }) =>
    Object.entries(element ?? {}).some(([, one]) => one === action),
  );

/** Opens the form; resolves once it has the channel's name and the account's projects. */
async function openForm(channel: string): Promise<SlackView> {
  await stack.slack.command({ command: '/files', text: 'link', user: 'ada', channel });
  return stack.slack.until(() => {
    const view = top();
    return view && shown(view).includes(`in #${channel} will`) ? view : undefined;
  });
}

async function chooseProject(id: number): Promise<SlackView> {
  const { slack } = stack;
  const view = top()?.id ?? '';
  const text = { type: 'plain_text', text: `Project ${id}` };
  const choice = { text, value: `${id}` };
  await slack.press({ view, user: 'ada', actionId: PROJECT_FIELD, choice });
  return slack.until(() => {
    const changed = top();
    return changed?.blocks.some((block) => block['block_id'] === `folder_${id}`) && changed;
  });
}

/** Sends a choice made while the form changes: Slack sends it with the earlier form. */
async function chooseIn(view: SlackView, id: number): Promise<void> {
  const { ids } = stack.slack;
  const action = { type: 'external_select', action_id: PROJECT_FIELD, block_id: 'project_0' };
  const text = { type: 'plain_text', text: `Project ${id}` };
  const chosen = { ...action, selected_option: { text, value: `${id}` } };
  const state = { values: { project_0: { [PROJECT_FIELD]: chosen } } };
  const from = { user: { id: ids.users['ada'] }, team: { id: ids.team } };
  const payload = { ...from, type: 'block_actions', view: { ...view, state }, actions: [chosen] };
  await stack.slack.sendRaw({ type: 'interactive', payload });
}

async function offered(actionId: string, typed: string): Promise<string[]> {
  const view = top()?.id ?? '';
  const { body } = await stack.slack.suggest({ view, user: 'ada', actionId, typed });
  const { options } = body as { options: { text: { text: string } }[] };
  return options.map(({ text }) => text.text);
}

const foldersNamed = (wanted: string, project: number) =>
  stack.service.store.folders(project).filter(({ name }) => name === wanted);

const submit = (values: Record<string, string>) => stack.slack.submitView({ user: 'ada', values });

/** A sleep that nobody else uses, longer than a form waits for its outcome. */
const LONG_MS = 5_001;

/** Sends the form; resolves when it is answered while the service still runs `operation`. */
async function submitLong(operation: 'list' | 'folders', values: Record<string, string>) {
  stack.service.faults.next({ mode: 'slow', ms: LONG_MS }, 1, operation);
  const answered = submit(values);
  await expect.poll(() => clock.sleeping()).toContain(LONG_MS);
  clock.skip(LONG_MS / 2);
  await answered;
}

/** Resolves with Ada's direct message from the app once it shows these words. */
async function toldDirectly(words: string) {
  const { slack } = stack;
  const opened = await slack.as('ada', 'conversations.open', { users: slack.ids.bot });
  const { id } = opened['channel'] as { id: string };
  return slack.until(async () =>
    (await slack.state(id)).find((one) => screen(one).includes(words)),
  );
}

const linkedTo = async (channel: string) => screen(await ada.types('/files help', channel));

describe('/files link without a folder', () => {
  it('opens a form that links the channel to a folder found by words', async () => {
    const form = await openForm('design');
    expect(fieldIn(form, FOLDER_FIELD)).toBeUndefined();
    expect(await offered(PROJECT_FIELD, '')).toEqual([
      'Autumn campaign',
      'Office move',
      'Website relaunch',
    ]);
    expect(await offered(PROJECT_FIELD, 'launch WEB')).toEqual(['Website relaunch']);
    await chooseProject(WEBSITE);
    expect(await offered(FOLDER_FIELD, 'logo design')).toContainEqual(
      expect.stringMatching(/Design › Logos$/),
    );
    const told = await announced(stack, 'design', () => submit({ [FOLDER_FIELD]: '67811579' }));
    expect(told.text).toContain(`<@${stack.slack.ids.users['ada']}> linked this channel`);
    expect(told.text).toContain('filed in Website relaunch › Logos');
    expect(top()).toBeUndefined();
  });

  it('accepts a folder by its address or numbers', async () => {
    await openForm('general');
    await announced(stack, 'general', () => submit({ [ADDRESS_FIELD]: `${PROJECT}/${QUOTES}` }));
    expect(await linkedTo('general')).toContain('filed in *Office move › Quotes*');
  });

  it('accepts a project chosen while the account’s projects are still loading', async () => {
    const { slack, service } = stack;
    service.faults.next({ mode: 'slow', ms: 1_000 }, 1, 'projects');
    await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'board' });
    await slack.until(() => top());
    const chosen = await chooseProject(PROJECT);
    expect(shown(chosen)).toContain('in #board will');
    expect((await offered(FOLDER_FIELD, ''))[0]).toBe('New folder “board”');
  });

  it('accepts a project chosen in an earlier version of the form', async () => {
    const before = await openForm('board');
    await chooseProject(PROJECT);
    expect(top()?.hash).not.toBe(before.hash);
    await chooseIn(before, WEBSITE);
    await stack.slack.until(
      () => fieldIn(top(), FOLDER_FIELD)?.['block_id'] === `folder_${WEBSITE}`,
    );
  });

  it('keeps its form working across a restart of the app', async () => {
    await openForm('board');
    await stack.restart();
    await chooseProject(PROJECT);
    // Until its list is loaded, the field asks to type again in a moment.
    await stack.slack.until(async () =>
      (await offered(FOLDER_FIELD, 'plans')).some((name) => name.endsWith('plans')),
    );
    const told = await announced(stack, 'board', () => submit({ [FOLDER_FIELD]: '67811601' }));
    expect(told.text).toContain('filed in Office move › Floor plans');
  });

  it('makes a folder named after the channel, only once', async () => {
    await openForm('board');
    await chooseProject(PROJECT);
    expect((await offered(FOLDER_FIELD, ''))[0]).toBe('New folder “board”');
    const told = await announced(stack, 'board', () => submit({ [FOLDER_FIELD]: 'new' }));
    expect(told.text).toContain('filed in Office move › board');
    await announced(stack, 'board', () =>
      stack.slack.command({ command: '/files', text: 'unlink', user: 'ada', channel: 'board' }),
    );
    await openForm('board');
    await chooseProject(PROJECT);
    expect(await offered(FOLDER_FIELD, 'board')).toEqual([
      expect.stringMatching(/^(.* › )?board$/),
    ]);
    await announced(stack, 'board', () => submit({ [FOLDER_FIELD]: 'new' }));
    expect(foldersNamed('board', PROJECT)).toHaveLength(1);
  });

  it.each([
    [{}, /^Choose a (project|folder)/],
    [{ [ADDRESS_FIELD]: `${PROJECT}/999` }, /There’s no folder “[\d/]+” in/],
    [{ [ADDRESS_FIELD]: 'https://elsewhere.example/1/2' }, /isn’t an address in the file service/],
  ])('refuses %j at the field, and keeps the form open', async (values, words) => {
    await openForm('general');
    const { errors } = await submit(values);
    expect(Object.values(errors).join()).toMatch(words);
    expect(top()).toBeDefined();
  });

  it('refuses two folders at once, and a project without a folder', async () => {
    await openForm('general');
    await chooseProject(PROJECT);
    const both = { [FOLDER_FIELD]: `${QUOTES}`, [ADDRESS_FIELD]: `${PROJECT}/1` };
    expect(Object.values((await submit(both)).errors)).toEqual([
      'Choose a folder above or give an address, not both.',
    ]);
    expect((await submit({})).errors).toEqual({ [`folder_${PROJECT}`]: 'Choose a folder.' });
  });

  it('reports at the field that the service is down, or does not allow new folders', async () => {
    await openForm('general');
    await chooseProject(PROJECT);
    stack.service.faults.set({ mode: '403' }, { only: 'create-folder' });
    const { errors } = await submit({ [FOLDER_FIELD]: 'new' });
    expect(Object.values(errors)[0]).toContain('doesn’t let me make the folder “general”');
    stack.service.faults.set({ mode: '503' }, { only: 'list' });
    const down = await submit({ [ADDRESS_FIELD]: `${PROJECT}/67811601` });
    const atOnce = Object.values(down.errors).join();
    await stack.slack.until(() =>
      `${atOnce} ${shown(top())}`.includes('Nothing was linked: the file service is down.'),
    );
  });

  it('makes one folder when two forms are sent at once', async () => {
    await openForm('design');
    await chooseProject(WEBSITE);
    stack.service.faults.next({ mode: 'slow', ms: 200 }, 2, 'create-folder');
    const values = { [FOLDER_FIELD]: 'new' };
    await announced(stack, 'design', () => Promise.all([submit(values), submit(values)]));
    expect(await linkedTo('design')).toContain('filed in *Website relaunch › design*');
    expect(foldersNamed('design', WEBSITE)).toHaveLength(1);
  });

  it('finds the folder whose response was lost, and makes no second one', async () => {
    await openForm('general');
    await chooseProject(PROJECT);
    stack.service.faults.next({ mode: 'reset-after' }, 1, 'create-folder');
    await announced(stack, 'general', () => submit({ [FOLDER_FIELD]: 'new' }));
    expect(await linkedTo('general')).toContain('filed in *Office move › general*');
    expect(foldersNamed('general', PROJECT)).toHaveLength(1);
  });

  it('says that it is checking when that takes long, and then shows the outcome', async () => {
    await openForm('design');
    await chooseProject(PROJECT);
    await submitLong('list', { [FOLDER_FIELD]: `${QUOTES}` });
    expect(shown(top())).toContain('Checking the folder…');
    clock.skip(LONG_MS);
    await stack.slack.until(() => shown(top()).includes('Done.'));
    expect(await linkedTo('design')).toContain('filed in *Office move › Quotes*');
  });

  it('reopens the form with the error when checking took long', async () => {
    await openForm('design');
    await submitLong('folders', { [ADDRESS_FIELD]: `${PROJECT}/998` });
    clock.skip(LONG_MS);
    await stack.slack.until(() => shown(top()).includes('There’s no folder'));
    expect(fieldIn(top(), ADDRESS_FIELD)).toMatchObject({
      element: { initial_value: `${PROJECT}/998` },
    });
  });

  it('reports the error in the channel to a member who has closed the form', async () => {
    await openForm('design');
    await submitLong('folders', { [ADDRESS_FIELD]: `${PROJECT}/997` });
    stack.slack.closeView({ user: 'ada' });
    clock.skip(LONG_MS);
    await stack.slack.until(() =>
      stack.slack
        .ephemerals('ada', 'design')
        .some((one) => screen(one).includes('There’s no folder')),
    );
  });

  it('reports the error in direct messages when checking took minutes', async () => {
    const { slack } = stack;
    await openForm('design');
    await submitLong('folders', { [ADDRESS_FIELD]: `${PROJECT}/996` });
    slack.closeView({ user: 'ada' });
    clock.skip(2 * 60_000);
    const said = await toldDirectly(`#${slack.ids.channels['design']}: `);
    expect(screen(said)).toContain('Nothing was linked');
  });

  it('tells a member who has closed the form to invite the app, and how', async () => {
    const { slack } = stack;
    await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'random' });
    await slack.until(() => top());
    await submitLong('list', { [ADDRESS_FIELD]: `${PROJECT}/${QUOTES}` });
    slack.closeView({ user: 'ada' });
    clock.skip(LONG_MS);
    const said = await toldDirectly('is now linked to');
    expect(screen(said)).toContain(`| #${slack.ids.channels['random']} is now linked to`);
    expect(screen(said)).toContain('`/invite @pigeonhole` in that channel.');
    expect(said.text).toContain('/invite @pigeonhole in that channel.');
  });

  it('says in the form, too, to which channel the app must be invited', async () => {
    const { slack } = stack;
    await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'random' });
    await slack.until(() => top());
    await submit({ [ADDRESS_FIELD]: `${PROJECT}/67811601` });
    const seen = await slack.until(() => shown(top()).includes('/invite') && shown(top()));
    expect(seen).toContain(`| #${slack.ids.channels['random']} is now linked to`);
    expect(seen).toContain('`/invite @pigeonhole` in that channel.');
  });

  it('offers another way, and a button, when the trigger has expired', async () => {
    stack.slack.fail('views.open', 'expired_trigger_id');
    const answer = await ada.types('/files link', 'design');
    expect(screen(answer)).toContain('Slack didn’t let me open the form');
    await stack.slack.press({
      ephemeral: answer,
      user: 'ada',
      ...placeOfButton(answer, 'Link this channel'),
    });
    await stack.slack.until(() => top());
  });

  it('refuses members without the right, and searches nothing for them', async () => {
    const ben = person(stack.slack, 'ben');
    expect(screen(await ben.types('/files link'))).toContain('Only workspace admins');
    expect(stack.slack.views('ben')).toEqual([]);
    await openForm('design');
    await chooseProject(PROJECT);
    stack.slack.setUser('ada', { is_admin: false, is_owner: false, is_primary_owner: false });
    try {
      expect(await offered(PROJECT_FIELD, '')).toEqual([]);
      const { errors } = await submit({ [ADDRESS_FIELD]: `${PROJECT}/${QUOTES}` });
      expect(Object.values(errors).join()).toContain('Only workspace admins');
      const made = await submit({ [FOLDER_FIELD]: 'new' });
      expect(Object.values(made.errors).join()).toContain('Only workspace admins');
      expect(foldersNamed('design', PROJECT)).toEqual([]);
    } finally {
      stack.slack.setUser('ada', { is_admin: true });
    }
  });
});

describe('the Link this channel button', () => {
  it('opens the form from an unlinked channel, for members who may link it', async () => {
    await stack.slack.command({
      command: '/files',
      text: 'unlink',
      user: 'ada',
      channel: 'design',
    });
    const hint = await ada.types('/files', 'design');
    await stack.slack.press({
      ephemeral: hint,
      user: 'ada',
      ...placeOfButton(hint, 'Link this channel'),
    });
    await stack.slack.until(() => top());
    const ben = person(stack.slack, 'ben');
    const own = screen(await ben.types('/files', 'design'));
    expect(own).toContain('isn’t linked to a folder');
    expect(own).not.toContain('Link this channel');
  });
});

describe('an account that lists no projects', () => {
  it('leaves only the address field in the form', async () => {
    const other = await startStack({
      env: WITHOUT_DEFAULT,
      service: { seed: defaultSeed },
    });
    other.service.faults.set({ mode: '404' }, { only: 'projects' });
    await other.slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'design' });
    const view = await other.slack.until(() => {
      const [open] = other.slack.views('ada');
      return open && shown(open).includes('doesn’t list its projects') ? open : undefined;
    });
    expect(fieldIn(view, PROJECT_FIELD)).toBeUndefined();
    expect(fieldIn(view, ADDRESS_FIELD)).toBeDefined();
    await other.stop();
  });
});

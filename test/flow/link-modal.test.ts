import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SlackView } from '../../src/playground/embedded-slack/index.ts';
import { defaultSeed } from '../../src/playground/file-service/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { SETTINGS_CHOICES } from '../../src/surfaces/settings/settings-view.ts';
import { PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import { type Person, person, placeOfButton, screen, unlink } from '../support/person.ts';
import { announced } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

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

async function offered(typed: string): Promise<string[]> {
  const view = top()?.id ?? '';
  const { body } = await stack.slack.suggest({ view, user: 'ada', actionId: FOLDER_FIELD, typed });
  const { options } = body as { options: { text: { text: string } }[] };
  return options.map(({ text }) => text.text);
}

/** Chooses the first option that is offered for these words, and sends the form. */
async function chooseFirst(typed: string) {
  const view = top()?.id ?? '';
  const { body } = await stack.slack.suggest({ view, user: 'ada', actionId: FOLDER_FIELD, typed });
  const { options } = body as { options: { value: string }[] };
  return submit({ [FOLDER_FIELD]: options[0]?.value ?? '' });
}

const foldersNamed = (wanted: string, project: number) =>
  stack.service.store.folders(project).filter(({ name }) => name === wanted);

const submit = (values: Record<string, string | string[]>) =>
  stack.slack.submitView({ user: 'ada', values });

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
  it('opens a form that links the channel to a folder of any project, found by words', async () => {
    await openForm('design');
    expect(await offered('logo design')).toContainEqual(
      expect.stringMatching(/^Website relaunch › (.* › )?Design › Logos$/),
    );
    expect(await offered('quotes')).toContain('Office move › Quotes');
    expect(await offered('launch WEB')).not.toContainEqual(expect.stringMatching(/^Office move/));
    const told = await announced(stack, 'design', () => chooseFirst('logo design web'));
    expect(told.text).toContain(`<@${stack.slack.ids.users['ada']}> linked this channel`);
    expect(told.text).toMatch(/filed in Website relaunch › (.* › )?Logos/);
    expect(top()).toBeUndefined();
  });

  it('accepts a folder by its address or numbers', async () => {
    await openForm('general');
    await announced(stack, 'general', () => chooseFirst(`${PROJECT}/${QUOTES}`));
    expect(await linkedTo('general')).toContain('shared here in *Office move › Quotes*');
    await openForm('general');
    const address = `${stack.service.accountUrl}/#app/project-${PROJECT}/folder-67811601`;
    expect(await offered(address)).toEqual(['Office move › Floor plans']);
    const told = await announced(stack, 'general', () => chooseFirst(address));
    expect(JSON.stringify(told['blocks'])).toContain(`folder-67811601"`);
  });

  it('begins with the channel’s folder, so that other settings can be saved alone', async () => {
    await openForm('general');
    expect(fieldIn(top(), FOLDER_FIELD)).toMatchObject({
      optional: false,
      element: { initial_option: { text: { text: 'Office move › Floor plans' } } },
    });
    stack.service.faults.set({ mode: '503' });
    expect((await submit({ [SETTINGS_CHOICES]: ['lines'] })).errors).toEqual({});
    await stack.slack.until(() =>
      stack.slack.ephemerals('ada', 'general').some((one) => screen(one).includes('Saved.')),
    );
    await openForm('general');
    expect(JSON.stringify(fieldIn(top(), SETTINGS_CHOICES))).toContain('"initial_options"');
  });

  it('keeps its form working across a restart of the app', async () => {
    await openForm('board');
    await stack.restart();
    // Until its list is loaded, the field asks to type again in a moment.
    await stack.slack.until(async () =>
      (await offered('plans')).some((name) => name.endsWith('plans')),
    );
    const told = await announced(stack, 'board', () => chooseFirst('office plans'));
    expect(told.text).toContain('filed in Office move › Floor plans');
  });

  it('makes a folder with the typed name, or the channel’s, only once, in any case', async () => {
    await openForm('board');
    expect((await offered('')).at(0)).toBe('New folder “board” in Office move');
    expect((await offered('office move/Brand')).at(-1)).toBe('New folder “Brand” in Office move');
    const values = { [FOLDER_FIELD]: `new/${PROJECT}/Brand` };
    const told = await announced(stack, 'board', () => submit(values));
    expect(told.text).toContain('filed in Office move › Brand');
    await announced(stack, 'board', () => unlink(stack.slack, 'ada', 'board'));
    await openForm('board');
    expect(await offered('office move/BRAND')).toEqual(['Office move › Brand']);
    const again = { [FOLDER_FIELD]: `new/${PROJECT}/BRAND` };
    await announced(stack, 'board', () => submit(again));
    expect(foldersNamed('Brand', PROJECT)).toHaveLength(1);
    expect(foldersNamed('BRAND', PROJECT)).toEqual([]);
  });

  it.each([
    [{ [FOLDER_FIELD]: 'none' }, /^Choose a folder/],
    [{ [FOLDER_FIELD]: `${PROJECT}/999` }, /There’s no folder “[\d/]+” in/],
    [{ [FOLDER_FIELD]: '/elsewhere/1' }, /isn’t a folder/],
  ])('refuses %j at the field, and keeps the form open', async (values, words) => {
    await openForm('general');
    const { errors } = await submit(values);
    expect(Object.values(errors).join()).toMatch(words);
    expect(top()).toBeDefined();
  });

  it('reports at the field that the service is down, or does not allow new folders', async () => {
    await openForm('general');
    stack.service.faults.set({ mode: '403' }, { only: 'create-folder' });
    const { errors } = await submit({ [FOLDER_FIELD]: `new/${PROJECT}/general` });
    expect(Object.values(errors)[0]).toContain('doesn’t let me make the folder “general”');
    stack.service.faults.set({ mode: '503' }, { only: 'list' });
    const down = await submit({ [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` });
    const atOnce = Object.values(down.errors).join();
    await stack.slack.until(() =>
      `${atOnce} ${shown(top())}`.includes('Nothing was linked: the file service is down.'),
    );
  });

  it('makes one folder when two forms are sent at once', async () => {
    await openForm('design');
    stack.service.faults.next({ mode: 'slow', ms: 200 }, 2, 'create-folder');
    const values = { [FOLDER_FIELD]: `new/${WEBSITE}/Twice` };
    await announced(stack, 'design', () => Promise.all([submit(values), submit(values)]));
    expect(await linkedTo('design')).toContain('shared here in *Website relaunch › Twice*');
    expect(foldersNamed('Twice', WEBSITE)).toHaveLength(1);
  });

  it('finds the folder whose response was lost, and makes no second one', async () => {
    await openForm('general');
    stack.service.faults.next({ mode: 'reset-after' }, 1, 'create-folder');
    await announced(stack, 'general', () => submit({ [FOLDER_FIELD]: `new/${PROJECT}/general` }));
    expect(await linkedTo('general')).toContain('shared here in *Office move › general*');
    expect(foldersNamed('general', PROJECT)).toHaveLength(1);
  });

  it('says that it is checking when that takes long, and then shows the outcome', async () => {
    await openForm('design');
    await submitLong('list', { [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` });
    expect(shown(top())).toContain('Checking the folder…');
    clock.skip(LONG_MS);
    await stack.slack.until(() => shown(top()).includes('Done.'));
    expect(await linkedTo('design')).toContain('shared here in *Office move › Quotes*');
  });

  it('reopens the form with the error when checking took long', async () => {
    await openForm('design');
    await submitLong('folders', { [FOLDER_FIELD]: `${PROJECT}/998` });
    clock.skip(LONG_MS);
    await stack.slack.until(() => shown(top()).includes('There’s no folder'));
    expect(fieldIn(top(), FOLDER_FIELD)).toMatchObject({
      element: { initial_option: { value: `${PROJECT}/998` } },
    });
  });

  it('reports the error in the channel to a member who has closed the form', async () => {
    await openForm('design');
    await submitLong('folders', { [FOLDER_FIELD]: `${PROJECT}/997` });
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
    await submitLong('folders', { [FOLDER_FIELD]: `${PROJECT}/996` });
    slack.closeView({ user: 'ada' });
    clock.skip(2 * 60_000);
    const said = await toldDirectly(`#${slack.ids.channels['design']}: `);
    expect(screen(said)).toContain('Nothing was linked');
  });

  it('tells a member who has closed the form to invite the app, and how', async () => {
    const { slack } = stack;
    await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'random' });
    await slack.until(() => top());
    await submitLong('list', { [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` });
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
    await submit({ [FOLDER_FIELD]: `${PROJECT}/67811601` });
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
    stack.slack.setUser('ada', { is_admin: false, is_owner: false, is_primary_owner: false });
    try {
      expect(await offered('')).toEqual([]);
      const { errors } = await submit({ [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` });
      expect(Object.values(errors).join()).toContain('Only workspace admins');
      const made = await submit({ [FOLDER_FIELD]: `new/${PROJECT}/design` });
      expect(Object.values(made.errors).join()).toContain('Only workspace admins');
      expect(foldersNamed('design', PROJECT)).toEqual([]);
    } finally {
      stack.slack.setUser('ada', { is_admin: true });
    }
  });
});

describe('the Link this channel button', () => {
  it('opens the form from an unlinked channel, for members who may link it', async () => {
    await unlink(stack.slack, 'ada', 'design');
    const hint = await ada.types('/files', 'design');
    await stack.slack.press({
      ephemeral: hint,
      user: 'ada',
      ...placeOfButton(hint, 'Link this channel'),
    });
    await stack.slack.until(() => top());
    const ben = person(stack.slack, 'ben');
    const own = screen(await ben.types('/files', 'design'));
    expect(own).toContain('no folder yet');
    expect(own).not.toContain('Link this channel');
  });
});

describe('/files settings', () => {
  const opened = async (press: () => Promise<unknown>) => {
    stack.slack.closeView({ user: 'ada' });
    await press();
    return stack.slack.until(() => top());
  };
  const types = () =>
    stack.slack.command({ command: '/files', text: 'settings', user: 'ada', channel: 'design' });

  it('opens the settings of the channel, as does the button under its link', async () => {
    await opened(types);
    const told = await announced(stack, 'design', () =>
      submit({ [FOLDER_FIELD]: `${PROJECT}/${QUOTES}` }),
    );
    const message = { channel: 'design', ts: told.ts };
    const at = placeOfButton(told, 'Settings');
    const form = await opened(() => stack.slack.press({ message, user: 'ada', ...at }));
    expect(JSON.stringify(form.blocks)).toContain('Unlink this channel');
    expect(JSON.stringify(form.blocks)).toContain('Office move › Quotes');
  });

  it('is refused to members who may not link, by the command and by the button', async () => {
    const ben = person(stack.slack, 'ben');
    expect(screen(await ben.types('/files settings', 'design'))).toContain('Only workspace admins');
    expect(stack.slack.views('ben')).toEqual([]);
  });

  it('unlinks the channel, and offers to undo it in the form', async () => {
    const form = await opened(types);
    const place = placeOfButton(form, 'Unlink this channel');
    const told = await announced(stack, 'design', () =>
      stack.slack.press({ view: form.id, user: 'ada', ...place }),
    );
    expect(told.text).toContain('unlinked this channel from Office move › Quotes');
    const done = await stack.slack.until(() => {
      const view = top();
      return shown(view).includes('is unlinked from') && view;
    });
    const undo = placeOfButton(done, 'Undo: link it again');
    await announced(stack, 'design', () =>
      stack.slack.press({ view: done.id, user: 'ada', ...undo }),
    );
    expect(await linkedTo('design')).toContain('shared here in *Office move › Quotes*');
  });

  it('is refused in the form to who lost the right since it opened', async () => {
    const form = await opened(types);
    stack.slack.setUser('ada', { is_admin: false, is_owner: false, is_primary_owner: false });
    try {
      const place = placeOfButton(form, 'Unlink this channel');
      await stack.slack.press({ view: form.id, user: 'ada', ...place });
      await stack.slack.until(() => shown(top()).includes('Only workspace admins can unlink'));
    } finally {
      stack.slack.setUser('ada', { is_admin: true });
    }
    expect(await linkedTo('design')).toContain('shared here in *Office move › Quotes*');
  });
});

describe('an account that lists no projects', () => {
  it('is asked for the address, or the numbers, in the same field', async () => {
    const other = await startStack({ env: WITHOUT_DEFAULT, service: { seed: defaultSeed } });
    other.service.faults.set({ mode: '404' }, { only: 'projects' });
    await other.slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'design' });
    const view = await other.slack.until(() => {
      const [open] = other.slack.views('ada');
      return open && JSON.stringify(open).includes('doesn’t list its folders') ? open : undefined;
    });
    const field = { view: view.id, user: 'ada', actionId: FOLDER_FIELD };
    const { body } = await other.slack.suggest({ ...field, typed: `${PROJECT}/${QUOTES}` });
    expect(JSON.stringify(body)).toContain(`"value":"${PROJECT}/${QUOTES}"`);
    await other.stop();
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Posted, SlackView } from '../../src/playground/embedded-slack/index.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { SAVE_AGAIN } from '../../src/surfaces/save/actions.ts';
import { SAVE_PICK } from '../../src/surfaces/save/save-view.ts';
import { FLOOR_PLANS, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import {
  answersIn,
  asksWhere,
  type Person,
  person,
  placeOfButton,
  screen,
} from '../support/person.ts';
import { lineOf, linkChannel, settledShare, threadOf } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

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

type Place = Pick<Posted, 'channel' | 'ts'>;

const share = (names: string | string[], channel = 'general', threadTs?: string) =>
  stack.slack.share({
    ...{ channel, user: 'ben' },
    files: [names].flat().map((name) => ({ name, bytes: name })),
    ...(threadTs ? { threadTs } : {}),
  });

const top = () => stack.slack.views('ada').at(-1);
const shown = (view: SlackView | undefined) => screen({ text: '', blocks: view?.blocks });
const filed = (folder: number) => stack.service.store.files(folder).map(({ name }) => name);
const timesIn = (folder: number, name: string) =>
  filed(folder).filter((one) => one === name).length;

function calls({ channel, ts }: Place, callbackId = 'save_files', user = 'ada') {
  return stack.slack.shortcut({ callbackId, user, message: { channel, ts } });
}

/** Returns the answer to a member who calls the shortcut and gets no form. */
async function answerOn(place: Place, user = 'ada'): Promise<string> {
  const called = await calls(place, 'save_files', user);
  return screen(await stack.slack.until(() => answersIn(called)[0]));
}

const where = (place: Place) => asksWhere(stack.slack, 'ada', place);

/** Opens the form; resolves once it has the account's projects and the offered folders' names. */
async function openForm(place: Place): Promise<SlackView> {
  const before = top()?.id;
  await calls(place);
  const opened = await stack.slack.until(() => (top()?.id === before ? undefined : top()));
  return stack.slack.until(() => (top()?.hash === opened.hash ? undefined : top()));
}

const submit = (values: Record<string, string> = {}) =>
  stack.slack.submitView({ user: 'ada', values });

const at = (folder: number) => ({ [FOLDER_FIELD]: `${PROJECT}/${folder}` });

async function save(place: Place, folder: number): Promise<string> {
  await openForm(place);
  const { errors } = await submit(at(folder));
  expect(errors).toEqual({});
  return stack.slack.until(
    () => /Saving \d|already in|Removed from/.test(shown(top())) && shown(top()),
  );
}

describe('Save files to a folder', () => {
  it('files a message’s files from a channel without a folder, and says so in its thread', async () => {
    const posted = await share(['one.txt', 'two.txt']);
    const form = await openForm(posted);
    expect(shown(form)).toContain('2 files: one.txt, two.txt.');
    await submit(at(QUOTES));
    expect(shown(top())).toMatch(/Saving 2 files to .*Quotes/);
    const line = await lineOf(
      stack.slack,
      posted,
      /^Filed in Office move › Quotes: one\.txt, two\.txt/,
    );
    expect(line.text).toContain(`Saved by <@${stack.slack.ids.users['ada']}>`);
    expect(filed(QUOTES).toSorted()).toEqual(['one.txt', 'two.txt']);
    expect(await where(posted)).toContain('Filed in Office move › Quotes: one.txt, two.txt');
  });

  it('offers first where the member saved last, and then the channel’s own folder', async () => {
    await save(await share('first.txt'), QUOTES);
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const posted = await share('again.txt', 'design');
    const form = await openForm(posted);
    const pick = form.blocks.find(({ block_id }) => block_id === 'pick');
    expect(pick).toMatchObject({
      element: {
        options: [
          { value: `${PROJECT}/${QUOTES}`, description: { text: 'Where you saved last' } },
          {
            value: `${PROJECT}/${FLOOR_PLANS}`,
            description: { text: 'Where files shared here go' },
          },
        ],
        initial_option: { text: { text: expect.stringContaining('Quotes') } },
      },
    });
    await submit();
    await lineOf(stack.slack, posted, /^Filed in Office move › Quotes: again\.txt/);
    expect(await where(posted)).toMatch(
      /Filed in Office move › Floor plans[\s\S]*Filed in Office move › Quotes/,
    );
  });

  it('finds another folder by words, or makes one, instead of those that it offers', async () => {
    const posted = await share('searched.txt');
    const form = await openForm(posted);
    const field = { view: form.id, user: 'ada', actionId: FOLDER_FIELD };
    const { body } = await stack.slack.suggest({ ...field, typed: 'office plans' });
    const { options } = body as { options: { text: { text: string }; value: string }[] };
    const [plans] = options;
    expect(plans?.text.text).toBe('Office move › Floor plans');
    await submit({ [FOLDER_FIELD]: `${plans?.value}` });
    await lineOf(stack.slack, posted, /^Filed in Office move › Floor plans: searched\.txt/);
    await openForm(posted);
    await submit({ [FOLDER_FIELD]: `new/${PROJECT}/Searched` });
    await stack.slack.until(() => stack.service.store.folders(PROJECT).at(-1)?.name === 'Searched');
  });

  it('files a reply in a thread', async () => {
    const { channel, ts } = await share('parent.txt');
    const reply = await share('reply.txt', channel, ts);
    await save(reply, FLOOR_PLANS);
    await lineOf(stack.slack, reply, /^Filed in Office move › Floor plans: reply\.txt/);
    expect(await where(reply)).toContain('Floor plans: reply.txt');
  });
});

describe('saving a file to a folder', () => {
  it('files it once in each folder, however often the form is sent', async () => {
    const posted = await share('once.txt');
    await openForm(posted);
    await Promise.all([submit(at(QUOTES)), submit(at(QUOTES))]);
    await lineOf(stack.slack, posted, /^Filed in Office move › Quotes: once\.txt/);
    expect(await save(posted, QUOTES)).toMatch(/already in .*Quotes.*or on the way/);
    await save(posted, FLOOR_PLANS);
    await lineOf(stack.slack, posted, /^Filed in Office move › Floor plans: once\.txt/);
    expect([timesIn(QUOTES, 'once.txt'), timesIn(FLOOR_PLANS, 'once.txt')]).toEqual([1, 1]);
    expect(await where(posted)).toMatch(
      /Filed in Office move › Quotes[\s\S]*Filed in Office move › Floor plans/,
    );
    expect((await threadOf(stack.slack, posted)).length).toBe(2);
  });

  it('adds nothing when the channel’s link has already filed it there', async () => {
    await linkChannel(stack, 'board', QUOTES);
    const posted = await share('linked.txt', 'board');
    await settledShare(stack.slack, posted);
    expect(await save(posted, QUOTES)).toContain('already in');
    expect(timesIn(QUOTES, 'linked.txt')).toBe(1);
  });

  it('files it once when the channel’s link files it there too', async () => {
    stack.service.faults.set({ mode: '503' }, { only: 'upload' });
    const posted = await share('both ways.txt', 'board');
    expect(await save(posted, QUOTES)).toContain('Saving 1 file to');
    stack.service.faults.clear();
    await save(posted, QUOTES);
    await stack.slack.until(() => timesIn(QUOTES, 'both ways.txt') === 1);
    expect(await save(posted, QUOTES)).toContain('already in');
    await settledShare(stack.slack, posted);
    await stack.slack.until(async () => {
      const said = (await threadOf(stack.slack, posted)).map(({ text }) => text);
      return !said.some((text) => /^Waiting|^Sen/.test(`${text}`));
    });
    expect(timesIn(QUOTES, 'both ways.txt')).toBe(1);
  });

  it('files it once when the channel is linked there later and its held files are filed', async () => {
    const held = await share('held.txt', 'dm');
    const saved = await share('held and saved.txt', 'dm');
    await save(saved, QUOTES);
    await lineOf(stack.slack, saved, /^Filed in Office move › Quotes: held and saved\.txt/);
    stack.slack.setUser('ben', { is_admin: true });
    const ben = person(stack.slack, 'ben');
    const offer = await ben.types(`/files link ${PROJECT}/${QUOTES}`, 'dm');
    expect(screen(await ben.presses(offer, 'File them'))).toContain('1 file is on its way');
    stack.slack.setUser('ben', { is_admin: false });
    await settledShare(stack.slack, held);
    const later = await share('later.txt', 'dm');
    await settledShare(stack.slack, later);
    expect(timesIn(QUOTES, 'held and saved.txt')).toBe(1);
    expect(await where(saved)).toContain('Filed in Office move › Quotes: held and saved.txt');
  });
});

describe('saving from a conversation without the app', () => {
  it('notifies the member who saved in a direct message, with a working Try again', async () => {
    const posted = await share('elsewhere.txt', 'random');
    stack.service.faults.set({ mode: '403' }, { only: 'upload' });
    await save(posted, FLOOR_PLANS);
    const opened = await stack.slack.as('ada', 'conversations.open', {
      users: stack.slack.ids.bot,
    });
    const channel = (opened['channel'] as { id: string }).id;
    const told = async (words: RegExp) => {
      const messages = await stack.slack.state(channel);
      return messages.find(({ text }) => words.test(String(text)));
    };
    const refused = await stack.slack.until(() => told(/^Couldn’t be filed: elsewhere\.txt/));
    expect(screen(refused)).toContain('Saved from this message by');
    stack.service.faults.clear();
    const message = { channel, ts: refused.ts };
    await stack.slack.press({ message, user: 'ada', ...placeOfButton(refused, 'Try again') });
    await stack.slack.until(() => told(/^Filed in Office move › Floor plans: elsewhere\.txt/));
    expect(timesIn(FLOOR_PLANS, 'elsewhere.txt')).toBe(1);
  });

  it('says when Slack does not give the app the files', async () => {
    const posted = await share('unseen.txt', 'random');
    stack.slack.setFileVariant(posted.fileIds[0] ?? '', { info: 'file_not_found' });
    await openForm(posted);
    const { errors } = await submit(at(FLOOR_PLANS));
    expect(Object.values(errors).join()).toMatch(/\/invite.*can’t read this file/);
    expect(filed(FLOOR_PLANS)).not.toContain('unseen.txt');
  });
});

describe('an error of Save files', () => {
  it('is shown for a message without files, and when the form cannot open', async () => {
    const words = await stack.slack.say({ channel: 'general', user: 'ben', text: 'hello' });
    expect(await answerOn(words)).toContain('This message has no files.');
    stack.slack.fail('views.open', 'expired_trigger_id');
    expect(await answerOn(await share('late.txt'))).toContain('didn’t open the form');
  });

  it('is shown to members without the right, and to a member who has just lost it', async () => {
    const posted = await share('mine.txt');
    expect(await answerOn(posted, 'ben')).toContain('Only workspace admins can save files');
    expect(await answerOn(posted, 'dan')).toContain('People from other workspaces can’t do that');
    await openForm(posted);
    stack.slack.setUser('ada', { is_admin: false, is_owner: false, is_primary_owner: false });
    const { errors } = await submit(at(FLOOR_PLANS));
    stack.slack.setUser('ada', { is_admin: true });
    expect(Object.values(errors).join()).toContain('Only workspace admins can save files');
    expect(filed(FLOOR_PLANS)).not.toContain('mine.txt');
  });

  it('is shown at the field for a missing folder, and while the service is down', async () => {
    const posted = await share('patient.txt');
    await openForm(posted);
    expect(Object.values((await submit(at(999))).errors).join()).toContain('There’s no folder');
    stack.service.faults.set({ mode: '503' });
    const { errors } = await submit(at(FLOOR_PLANS));
    const atOnce = Object.values(errors).join();
    await stack.slack.until(() =>
      `${atOnce} ${shown(top())}`.includes('weren’t saved: the file service is down.'),
    );
    stack.service.faults.clear();
    await submit(at(FLOOR_PLANS));
    await lineOf(stack.slack, posted, /^Filed in Office move › Floor plans: patient\.txt/);
  });

  it('is shown in the form again when the folder takes long', async () => {
    const posted = await share('slow.txt');
    await openForm(posted);
    // A sleep that nobody else uses, longer than a form waits for its outcome.
    const longMs = 5_001;
    stack.service.faults.next({ mode: 'slow', ms: longMs }, 1, 'folders');
    const answered = submit({ [FOLDER_FIELD]: '77/998' });
    await expect.poll(() => clock.sleeping()).toContain(longMs);
    clock.skip(longMs / 2);
    await answered;
    expect(shown(top())).toContain('Checking the folder and the files…');
    clock.skip(longMs);
    await stack.slack.until(() => shown(top()).includes('There’s no folder'));
    expect(JSON.stringify(top()?.blocks)).toContain('"value":"77/998"');
    expect(shown(top())).toContain('1 file: slow.txt.');
  });

  it('is shown for files that were deleted in Slack before', async () => {
    const posted = await share('gone.txt');
    await openForm(posted);
    await stack.slack.as('ben', 'files.delete', { file: posted.fileIds[0] });
    const { errors } = await submit(at(FLOOR_PLANS));
    expect(Object.values(errors).join()).toContain('This file was deleted in Slack.');
  });
});

it('a saved file that was deleted since is saved again, after a question', async () => {
  const posted = await share('taken back.txt', 'design');
  await save(posted, QUOTES);
  await lineOf(stack.slack, posted, /^Filed in Office move › Quotes: taken back\.txt/);
  await linkChannel(stack, 'design', QUOTES);
  const list = await ada.types('/files taken', 'design');
  await ada.deletes(list);
  await lineOf(stack.slack, posted, /^Deleted by/);
  expect(await save(posted, QUOTES)).toContain(
    'Removed from *Office move › Quotes* before, so left out: taken back.txt.',
  );
  expect(timesIn(QUOTES, 'taken back.txt')).toBe(0);
  const again = { view: top()?.id ?? '', user: 'ada', actionId: SAVE_AGAIN.id };
  await stack.slack.press(again);
  await stack.slack.until(() => /Saving 1 file again/.test(shown(top())) || undefined);
  await lineOf(stack.slack, posted, /^Filed in Office move › Quotes: taken back\.txt/);
  expect(timesIn(QUOTES, 'taken back.txt')).toBe(1);
});

it('an email whose attachments its event lists is saved with them', async () => {
  const held = await share('listed.txt', 'board');
  const there = (await stack.slack.state('board')).find(({ ts }) => ts === held.ts)?.files?.[0];
  const attachments = [{ filename: 'listed attachment.txt', size: 10, url: there?.url_private }];
  const variant = { fields: { mode: 'email', attachments } };
  const files = [{ name: 'Re: listed', bytes: '<p>Hi</p>', mimetype: 'text/html', variant }];
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await save(posted, FLOOR_PLANS);
  await stack.slack.until(() => timesIn(FLOOR_PLANS, 'listed attachment.txt') > 0);
});

it('nothing is saved to the folder offered first if an option is chosen that is no folder', async () => {
  await save(await share('before.txt'), QUOTES);
  const form = await openForm(await share('salaries.txt'));
  const search = { view: form.id, user: 'ada', actionId: FOLDER_FIELD };
  const typed = 'https://other.example/projects/1/folders/2';
  const { body } = await stack.slack.suggest({ ...search, typed });
  const { options } = body as { options: { text: { text: string }; value: string }[] };
  const none = options.find(({ text }) => text.text.startsWith('That’s no folder’s address'));
  const { errors } = await submit({ [FOLDER_FIELD]: none?.value ?? '' });
  expect(errors).toEqual({ folder: 'Choose a folder.' });
  expect(timesIn(QUOTES, 'salaries.txt')).toBe(0);
});

it('the attachments of an email are saved too, also if only Slack’s data of it lists them', async () => {
  const held = await share('attached.txt', 'board');
  const there = (await stack.slack.state('board')).find(({ ts }) => ts === held.ts)?.files?.[0];
  const attachments = [{ filename: 'saved attachment.txt', size: 12, url: there?.url_private }];
  const variant = { fields: { mode: 'email', attachments }, early: { attachments: undefined } };
  const files = [{ name: 'Re: saved', bytes: '<p>Hi</p>', mimetype: 'text/html', variant }];
  const posted = await stack.slack.share({ channel: 'general', user: 'ben', files });
  await save(posted, FLOOR_PLANS);
  await stack.slack.until(() => timesIn(FLOOR_PLANS, 'saved attachment.txt') > 0);
});

it('deleting a message asks about the channel’s copy only, not about what another member saved', async () => {
  const posted = await share('taken away.txt', 'board');
  await settledShare(stack.slack, posted);
  await save(posted, FLOOR_PLANS);
  await lineOf(stack.slack, posted, /^Filed in Office move › Floor plans: taken away\.txt/);
  expect([timesIn(FLOOR_PLANS, 'taken away.txt'), timesIn(QUOTES, 'taken away.txt')]).toEqual([
    1, 1,
  ]);
  await stack.slack.as('ben', 'chat.delete', { channel: posted.channel, ts: posted.ts });
  const questions = () =>
    stack.slack.ephemerals('ben', 'board').filter(({ text }) => /deleted in Slack/.test(text));
  const asked = await stack.slack.until(() => questions()[0]);
  expect(asked.text).toContain('was deleted in Slack. Delete it from Office move › Quotes too?');
  const after = await person(stack.slack, 'ben').presses(asked, 'Delete file');
  expect(screen(after)).toContain('Deleted taken away.txt from');
  expect([timesIn(FLOOR_PLANS, 'taken away.txt'), timesIn(QUOTES, 'taken away.txt')]).toEqual([
    1, 0,
  ]);
});

it('a saved copy is deleted from a list by the member who saved it, not by its sharer', async () => {
  const posted = await share('kept for ada.txt');
  await save(posted, FLOOR_PLANS);
  await lineOf(stack.slack, posted, /^Filed in Office move › Floor plans: kept for ada\.txt/);
  await linkChannel(stack, 'design', FLOOR_PLANS);
  const isAdmin = (is: boolean) =>
    stack.slack.setUser('ada', { is_admin: is, is_owner: is, is_primary_owner: is });
  isAdmin(false);
  const ben = person(stack.slack, 'ben');
  const words = 'Delete kept for ada.txt';
  expect(screen(await ben.types('/files kept', 'design'))).not.toContain(words);
  const list = await ada.types('/files kept', 'design');
  const refused = await ben.deletes(structuredClone(list));
  expect(screen(refused)).toContain(
    'You can’t delete kept for ada.txt. Ask who saved it here, or a workspace admin.',
  );
  expect(timesIn(FLOOR_PLANS, 'kept for ada.txt')).toBe(1);
  expect(screen(await ada.deletes(list))).toContain('Deleted kept for ada.txt.');
  expect(timesIn(FLOOR_PLANS, 'kept for ada.txt')).toBe(0);
  isAdmin(true);
});

it('a saved file is filed once after a restart', async () => {
  const posted = await share('restarted.txt');
  stack.service.faults.set({ mode: '503' }, { only: 'upload' });
  await save(posted, FLOOR_PLANS);
  await stack.restart();
  stack.service.faults.clear();
  await openForm(posted);
  await submit({ [SAVE_PICK]: `${PROJECT}/${FLOOR_PLANS}` });
  await lineOf(stack.slack, posted, /^Filed in Office move › Floor plans: restarted\.txt/);
  expect(timesIn(FLOOR_PLANS, 'restarted.txt')).toBe(1);
});

it('a form that stays open across a restart of the app saves its files', async () => {
  const posted = await share('patient form.txt');
  await openForm(posted);
  await stack.restart();
  expect((await submit(at(QUOTES))).errors).toEqual({});
  await lineOf(stack.slack, posted, /^Filed in Office move › Quotes: patient form\.txt/);
  expect(timesIn(QUOTES, 'patient form.txt')).toBe(1);
});

it('a file saved from a channel is found by its members', async () => {
  const posted = await share('findable.txt');
  await save(posted, FLOOR_PLANS);
  await lineOf(stack.slack, posted, /^Filed in Office move › Floor plans: findable\.txt/);
  const found = await ada.types('/files find findable');
  expect(screen(found)).toContain('findable.txt');
  // The channel lists another folder, or none.
  expect(screen(found)).not.toContain('Share findable.txt here');
});

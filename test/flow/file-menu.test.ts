import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FOUND_FILE_MENU } from '../../src/surfaces/files/actions.ts';
import { FLOOR_PLANS, FOLDER } from '../support/app-settings.ts';
import { asksWhere, type Person, person, placeOfOption, screen } from '../support/person.ts';
import { listedNames } from '../support/shown-view.ts';
import { lineOf, linkChannel, settledShare, threadOf } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let ada: Person;
let ben: Person;
beforeAll(async () => {
  stack = await startStack();
  ada = person(stack.slack, 'ada');
  ben = person(stack.slack, 'ben');
  await linkChannel(stack, 'design', FLOOR_PLANS);
});
afterEach(() => stack.service.faults.clear());
afterAll(() => stack.stop());

async function share(name: string, channel = 'design', thread: { threadTs?: string } = {}) {
  const files = [{ name, bytes: `bytes of ${name}` }];
  const posted = await stack.slack.share({ channel, user: 'ben', files, ...thread });
  await settledShare(stack.slack, posted);
  return posted;
}

/** Returns how often a text was posted in a channel's messages and threads. */
async function posts(text: RegExp, channel = 'design'): Promise<number> {
  const messages = await stack.slack.state(channel);
  return messages.filter((one) => text.test(String(one.text))).length;
}

const user = (name: string) => stack.slack.ids.users[name];

describe('Share, in the menu of a file', () => {
  it('posts its name and its folder in the channel, by who chose it, once', async () => {
    await share('radio plan.txt');
    const list = await ada.types('/files radio', 'design');
    const { choice, ...place } = placeOfOption(list, 'Share radio plan.txt here');
    const press = () => stack.slack.press({ ephemeral: list, user: 'ada', ...place, choice });
    const said = new RegExp(
      `^<@${user('ada')}> shared radio plan.txt from Office move › Floor plans$`,
    );
    await Promise.all([press(), press()]);
    await stack.slack.until(async () => (await posts(said)) > 0 || undefined);
    const again = await press();
    const answer = screen(await stack.slack.until(() => again.ephemerals.at(-1)));
    expect(answer).toContain('| You’ve just shared radio plan.txt here.');
    expect(listedNames(answer)).toEqual(['radio plan.txt']);
    expect(await posts(said)).toBe(1);
  });

  it('is refused, and nothing posted, where the channel has no such file', async () => {
    await share('hidden.txt', 'board');
    const list = await ada.types('/files radio', 'design');
    const { actionId, blockId } = placeOfOption(list, 'Share radio plan.txt here');
    const id = stack.service.store.files(FOLDER).find(({ name }) => name === 'hidden.txt')?.id;
    for (const value of [{ f: FOLDER, id }, { id }]) {
      const block = JSON.stringify({ ...JSON.parse(blockId), ...value });
      const forged = JSON.parse(
        JSON.stringify(list.blocks).replaceAll(JSON.stringify(blockId), JSON.stringify(block)),
      );
      const { ephemerals } = await stack.slack.press({
        ...{ ephemeral: { ...list, blocks: forged }, user: 'ada', actionId, blockId: block },
        choice: '{"do":"share"}',
      });
      const answer = screen(await stack.slack.until(() => ephemerals.at(-1)));
      expect(answer).toContain('| That file isn’t here any more.');
      expect(answer).not.toContain('hidden');
    }
    expect(await posts(/hidden\.txt from/)).toBe(0);
  });

  it('works in the list of a search, for the files of this channel', async () => {
    await share('site map.txt');
    await share('site budget.txt', 'board');
    const found = await ben.types('/files find site', 'design');
    expect(listedNames(screen(found))).toHaveLength(2);
    expect(screen(found)).not.toContain('Share site budget.txt');
    const { choice, ...place } = placeOfOption(found, 'Share site map.txt here');
    expect(place.actionId).toBe(FOUND_FILE_MENU.id);
    await stack.slack.press({ ephemeral: found, user: 'ben', ...place, choice });
    await stack.slack.until(async () => (await posts(/shared site map\.txt from/)) || undefined);
  });
});

describe('/files while the service is down', () => {
  it('shows what it last listed, says so, and shares and finds it', async () => {
    await share('kept.txt');
    expect(listedNames(screen(await ben.types('/files kept', 'design')))).toEqual(['kept.txt']);
    stack.service.faults.set({ mode: '500' });
    const shown = await ben.types('/files kept', 'design');
    expect(listedNames(screen(shown))).toEqual(['kept.txt']);
    expect(screen(shown)).toMatch(/\n- As of \d+ s ago: the file service is down\.\n/);
    const found = screen(await ben.types('/files find kept', 'design'));
    expect(listedNames(found)).toEqual(['kept.txt']);
    const asked = screen(await ben.asksToDelete(shown, 'kept.txt'));
    expect(asked).toContain('the file service is down.');
    expect(stack.service.store.files(FLOOR_PLANS).some(({ name }) => name === 'kept.txt')).toBe(
      true,
    );
  });
});

describe('Put back', () => {
  const isThere = (name: string) =>
    stack.service.store.files(FLOOR_PLANS).filter((file) => file.name === name).length;

  it('files a deleted file again, once, in the same line of its thread', async () => {
    const posted = await share('back.txt');
    const gone = await ben.deletes(await ben.types('/files back', 'design'), 'back.txt');
    expect(screen(gone)).toMatch(/\| Deleted back\.txt\.\n\[Put back → put_back /);
    expect(isThere('back.txt')).toBe(0);
    const copy = structuredClone(gone);
    const said = await ben.presses(gone, 'Put back');
    expect(screen(said)).toContain(
      '| Putting back.txt back. The message gets its check mark when that is done.',
    );
    await stack.slack.until(() => isThere('back.txt') === 1 || undefined);
    await stack.slack.until(async () => {
      const [line] = await threadOf(stack.slack, posted);
      return /^Filed in .*: back\.txt/.test(String(line?.text)) || undefined;
    });
    expect(screen(await ben.presses(copy, 'Put back'))).toContain('| Already back, or on the way.');
    expect(isThere('back.txt')).toBe(1);
    expect(await threadOf(stack.slack, posted)).toHaveLength(1);
  });

  it('is offered in the thread, and only who might delete the file may press it', async () => {
    const posted = await share('thread.txt');
    await ben.deletes(await ben.types('/files thread', 'design'), 'thread.txt');
    const line = await stack.slack.until(async () => {
      const [one] = await threadOf(stack.slack, posted);
      return JSON.stringify(one?.blocks ?? []).includes('put_back') ? one : undefined;
    });
    expect(await asksWhere(stack.slack, 'ada', posted)).toContain('[Put back → ');
    const where = await asksWhere(stack.slack, 'cleo', posted);
    expect(where).toContain('thread.txt');
    expect(where).not.toContain('[Put back');
    const message = { channel: posted.channel, ts: line.ts };
    const press = (by: string) => stack.slack.press({ message, user: by, actionId: 'put_back' });
    const refused = await press('cleo');
    const answer = screen(await stack.slack.until(() => stack.slack.ephemerals('cleo').at(-1)));
    expect(refused.status).toBe(200);
    expect(answer).toContain(
      '| You can’t put thread.txt back. Ask who shared it, or a workspace admin.',
    );
    expect(isThere('thread.txt')).toBe(0);
    await press('ada');
    await stack.slack.until(() => isThere('thread.txt') === 1 || undefined);
  });

  it('leaves alone what somebody removed from the folder in the service', async () => {
    const { slack, service } = stack;
    const names = ['mistake.txt', 'removed.txt'];
    const files = names.map((name) => ({ name, bytes: name }));
    const posted = await slack.share({ channel: 'design', user: 'ben', files });
    await settledShare(slack, posted);
    const list = await ben.types('/files removed', 'design');
    const removed = service.store.files(FLOOR_PLANS).find(({ name }) => name === 'removed.txt');
    service.store.deleteFile(removed?.id ?? 0);
    expect(screen(await ben.asksToDelete(list, 'removed.txt'))).toContain(
      'removed.txt had already been deleted.',
    );
    await ben.deletes(await ben.types('/files mistake', 'design'), 'mistake.txt');
    const line = await lineOf(slack, posted, /Deleted by .*mistake\.txt/);
    expect(JSON.stringify(line.blocks)).toContain('"Put back mistake.txt"');
    const message = { channel: posted.channel, ts: line.ts };
    await slack.press({ message, user: 'ben', actionId: 'put_back' });
    await slack.until(() => isThere('mistake.txt') === 1 || undefined);
    await settledShare(slack, posted);
    expect(isThere('removed.txt')).toBe(0);
  });

  it('says so if Slack no longer has the file', async () => {
    const posted = await share('lost.txt');
    const gone = await ben.deletes(await ben.types('/files lost', 'design'), 'lost.txt');
    await stack.slack.as('ben', 'files.delete', { file: posted.fileIds[0] });
    expect(screen(await ben.presses(gone, 'Put back'))).toContain(
      '| Slack no longer has lost.txt, so I can’t put it back.',
    );
    expect(isThere('lost.txt')).toBe(0);
  });

  it('files it once Slack answers, if Slack fails at the press', async () => {
    await share('later.txt');
    const gone = await ben.deletes(await ben.types('/files later', 'design'), 'later.txt');
    stack.slack.fail('files.info', 'internal_error');
    expect(screen(await ben.presses(gone, 'Put back'))).toContain('| Putting later.txt back.');
    stack.slack.clearFaults();
    await stack.slack.until(() => isThere('later.txt') === 1 || undefined);
  });
});

describe('Find files, from anywhere', () => {
  it('searches the person’s channels in a modal, and turns its pages', async () => {
    for (const nth of [1, 2, 3, 4, 5, 6]) await share(`minutes ${nth}.txt`);
    const top = () => stack.slack.views('ben').at(-1);
    const shown = () => screen({ text: '', blocks: top()?.blocks });
    await stack.slack.shortcut({ callbackId: 'find_files', user: 'ben' });
    await stack.slack.until(() => top());
    await stack.slack.submitView({ user: 'ben', values: { find_words: 'minutes' } });
    await stack.slack.until(() => /6 files in your channels/.test(shown()) || undefined);
    expect(listedNames(shown())).toHaveLength(5);
    await stack.slack.press({ view: top()?.id ?? '', user: 'ben', actionId: 'found_page_next' });
    await stack.slack.until(() => /page 2 of 2/.test(shown()) || undefined);
    expect(listedNames(shown())).toEqual(['minutes 1.txt']);
    expect(shown()).not.toContain('Share minutes');
    await stack.slack.submitView({ user: 'ben', values: { find_words: 'nothing of that' } });
    await stack.slack.until(() => /No matches for `nothing of that`/.test(shown()) || undefined);
  });
});

it('“Find files” in the App Home can be pressed again if Slack does not open the search', async () => {
  const { slack } = stack;
  const home = () => screen({ text: '', blocks: slack.home('cleo')?.blocks });
  const press = () =>
    slack.press({ view: slack.home('cleo')?.id ?? '', user: 'cleo', actionId: 'open_find' });
  await slack.openHome('cleo');
  await slack.until(() => home().includes('[Find files') || undefined);
  slack.fail('views.open', 'expired_trigger_id');
  await press();
  await slack.until(() => home().includes('Slack didn’t let me open the search.') || undefined);
  await press();
  await slack.until(() => slack.views('cleo').at(-1)?.callback_id === 'find_files' || undefined);
});

it('the App Home names the default folder of recent files', async () => {
  await share('recent.txt', 'general');
  await stack.slack.openHome('ben');
  const home = () => screen({ text: '', blocks: stack.slack.home('ben')?.blocks });
  await stack.slack.until(() => home().includes('recent.txt') || undefined);
  expect(home()).toMatch(/recent\.txt.* in \*Office move › /);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  defaultSeed,
  LIMITED_API_KEY,
  type Seed,
} from '../../src/playground/file-service/index.ts';
import { FLOOR_PLANS, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { type Person, person, screen } from '../support/person.ts';
import { announced, linkChannel, settledShare } from '../support/slack-channel.ts';
import { refusedFor, type Stack, startStack } from '../support/start-stack.ts';

const CAMPAIGN = 23423234;

// Two folders have the same name in one project.
const seed: Seed = {
  ...defaultSeed,
  projects: defaultSeed.projects.map((project) =>
    project.id === CAMPAIGN
      ? { ...project, folders: [...project.folders, { id: 67811599, name: 'posters' }] }
      : project,
  ),
};

let stack: Stack;
let ada: Person;
let ben: Person;
beforeAll(async () => {
  stack = await startStack({ service: { seed } });
  ada = person(stack.slack, 'ada');
  ben = person(stack.slack, 'ben');
});
afterAll(() => stack.stop());
beforeEach(() => stack.service.faults.clear());

const standing = async (channel: string) => screen(await ben.types('/files help', channel));

describe('/files link', () => {
  it('links by numbers, announces by whom, and files go there', async () => {
    const told = await linkChannel(stack, 'design', QUOTES);
    expect(told.text).toContain('filed in Office move › Quotes');
    expect(told.text).toContain(`<@${stack.slack.ids.users['ada']}> linked this channel`);
    expect(await standing('design')).toContain('filed in *Office move › Quotes*.');
    const files = [{ name: 'quote.txt', bytes: 'offer' }];
    await settledShare(
      stack.slack,
      await stack.slack.share({ channel: 'design', user: 'ben', files }),
    );
    expect(stack.service.store.files(QUOTES).map(({ name }) => name)).toEqual(['quote.txt']);
  });

  it('announces the link once when it is sent twice at once', async () => {
    const link = () =>
      stack.slack.command({
        ...{ command: '/files', user: 'ada', channel: 'board' },
        text: `link ${PROJECT}/${QUOTES}`,
      });
    const answers = await Promise.all([link(), link()]);
    await stack.slack.until(() => answers.some(({ ephemerals }) => ephemerals.length > 0));
    const told = (await stack.slack.state('board')).filter(({ text }) =>
      text?.includes('linked this channel'),
    );
    expect(told).toHaveLength(1);
  });

  it.each([
    'office move/floor plans',
    '"Office move"/“Floor plans”',
    ` ${PROJECT} / Second floor`,
    `OFFICE MOVE/${QUOTES}`,
    `#${PROJECT}/${QUOTES}/`,
    'quotes',
  ])('links by name: %s', async (target) => {
    await linkChannel(stack, 'board', 67811600);
    const told = await linkChannel(stack, 'board', target);
    expect(told.text).toMatch(/now filed in Office move › (Floor plans|Second floor|Quotes)\./);
  });

  it('says that the files in the previous folder stay there', async () => {
    await linkChannel(stack, 'general', FLOOR_PLANS);
    const { text } = await linkChannel(stack, 'general', QUOTES);
    expect(text).toContain('Files already in Office move › Floor plans stay there.');
    await unlink('general');
  });

  it('changes nothing when the channel is already linked there', async () => {
    const shown = screen(await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'design'));
    expect(shown).toContain('is already linked to *Office move › Quotes*. Nothing has changed.');
  });

  it.each([
    ['12', 'I don’t recognize `12` as a folder'],
    ['https://elsewhere.example/12/345', 'isn’t an address in the file service’s account'],
    [`${PROJECT}/`, 'I don’t recognize'],
    ['/', 'I don’t recognize `/` as a folder'],
    [`${PROJECT}/999`, `There’s no folder \`${PROJECT}/999\``],
    ['999/999', 'There’s no folder `999/999`'],
    ['office move/nowhere', 'There’s no folder `office move/nowhere`'],
    ['nowhere/quotes', 'There’s no folder `nowhere/quotes`'],
    ['autumn campaign/posters', 'There’s more than one folder called `autumn campaign/posters`'],
    ['<!channel>/*x*', 'There’s no folder `<!channel>/*x*`'],
  ])('refuses %j and saves nothing', async (target, answer) => {
    const before = await standing('dm');
    const seen = await ada.types(`/files link ${target}`, 'general');
    expect(screen(seen)).toContain(answer);
    expect(await standing('general')).toContain('the default for channels without a link');
    expect(await standing('dm')).toBe(before);
  });

  it('refuses a folder whose files the service does not let it list', async () => {
    stack.service.faults.set({ mode: '403' }, { only: 'list' });
    const seen = await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'general');
    const cause = `doesn’t let me use the folder \`${PROJECT}/${QUOTES}\``;
    expect(screen(seen)).toContain(refusedFor(cause));
    expect(await standing('general')).toContain('the default for channels');
  });

  it('reports a failure of the service, and saves nothing', async () => {
    stack.service.faults.set({ mode: '503' }, { only: 'list' });
    const seen = await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'general');
    expect(screen(seen)).toContain('Nothing was linked: the file service is down.');
    stack.service.faults.clear();
    expect(await standing('general')).toContain('the default for channels');
  });

  it('refuses members without the right, and tells them whom to ask', async () => {
    const target = `${PROJECT}/${QUOTES}`;
    expect(screen(await ben.types(`/files link ${target}`))).toContain(
      `Ask one of them to type \`/files link ${target}\` here.`,
    );
    const dan = person(stack.slack, 'dan');
    expect(screen(await dan.types(`/files link ${target}`))).toContain(
      'People from other workspaces can’t do that.',
    );
    const unlinking = screen(await ben.types('/files unlink'));
    expect(unlinking).toContain('Nothing was changed. Only workspace admins can unlink a channel.');
    expect(unlinking).toContain('type /files unlink here');
    expect(await standing('general')).toContain('the default for channels');
  });

  it('treats an admin of another workspace as no admin here', async () => {
    stack.slack.setUser('dan', { is_admin: true });
    const dan = person(stack.slack, 'dan');
    expect(screen(await dan.types(`/files link ${PROJECT}/${QUOTES}`))).toContain(
      'People from other workspaces can’t do that',
    );
  });

  it.each([
    ['restricted_action', 'Slack refused my request'],
    [500, 'Slack can’t be reached'],
  ] as const)(
    'takes effect, and says so, when Slack answers the announcement with %s',
    async (error, why) => {
      stack.slack.fail('chat.postMessage', error);
      const shown = screen(await ada.types(`/files link ${PROJECT}/${QUOTES}`));
      expect(shown).toContain(
        'linked this channel: files shared here are filed in *Office move › Quotes*.',
      );
      expect(shown).toContain(`I couldn’t post here: ${why}. Please let people know.`);
      expect(await standing('general')).toContain('filed in *Office move › Quotes*.');
      stack.slack.fail('chat.postMessage', error);
      const gone = screen(await ada.types('/files unlink'));
      expect(gone).toContain('unlinked this channel from *Office move › Quotes*.');
      expect(gone).toContain('I couldn’t post here');
      expect(await standing('general')).toContain('the default for channels');
    },
  );

  it('works in a channel that the bot is not in, and says how to invite it', async () => {
    const shown = screen(await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'random'));
    expect(shown).toContain(
      'This channel is now linked to *Office move › Quotes*, but I’m not in it',
    );
    expect(shown).toContain('/invite @pigeonhole');
    expect(await standing('random')).toContain('filed in *Office move › Quotes*.');
    const again = screen(await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'random'));
    expect(again).toContain('/invite @pigeonhole');
    expect(screen(await ada.types('/files unlink', 'random'))).toContain('unlinked');
  });

  it('is announced in the channel once the bot joins', async () => {
    const { ids } = stack.slack;
    await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'random');
    const { text } = await announced(stack, 'random', () =>
      stack.slack.as('ada', 'conversations.invite', {
        channel: ids.channels['random'],
        users: ids.bot,
      }),
    );
    expect(text).toContain('Files shared here are filed in Office move › Quotes');
    expect(text).toContain(`<@${ids.users['ada']}> linked this channel`);
  });
});

describe('/files unlink', () => {
  it('changes nothing if more words follow, which may name another channel', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    expect(screen(await ada.types('/files unlink #random', 'design'))).toContain(
      'Nothing was changed. `/files unlink` unlinks the channel or conversation that you type it in',
    );
    expect(screen(await ada.types('/files help', 'design'))).toContain('Floor plans');
    await unlink('design');
  });

  it('announces in the channel what stops and what stays', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const told = await unlink('design');
    expect(told.text).toContain('unlinked this channel from Office move › Floor plans');
    expect(told.text).toContain('now go to the default folder, Office move › All files.');
    expect(told.text).toContain('Files already in Office move › Floor plans stay there.');
    expect(screen(await ada.types('/files unlink', 'design'))).toContain(
      'This channel isn’t linked',
    );
  });
});

describe('a channel whose id changes as it is shared with another workspace', () => {
  it('keeps its link', async () => {
    const { slack, service } = stack;
    const { design: from, general: to } = slack.ids.channels;
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const changed = { old_channel_id: from, new_channel_id: to, event_ts: '1700000000.000100' };
    await slack.sendEvent({ type: 'channel_id_changed', ...changed });
    const files = [{ name: 'plan.txt', bytes: 'plan' }];
    await settledShare(slack, await slack.share({ channel: 'general', user: 'ben', files }));
    expect(service.store.files(FLOOR_PLANS).map(({ name }) => name)).toContain('plan.txt');
    expect(await standing('general')).toContain('filed in *Office move › Floor plans*.');
    expect(await standing('design')).toContain('Office move › All files');
  });
});

describe('an API key with limited access', () => {
  it('cannot link a folder that it may not see', async () => {
    const env = { ...WITHOUT_DEFAULT, FILES_API_KEY: LIMITED_API_KEY };
    const limited = await startStack({ env });
    const admin = person(limited.slack, 'ada');
    const shown = screen(await admin.types(`/files link ${PROJECT}/${QUOTES}`));
    const cause = `doesn’t let me use the folder \`${PROJECT}/${QUOTES}\``;
    expect(shown).toContain(refusedFor(cause));
    expect(screen(await admin.types('/files'))).toContain('This channel isn’t linked to a folder');
    await limited.stop();
  });
});

function unlink(channel: string) {
  const command = { command: '/files', text: 'unlink', user: 'ada', channel };
  return announced(stack, channel, () => stack.slack.command(command));
}

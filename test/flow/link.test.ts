import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  defaultSeed,
  LIMITED_API_KEY,
  type Seed,
} from '../../src/playground/file-service/index.ts';
import { FLOOR_PLANS, PROJECT, QUOTES, WITHOUT_DEFAULT } from '../support/app-settings.ts';
import { type Person, person, placeOfButton, screen, unlink } from '../support/person.ts';
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
    expect(await standing('design')).toContain('shared here in *Office move › Quotes*.');
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
    expect(told.text).toMatch(
      /now filed in Office move › (Floor plans|Floor plans › Second floor|Quotes)\./,
    );
  });

  it('says that the files in the previous folder stay there', async () => {
    await linkChannel(stack, 'general', FLOOR_PLANS);
    const { text } = await linkChannel(stack, 'general', QUOTES);
    expect(text).toContain('Files already in Office move › Floor plans stay there.');
    await unlinked('general');
  });

  it('changes nothing when the channel is already linked there', async () => {
    const shown = screen(await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'design'));
    expect(shown).toContain('is already linked to *Office move › Quotes*.');
  });

  it.each([
    ['12', '`12` isn’t a folder'],
    ['https://elsewhere.example/12/345', 'isn’t a folder’s address in the file service'],
    [`${PROJECT}/`, 'isn’t a folder'],
    ['/', '`/` isn’t a folder'],
    [`${PROJECT}/999`, `There’s no folder \`${PROJECT}/999\``],
    ['999/999', 'There’s no folder `999/999`'],
    ['office move/nowhere', 'There’s no folder `office move/nowhere`'],
    ['nowhere/quotes', 'There’s no folder `nowhere/quotes`'],
    ['autumn campaign/posters', 'There’s more than one folder `autumn campaign/posters`'],
    ['<!channel>/*x*', 'There’s no folder `<!channel>/*x*`'],
  ])('refuses %j and saves nothing', async (target, answer) => {
    const before = await standing('dm');
    const seen = await ada.types(`/files link ${target}`, 'general');
    expect(screen(seen)).toContain(answer);
    expect(await standing('general')).toContain('like those of all channels');
    expect(await standing('dm')).toBe(before);
  });

  it.each([
    ['qoutes', 'Office move/Quotes'],
    ['Office move/Flor plans', 'Office move/Floor plans'],
  ])('asks whether another folder than %j was meant', async (typed, nearest) => {
    const answer = screen(await ada.types(`/files link ${typed}`));
    expect(answer).toContain(`Did you mean \`${nearest}\`?`);
    expect(await standing('general')).toContain('like those of all channels');
  });

  it('refuses a folder whose files the service does not let it list', async () => {
    stack.service.faults.set({ mode: '403' }, { only: 'list' });
    const seen = await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'general');
    const cause = 'doesn’t let me into the folder *Office move › Quotes*';
    expect(screen(seen)).toContain(refusedFor(cause));
    expect(await standing('general')).toContain('like those of all channels');
  });

  it('reports a failure of the service, and saves nothing', async () => {
    stack.service.faults.set({ mode: '503' }, { only: 'list' });
    const seen = await ada.types(`/files link ${PROJECT}/${QUOTES}`, 'general');
    expect(screen(seen)).toContain('Nothing was linked: the file service is down.');
    stack.service.faults.clear();
    expect(await standing('general')).toContain('like those of all channels');
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
    expect(unlinking).toContain('Only workspace admins can unlink a channel. Ask one of them.');
    expect(await standing('general')).toContain('like those of all channels');
  });

  it('treats an admin of another workspace as no admin here', async () => {
    stack.slack.setUser('dan', { is_admin: true });
    const dan = person(stack.slack, 'dan');
    expect(screen(await dan.types(`/files link ${PROJECT}/${QUOTES}`))).toContain(
      'People from other workspaces can’t do that',
    );
  });

  it.each(['restricted_action', 500] as const)(
    'takes effect, and says so, when Slack answers the announcement with %s',
    async (error) => {
      stack.slack.fail('chat.postMessage', error);
      const shown = screen(await ada.types(`/files link ${PROJECT}/${QUOTES}`));
      expect(shown).toContain(
        'linked this channel: files shared here are filed in *Office move › Quotes*.',
      );
      expect(shown).toContain('I couldn’t post this here. Please let people know.');
      expect(await standing('general')).toContain('shared here in *Office move › Quotes*.');
      stack.slack.fail('chat.postMessage', error);
      const asked = await ada.types('/files unlink');
      const gone = screen(await ada.presses(asked, 'Unlink this channel'));
      expect(gone).toContain('unlinked this channel from *Office move › Quotes*.');
      expect(gone).toContain('I couldn’t post this here.');
      expect(await standing('general')).toContain('like those of all channels');
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
    const asked = await ada.types('/files unlink', 'random');
    expect(screen(await ada.presses(asked, 'Unlink this channel'))).toContain('unlinked');
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
      'Type `/files unlink` in the channel that it’s for, without further words.',
    );
    expect(screen(await ada.types('/files help', 'design'))).toContain('Floor plans');
    await unlinked('design');
  });

  it('asks before, says what stops and what stays, and changes nothing if the answer is no', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const asked = await ada.types('/files unlink', 'design');
    expect(screen(asked)).toContain(
      'Unlink this channel? New files will go to the default folder, *Office move › All files*. Those in *Office move › Floor plans* stay there.',
    );
    expect(screen(await ada.presses(asked, 'Keep the folder'))).toContain('Nothing has changed.');
    expect(await standing('design')).toContain('Floor plans');
    await unlinked('design');
  });

  it('asks again if the channel has another folder by then', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const asked = await ada.types('/files unlink', 'design');
    await linkChannel(stack, 'design', QUOTES);
    const again = await ada.presses(asked, 'Unlink this channel');
    expect(screen(again)).toContain('Those in *Office move › Quotes* stay there.');
    expect(await standing('design')).toContain('Quotes');
    await unlinked('design');
  });

  it('can be undone, with the settings of before', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const on = { command: '/files', text: 'announce on', user: 'ada', channel: 'design' };
    await announced(stack, 'design', () => stack.slack.command(on));
    const asked = await ada.types('/files unlink', 'design');
    const done = await ada.presses(asked, 'Unlink this channel');
    expect(screen(done)).toContain('is unlinked from *Office move › Floor plans*.');
    const told = await announced(stack, 'design', () =>
      stack.slack.press({
        ...{ ephemeral: done, user: 'ada' },
        ...placeOfButton(done, 'Undo: link it again'),
      }),
    );
    expect(told.text).toContain('files shared here are filed in Office move › Floor plans.');
    expect(told.text).toContain('I’ll also post here when others add files to it');
    await unlinked('design');
  });

  it('is undone by nobody who may not link, nor over a folder that was chosen since', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const asked = await ada.types('/files unlink', 'design');
    const done = await ada.presses(asked, 'Unlink this channel');
    expect(screen(await ben.presses(structuredClone(done), 'Undo: link it again'))).toContain(
      'Only workspace admins can choose a channel’s folder',
    );
    await linkChannel(stack, 'design', QUOTES);
    expect(screen(await ada.presses(done, 'Undo: link it again'))).toContain('out of date');
    expect(await standing('design')).toContain('Quotes');
    await unlinked('design');
  });

  it('announces in the channel what stops and what stays', async () => {
    await linkChannel(stack, 'design', FLOOR_PLANS);
    const told = await unlinked('design');
    expect(told.text).toContain('unlinked this channel from Office move › Floor plans');
    expect(told.text).toContain('now go to the default folder, Office move › All files.');
    expect(told.text).toContain('Files already in Office move › Floor plans stay there.');
    expect(screen(await ada.types('/files unlink', 'design'))).toContain(
      'This channel has no folder to unlink.',
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
    expect(await standing('general')).toContain('shared here in *Office move › Floor plans*.');
    expect(await standing('design')).toContain('Office move › All files');
  });
});

describe('an API key with limited access', () => {
  it('cannot link a folder that it may not see', async () => {
    const env = { ...WITHOUT_DEFAULT, FILES_API_KEY: LIMITED_API_KEY };
    const limited = await startStack({ env });
    const admin = person(limited.slack, 'ada');
    const shown = screen(await admin.types(`/files link ${PROJECT}/${QUOTES}`));
    const cause = `doesn’t let me into the folder \`${PROJECT}/${QUOTES}\``;
    expect(shown).toContain(refusedFor(cause));
    expect(screen(await admin.types('/files'))).toContain('This channel has no folder yet');
    await limited.stop();
  });
});

function unlinked(channel: string) {
  return announced(stack, channel, () => unlink(stack.slack, 'ada', channel));
}

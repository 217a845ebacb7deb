import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { person, screen } from '../support/person.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

const say = (channel: string, text: string, threadTs?: string) =>
  stack.slack.say({ channel, user: 'ben', text, ...(threadTs ? { threadTs } : {}) });
const helped = (channel: string) =>
  stack.slack.until(() =>
    stack.slack.ephemerals('ben', channel).find(({ text }) => /newest first/.test(String(text))),
  );
const app = () => `<@${stack.slack.ids.bot}>`;

describe('help', () => {
  it.each(['hello', 'help', 'What do you do?'])('answers %j in a direct message', async (text) => {
    const said = await say('dm', text);
    const answer = await stack.slack.until(async () =>
      (await stack.slack.state('dm')).find(
        (one) => Number(one.ts) > Number(said.ts) && /newest first/.test(one.text ?? ''),
      ),
    );
    expect(answer.text).toContain('/files help');
    expect(answer.text).not.toContain('/files link');
  });

  it('answers a mention, visible only to its writer', async () => {
    await say('general', 'The plans are ready.');
    await say('general', `${app()} hello`);
    expect(screen(await helped('general'))).toContain('/folders');
    // One answer, to the later message: the earlier one had none.
    expect(stack.slack.ephemerals('ben', 'general')).toHaveLength(1);
    expect(stack.slack.ephemerals('ada', 'general')).toEqual([]);
  });

  it('says so, with a reference, when it cannot answer a mention', async () => {
    const { slack } = stack;
    const parent = await slack.say({ channel: 'general', user: 'ada', text: 'And now?' });
    slack.fail('users.info', 'fatal_error', 1);
    const mention = { channel: 'general', user: 'ada', text: `${app()} help` };
    await slack.say({ ...mention, threadTs: parent.ts });
    const said = await slack.until(() => slack.ephemerals('ada', 'general')[0]);
    expect(screen(said)).toMatch(/^text: I couldn’t answer: .*\nFor your admin: \w{8}/);
    expect(said.threadTs).toBe(parent.ts);
  });

  it('says in a thread that commands must be typed elsewhere', async () => {
    const parent = await say('design', 'The plans?');
    await say('design', `${app()} help`, parent.ts);
    expect(screen(await helped('design'))).toContain('Slack takes no commands in a thread');
  });

  it('answers a mention in a reply that is also shown in the channel', async () => {
    const { slack } = stack;
    const parent = await say('design', 'And the plans?');
    const { channel } = parent;
    const message = { channel, ts: `${Number(parent.ts) + 1}.000100`, thread_ts: parent.ts };
    const user = slack.ids.users['cleo'];
    const said = { type: 'message', subtype: 'thread_broadcast', user, text: `${app()} help` };
    await slack.sendEvent({ ...said, ...message, event_ts: message.ts });
    const answer = await slack.until(() => slack.ephemerals('cleo')[0]);
    expect(screen(answer)).toContain('/folders');
  });

  it.each(['/files', '/files help'])(
    '%s does not promise to file in a channel that the app is not in',
    async (command) => {
      const { slack } = stack;
      const user = slack.ids.bot;
      await slack.as('ada', 'conversations.kick', { channel: slack.ids.channels['random'], user });
      const seen = screen(await person(slack, 'ada').types(command, 'random'));
      await slack.as('ada', 'conversations.invite', {
        channel: slack.ids.channels['random'],
        users: user,
      });
      expect(seen).toContain('I’m not in this channel, so I can’t see its files.');
      expect(seen).toContain('`/invite @pigeonhole`');
      expect(seen).not.toMatch(/it’ll be filed here|I file what’s shared here/);
    },
  );

  it('answers /folders help, in any case, as it answers /files help', async () => {
    const ada = person(stack.slack, 'ada');
    const seen = screen(await ada.types('/files help'));
    expect(screen(await ada.types('/folders Help'))).toBe(seen);
  });

  it('shows each member the commands they may use', async () => {
    const seen = async (user: string) =>
      screen(await person(stack.slack, user).types('/files help'));
    expect(await seen('ada')).toContain('`/files link');
    expect(await seen('ben')).not.toContain('`/files link');
    expect(await seen('dan')).not.toContain('/folders');
  });
});

it.each([
  ['rename plan.pdf', 'I can’t rename or move files'],
  ['upload', 'I file what’s shared here in *Office move › All files*'],
  ['login', 'There’s nothing to sign in to'],
])('/files %s explains what to do instead', async (text, words) => {
  expect(screen(await person(stack.slack, 'ben').types(`/files ${text}`))).toContain(words);
});

it('/files link does not explain linking to members without the right', async () => {
  const ben = person(stack.slack, 'ben');
  expect(screen(await ben.types('/files link'))).toContain(
    'Only workspace admins can choose a channel’s folder',
  );
  expect(screen(await ben.types('/files link 12/345', 'dm'))).toContain(
    'Share files in a channel with a folder instead.',
  );
});

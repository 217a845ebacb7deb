import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Posted } from '../../src/playground/embedded-slack/index.ts';
import { FLOOR_PLANS, FOLDER, PROJECT } from '../support/app-settings.ts';
import { asksWhere, type Person, person, screen } from '../support/person.ts';
import { lineOf, linkChannel, settledShare } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const addressOf = (folder: number) => `https://depot.example/p/${PROJECT}/f/${folder}`;

/*
 * An account whose service has a name, FILES_NAME, and whose folders have an address of their own,
 * FILES_FOLDER_URL.
 */

let stack: Stack;
let ada: Person;
beforeAll(async () => {
  stack = await startStack({
    env: {
      FILES_NAME: 'the Depot',
      FILES_FOLDER_URL: 'https://depot.example/p/{project}/f/{folder}',
    },
  });
  ada = person(stack.slack, 'ada');
});
afterAll(() => stack.stop());
beforeEach(() => stack.service.faults.clear());

const share = (name: string, channel = 'general'): Promise<Posted> =>
  stack.slack.share({ channel, user: 'ben', files: [{ name, bytes: name }] });

describe('folders with an address', () => {
  it.each([
    ['general', 'All files', FOLDER],
    ['design', 'Floor plans', FLOOR_PLANS],
  ])('are links wherever they are named (#%s)', async (channel, name, folder) => {
    if (folder !== FOLDER) {
      const said = await linkChannel(stack, channel, folder);
      expect(screen(said)).toContain(addressOf(folder));
    }
    const posted = await share(`${name}.txt`, channel);
    await settledShare(stack.slack, posted);
    const link = `[Office move › ${name} → ${addressOf(folder)}]`;
    expect(await asksWhere(stack.slack, 'ben', posted)).toContain(link);
    for (const command of ['/files', '/files help'])
      expect(screen(await ada.types(command, channel))).toContain(addressOf(folder));
    expect(screen(await ada.types('/folders', channel))).toContain(addressOf(FLOOR_PLANS));
  });
});

describe('a service with a name', () => {
  it('is called by it when it is away', async () => {
    await stack.restart();
    stack.service.faults.set({ mode: 'outage' });
    const posted = await share('waits.txt');
    await stack.slack.until(async () =>
      /the Depot can’t be reached/i.test(await asksWhere(stack.slack, 'ben', posted)),
    );
    expect(screen(await ada.types('/files'))).toContain('the Depot is down');
  });

  it('is called by it when it refuses a file', async () => {
    stack.service.faults.set({ mode: 'status', status: 409 }, { only: ['upload', 'create'] });
    const posted = await share('refused.txt');
    const { text } = await lineOf(stack.slack, posted, /^Couldn’t be filed: refused\.txt/);
    expect(text).toContain('the Depot');
  });

  it('is never called “the file service”', async () => {
    const said: string[] = [];
    for (const command of ['/files', '/files help', '/files status', '/folders'])
      said.push(screen(await ada.types(command)));
    await stack.slack.command({
      command: '/files',
      text: 'settings',
      user: 'ada',
      channel: 'design',
    });
    await stack.slack.until(() => stack.slack.views('ada').length > 0);
    said.push(JSON.stringify(await stack.slack.state('general')));
    said.push(JSON.stringify(stack.slack.views('ada')));
    expect(said.join('\n')).not.toMatch(/file service/i);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Option } from '../../src/surfaces/kit/layout.ts';
import { FOLDER_FIELD } from '../../src/surfaces/link/folder-form-view.ts';
import { FLOOR_PLANS } from '../support/app-settings.ts';
import { blockKitProblems, optionProblems } from '../support/block-kit-limits.ts';
import { FOLDERS, largeAccount, PROJECTS } from '../support/large-account.ts';
import { type Person, person, screen } from '../support/person.ts';
import { linkChannel } from '../support/slack-channel.ts';
import { SLOW_TEXTS } from '../support/slow-texts.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { watchLoop } from '../support/watch-loop.ts';

let stack: Stack;
let ada: Person;
beforeAll(async () => {
  stack = await startStack({ service: { seed: largeAccount() } });
  ada = person(stack.slack, 'ada');
  await linkChannel(stack, 'general', FLOOR_PLANS);
  // The lists are read and prepared, as they are after the first command of the day.
  expect(screen(await ada.types('/folders Project 1990'))).toContain('Folders of Project 1990');
  expect(screen(await ada.types('/folders'))).toContain('10,0');
});
afterAll(() => stack.stop());

/** Each command with what its answer says to a text that is far too long. */
const COMMANDS: [command: string, says: RegExp][] = [
  ['/files ', /No matches for|files with “/],
  ['/files list ', /No matches for|files with “/],
  ['/files find ', /No matches for|Files with “/],
  ['/files link ', /That’s too long/],
  ['/files link Office move/', /That’s too long/],
  ['/files unlink ', /without further words/],
  ['/files announce ', /I don’t know/],
  ['/files status ', /I don’t know/],
  ['/files help ', /\/files <words>/],
  ['/files delete ', /No matches for|files with “/],
  ['/files login ', /sign in/],
  ['/folders ', /I don’t know the project/],
];
const stalls: { what: string; longestStallMs: number; longestWorkMs: number }[] = [];
afterAll(() => {
  const [most] = stalls.toSorted((a, b) => b.longestWorkMs - a.longestWorkMs);
  console.log(`${PROJECTS} projects, ${FOLDERS} folders: the longest turn of the loop`, most);
});

async function watched<T>(what: string, work: () => Promise<T>): Promise<T> {
  const { value, longestStallMs, longestWorkMs } = await watchLoop(work);
  stalls.push({ what, longestStallMs, longestWorkMs });
  return value;
}

async function suggested(actionId: string, typed: string): Promise<readonly Option[]> {
  const view = stack.slack.views('ada').at(-1)?.id ?? '';
  const { body, failure } = await stack.slack.suggest({ view, user: 'ada', actionId, typed });
  expect(failure).toBeFalsy();
  return (body as { options: Option[] }).options;
}

describe.each(Object.entries(SLOW_TEXTS))('%s', (name, typed) => {
  it.each(COMMANDS)('after %s', async (command, says) => {
    const answer = await watched(`${command}with ${name}`, () => ada.types(`${command}${typed}`));
    expect(blockKitProblems(answer)).toEqual([]);
    expect(screen(answer)).toMatch(says);
  });
});

describe('the form’s search', () => {
  beforeAll(async () => {
    const { slack } = stack;
    await slack.command({ command: '/files', text: 'link', user: 'ada', channel: 'design' });
    await slack.until(() => slack.views('ada').at(-1)?.id);
  });

  it.each(Object.entries(SLOW_TEXTS))('%s', async (name, typed) => {
    for (const text of [typed, `Office move ${typed}`]) {
      const options = await watched(`a search for ${name}`, () => suggested(FOLDER_FIELD, text));
      expect(optionProblems(options)).toEqual([]);
    }
    const values = { [FOLDER_FIELD]: typed };
    const sent = await watched(`a choice of ${name}`, () =>
      stack.slack.submitView({ user: 'ada', values }),
    );
    expect(sent.errors).toEqual({ folder: 'Choose a folder.' });
  });
});

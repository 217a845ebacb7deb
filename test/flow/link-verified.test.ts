import axios, { type AxiosAdapter } from 'axios';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../src/http-server.ts';
import { getFile } from '../../src/slack/index.ts';
import { PROJECT, QUOTES } from '../support/app-settings.ts';
import { createMovableClock } from '../support/fake-clock.ts';
import { type Person, person, screen } from '../support/person.ts';
import { linkChannel } from '../support/slack-channel.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const NOWHERE = 67899999;
const FOLDERS = `/projects/${PROJECT}/folders`;

/** The responses of the account in place of the embedded service's, by path. */
let instead: Record<string, { status?: number; body: unknown }> = {};
const clock = createMovableClock();

const service: AxiosAdapter = async (config) => {
  const path = new URL(config.url ?? '').pathname.replace(/^.*\/api\/v3/, '');
  const answer = instead[path];
  if (answer === undefined) return axios.getAdapter('http')(config);
  const { status = 200, body } = answer;
  return { status, statusText: '', data: JSON.stringify(body), headers: {}, config };
};

let stack: Stack;
let ada: Person;
beforeAll(async () => {
  stack = await startStack({
    appOptions: {
      clock,
      network: { service, slack: fetch, files: getFile, listen },
    },
  });
  ada = person(stack.slack, 'ada');
});
afterAll(() => stack.stop());
beforeEach(() => {
  instead = {};
  forgetLists();
});

// Lists of the account are cached for ten minutes.
function forgetLists(): void {
  clock.skip(601_000);
}

const link = async (target: string) => screen(await ada.types(`/files link ${target}`, 'general'));
const emptyList = (projectId: number, folderId: number) => {
  instead[`/projects/${projectId}/folders/${folderId}/files`] = { body: [] };
};
const folder = { id: QUOTES, name: 'Quotes' };

describe('an account that returns its folders as one tree', () => {
  it.each([
    ['All files', 'All files'],
    ['', 'Top folder'],
  ])('lets its root folder, named %j, be linked as %s', async (name, shown) => {
    const children = [{ id: 1, name: 'Below', parent_id: QUOTES, children: [] }];
    await linkChannel(stack, 'board', 67811601);
    instead[FOLDERS] = { body: { id: QUOTES, name, parent_id: null, children } };
    forgetLists();
    const told = await linkChannel(stack, 'board', `${PROJECT}/${QUOTES}`);
    expect(told.text).toContain(`now filed in Office move › ${shown}.`);
  });

  it('has its folders shown with the root at the top', async () => {
    const children = [{ ...folder, children: [{ id: 1, name: 'R&amp;D', children: [] }] }];
    instead[FOLDERS] = { body: { id: 2, name: 'root', parent_id: null, children } };
    const shown = screen(await ada.types('/folders'));
    expect(shown).toMatch(/\| Top folder .*\n\| Quotes .*\n\| \u2003R&D /);
  });
});

describe('a missing folder, on an account that lists it as empty', () => {
  it('is refused when the account lists all its folders', async () => {
    emptyList(PROJECT, NOWHERE);
    expect(await link(`${PROJECT}/${NOWHERE}`)).toContain('There’s no folder');
  });

  it('is refused when its project is missing, though no folders are listed', async () => {
    emptyList(999, 999);
    instead['/projects/999/folders'] = { status: 403, body: {} };
    expect(await link('999/999')).toContain('There’s no folder `999/999`');
  });

  it('is refused when the account returns the folders of all its projects', async () => {
    emptyList(999, QUOTES);
    instead['/projects/999/folders'] = { body: [{ ...folder, project: { id: PROJECT } }] };
    expect(await link(`999/${QUOTES}`)).toContain('There’s no folder');
  });
});

describe('a folder typed by number, when the account cannot list its folders', () => {
  it.each([
    ['refuses the list', { status: 403, body: {} }],
    ['does not have the call', { status: 404, body: {} }],
    ['refuses it within a 200', { body: { success: false, code: 4711, message: 'no' } }],
    ['returns something else', { body: 17 }],
    ['returns an unreadable record', { body: [{ id: 1, name: 'Other' }, null] }],
  ])('is linked when the account %s', async (_what, answer) => {
    await linkChannel(stack, 'design', 67811601);
    instead[FOLDERS] = answer;
    const told = await linkChannel(stack, 'design', `${PROJECT}/${QUOTES}`);
    expect(told.text).toContain('linked this channel');
  });

  it('is not linked when its files may not be listed', async () => {
    instead[FOLDERS] = { status: 403, body: {} };
    instead[`/projects/${PROJECT}/folders/${QUOTES}/files`] = { status: 403, body: {} };
    expect(await link(`${PROJECT}/${QUOTES}`)).toContain('doesn’t let me into the folder');
  });
});

describe('names with HTML escapes', () => {
  it('are linked and shown unescaped', async () => {
    await linkChannel(stack, 'design', 67811601);
    instead['/projects'] = { body: [{ id: PROJECT, title: 'R&amp;D' }] };
    instead[FOLDERS] = { body: [{ ...folder, name: 'Q&amp;A', parent_id: 'root' }] };
    const told = await linkChannel(stack, 'design', 'r&d/q&a');
    expect(told.text).toContain('Q&amp;A');
    expect(told.text).not.toContain('&amp;amp;');
  });
});

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { may } from '../../src/core/index.ts';
import { DELETE_FILE } from '../../src/surfaces/delete/actions.ts';
import { FOLDER, PROJECT } from '../support/app-settings.ts';
import { person, placeOfButton, screen } from '../support/person.ts';
import { lineOf, linkChannel } from '../support/slack-channel.ts';
import {
  type ChannelFixture,
  forge,
  namesIn,
  nextEphemeralIn,
  type RightsFixture,
  responseTo,
  START_MS,
  setRole,
  startRightsFixture,
} from './rights-fixture.ts';
import { attempts } from './rights-operations.ts';
import {
  cells,
  OPERATIONS,
  operationNames,
  outcomeIn,
  PLACES,
  rightsTable,
} from './rights-table.ts';

/** One running app for all tests, because opening it takes longer than most of them. */
let fixture: RightsFixture;
let general: ChannelFixture;
beforeAll(async () => {
  fixture = await startRightsFixture();
  general = fixture.channels.default;
}, START_MS);
afterAll(() => fixture.stop());
beforeEach(() => {
  for (const user of ['ben', 'cleo']) setRole(general.stack, user, 'member');
});

const types = async (user: string, line: string, channel = 'general') =>
  screen(await person(general.stack.slack, user).types(line, channel));
const buttons = (shown: string) => shown.match(/Delete [^/]+…/g)?.length ?? 0;
const calls = () => general.stack.service.requests.list().length;

describe('a list', () => {
  it('offers Delete only to people who may delete', async () => {
    expect(buttons(await types('ben', '/files'))).toBe(5);
    expect(buttons(await types('ada', '/files'))).toBe(5);
    const shown = await types('cleo', '/files');
    expect(namesIn(shown)).toHaveLength(5);
    expect(buttons(shown)).toBe(0);
    setRole(general.stack, 'ben', 'guest');
    expect(buttons(await types('ben', '/files'))).toBe(0);
  });

  it.each(['guest', 'outsider'] as const)(
    'shows a %s the project of the channel’s folder, and no other projects or folders',
    async (role) => {
      setRole(general.stack, 'cleo', role);
      expect(await types('cleo', '/files')).toContain('# Office move › All files');
      for (const line of ['/files', '/files find', '/files help', '/files status', '/folders'])
        expect(await types('cleo', line)).not.toMatch(/Website relaunch|Floor plans/);
    },
  );

  it('that finds nothing here does not count files of other channels', async () => {
    const shown = await types('cleo', '/files direct-');
    expect(shown).toContain('No matches for `direct-` among 20 files.');
    expect(namesIn(shown)).toEqual([]);
  });

  it('of a channel that was linked to the default folder shows what was shared in it', async () => {
    await linkChannel(general.stack, 'board', FOLDER);
    const shown = await types('ada', '/files', 'board');
    expect(shown).toContain('20 files · page 1 of 4 · only files shared here');
    expect(namesIn(shown)).toHaveLength(5);
    expect(namesIn(shown).every((name) => name.startsWith('private-'))).toBe(true);
    await fixture.channels.private.ledger.removeLink(fixture.channels.private.ref);
  });

  it('does not count files of the default folder that could not be read', async () => {
    general.stack.service.faults.set({ mode: 'malformed' });
    const shown = await types('ada', '/files');
    general.stack.service.faults.clear();
    expect(namesIn(shown)).not.toEqual([]);
    expect(shown).not.toContain('couldn’t read');
  });

  it('of a channel that nobody shared in is empty, whatever the folder holds', async () => {
    expect(await types('ada', '/files', 'random')).toContain('| Nothing here yet.');
  });
});

describe('a Delete of a file that another channel shared', () => {
  it('does not reveal its name, not even to an admin', async () => {
    const files = general.stack.service.store.files(FOLDER);
    const file = files.find(({ name }) => name.startsWith('direct-'));
    const value = { p: PROJECT, f: FOLDER, id: file?.id, page: 1, q: null };
    const reaction = await forge(general, 'ada', { action: DELETE_FILE.id, value });
    const answer = await general.stack.slack.until(() => reaction.ephemerals.at(-1));
    expect(screen(answer)).toContain('It isn’t one of the files here.');
    expect(screen(answer)).not.toContain('direct-');
    expect(general.stack.service.store.files(FOLDER)).toContainEqual(file);
  });
});

describe('a person whose role Slack cannot report', () => {
  it.each(['/files', '/files help', '/folders', '/files link 23423235/67811603', '/files unlink'])(
    'gets nothing from %s but the advice to try again',
    async (line) => {
      for (const failure of ['internal_error', 'user_not_found', 500] as const) {
        const before = calls();
        general.stack.slack.fail('users.info', failure);
        const shown = await types('ada', line);
        expect(shown).toMatch(
          /Slack (refused my request|can’t be reached)\. Try again in a minute/,
        );
        expect(namesIn(shown)).toEqual([]);
        expect(calls()).toBe(before);
      }
    },
  );

  it('deletes nothing and retries nothing', async () => {
    const { slack, service } = general.stack;
    const file = service.store.files(FOLDER).find(({ name }) => name.startsWith('default-'));
    const value = { p: PROJECT, f: FOLDER, id: file?.id, page: 1, q: null };
    const before = calls();
    slack.fail('users.info', 'internal_error');
    const deleting = await forge(general, 'ada', { action: DELETE_FILE.id, value });
    expect(screen(await slack.until(() => deleting.ephemerals.at(-1)))).toContain('Try again');
    const [posted] = general.refused;
    if (!posted) throw new Error('Nothing was refused');
    const line = await lineOf(slack, posted, /^Couldn’t be filed/);
    const message = { channel: posted.channel, ts: line.ts };
    slack.fail('users.info', 'internal_error');
    const press = { message, user: 'ada', ...placeOfButton(line, 'Try again') };
    const next = nextEphemeralIn(general, 'ada', posted);
    await slack.press(press);
    expect(await responseTo(general, next)).toContain('Try again');
    expect(service.store.files(FOLDER)).toContainEqual(file);
    expect(calls()).toBe(before);
  });
});

it('docs/security.md has the table of rights that the tests use', async () => {
  const document = await readFile('docs/security.md', 'utf8');
  expect(document).toContain(rightsTable());
});

/** Announcements come last: the worker lists a folder some time after they were turned on. */
const inOrder = operationNames.toSorted(
  (a, b) => Number(a === 'announce') - Number(b === 'announce'),
);

/**
 * Tries each cell of the table, by a command or by a button that was never shown. Ben shared and
 * started everything; Cleo tries what needs another person.
 */
describe.each(inOrder)('%s', (operation) => {
  const own = cells.filter((cell) => cell.operation === operation);
  it.each(own.map((cell) => [cell.role, PLACES[cell.place].words, outcomeIn(cell), cell] as const))(
    '%s in %s: %s',
    async (role, _where, outcome, { place }) => {
      const channel = fixture.channels[place];
      const user =
        'whose' in OPERATIONS[operation] && OPERATIONS[operation].whose === 'other'
          ? 'cleo'
          : 'ben';
      setRole(channel.stack, user, role);
      const before = asked(channel).length;
      expect(await attempts[operation](channel, user)).toBe(outcome);
      if (operation !== 'announce' && !may({ userId: user, role }, 'see-channel'))
        expect(asked(channel).slice(before)).toEqual([]);
    },
  );
});

// Leaves out what the worker files meanwhile, which is not requested on behalf of a person.
function asked({ stack }: ChannelFixture) {
  return stack.service.requests
    .list()
    .filter(({ operation }) => operation !== 'upload' && operation !== 'create');
}

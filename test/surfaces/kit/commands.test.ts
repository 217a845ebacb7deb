import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import type { Role } from '../../../src/core/index.ts';
import { HELP_LINES, listenForPeople, VERBS } from '../../../src/surfaces/index.ts';
import { asFilter, readFilesText } from '../../../src/surfaces/kit/commands.ts';
import type { SurfaceContext } from '../../../src/surfaces/kit/surface-context.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { anyCharacter } from '../../support/odd-names.ts';
import { standInBolt } from '../../support/stand-in-bolt.ts';

/** Reads what was typed, with the name of the verb. */
function read(text: string) {
  const { verb, ...typed } = readFilesText(text, VERBS);
  return { verb: verb.name, ...typed };
}

const list = (rest: string) => ({ verb: 'list', rest });
const find = (rest: string) => ({ verb: 'find', rest });
const nearly = (rest: string, nearest: string) => ({ verb: 'list', rest, nearest });

describe('readFilesText', () => {
  it.each([
    ['', list('')],
    ['  ', list('')],
    ['invoice', list('invoice')],
    ['  Invoice  2025 ', list('Invoice  2025')],
    ['find', find('')],
    ['find help', find('help')],
    ['FIND  link x', find('link x')],
    ['help', { verb: 'help', rest: '' }],
    ['Help', { verb: 'help', rest: '' }],
    ['help desk.pdf', { verb: 'help', rest: 'desk.pdf' }],
    ['?', { verb: 'help', rest: '' }],
    ['--help', { verb: 'help', rest: '' }],
    ['rename x', { verb: 'rename', rest: 'x' }],
    ['move a b', { verb: 'rename', rest: 'a b' }],
    ['upload', { verb: 'upload', rest: '' }],
    ['add plan.pdf', { verb: 'upload', rest: 'plan.pdf' }],
    ['*.pdf', list('*.pdf')],
    ['link', { verb: 'link', rest: '' }],
    ['link 12/345', { verb: 'link', rest: '12/345' }],
    ['LINK Office move / Floor plans', { verb: 'link', rest: 'Office move / Floor plans' }],
    ['unlink', { verb: 'unlink', rest: '' }],
    ['unlink 12/345', { verb: 'unlink', rest: '12/345' }],
    ['announce', { verb: 'announce', rest: '' }],
    ['announce ON', { verb: 'announce', rest: 'ON' }],
    ['Announce off', { verb: 'announce', rest: 'off' }],
    ['announce constructor', { verb: 'announce', rest: 'constructor' }],
    ['anounce', nearly('anounce', 'announce')],
    ['anounce on', nearly('anounce on', 'announce on')],
    ['Anounce OFF', nearly('Anounce OFF', 'announce OFF')],
    ['anounce party.pdf', nearly('anounce party.pdf', 'announce party.pdf')],
    ['announcement.pdf', list('announcement.pdf')],
    ['lnik 12/345', nearly('lnik 12/345', 'link 12/345')],
    ['line drawing', nearly('line drawing', 'link drawing')],
    ['fnid', nearly('fnid', 'find')],
    ['final report', list('final report')],
    ['final', list('final')],
    ['Online', list('Online')],
    ['field notes', list('field notes')],
    ['status', { verb: 'status', rest: '' }],
    ['Status of it', { verb: 'status', rest: 'of it' }],
    ['sttaus', nearly('sttaus', 'status')],
    ['state plan', list('state plan')],
    ['state 3/4', list('state 3/4')],
    ['helpp', nearly('helpp', 'help')],
    ['unlnk', nearly('unlnk', 'unlink')],
    ['Line', nearly('Line', 'link')],
    ['stats', nearly('stats', 'status')],
    ['list line', list('line')],
    ['ls', list('')],
    ['list', list('')],
    ['list help', list('help')],
    ['dir', list('')],
    ['Search plan b', find('plan b')],
    ['grep b', find('b')],
    ['del plan.pdf', { verb: 'delete', rest: 'plan.pdf' }],
    ['signout', { verb: 'sign-in', rest: '' }],
    ['last', list('last')],
    ['rm plan.pdf', { verb: 'delete', rest: 'plan.pdf' }],
    ['delete', { verb: 'delete', rest: '' }],
    ['login', { verb: 'sign-in', rest: '' }],
    ['find login', find('login')],
    ['pdf', list('pdf')],
    ['<b> &amp;', list('<b> &amp;')],
    ['*x* <@U1>', list('*x* <@U1>')],
  ])('reads %j', (text, request) => {
    expect(read(text)).toEqual(request);
  });

  it.each([
    ['*.pdf', '.pdf'],
    ['plan *', 'plan'],
    ['2*3', '2*3'],
  ])('looks for %j as %j', (typed, words) => {
    expect(asFilter(typed)).toBe(words);
  });

  it('looks for at most 255 characters', () => {
    expect(asFilter('x'.repeat(5_000))).toBe('x'.repeat(255));
  });

  it('reads any text as one of its verbs', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 500 }), (text) => {
        const request = read(text);
        expect([
          'list',
          'find',
          'link',
          'unlink',
          'announce',
          'status',
          'help',
          'settings',
          'upload',
          'rename',
          'delete',
          'sign-in',
        ]).toContain(request.verb);
      }),
    );
  });
});

/** Runs a command in a channel without a folder; returns the texts of its answers. */
async function answersTo(
  name: string,
  text: string,
  {
    actorMs = 0,
    role = 'admin',
    isIn = true,
  }: { actorMs?: number; role?: Role; isIn?: boolean } = {},
): Promise<string[]> {
  const clock = createFakeClock();
  const workspace: Partial<SurfaceContext['workspace']> = {
    isClosedTo: async () => false,
    identity: { team: 'T1', botUserId: 'U0', botId: undefined },
    actor: async (userId) => {
      if (actorMs > 0) await clock.sleep(actorMs);
      return { userId, role };
    },
    openModal: async () => ({ id: 'V1' }),
    channelsOf: async () => [],
    isIn: async () => isIn,
    channelName: async () => null,
  };
  const ledger: Partial<SurfaceContext['ledger']> = {
    findLink: async () => null,
    listHolds: async () => [],
  };
  const context = {
    ...{ clock, workspace, ledger, logger: silentLogger, linkBy: 'admins', helpLines: HELP_LINES },
    findDestination: async () => null,
    inBackground: (work: Promise<unknown>) => void work.catch(() => undefined),
  } as Partial<SurfaceContext> as SurfaceContext;
  const commands = new Map<string, (given: object) => Promise<void>>();
  const app = { command: (name: string, run: never) => void commands.set(name, run) };
  listenForPeople(standInBolt(app), context);
  const said: string[] = [];
  const typed = { channel_id: 'C1', user_id: 'U7', team_id: 'T1', trigger_id: 't', text };
  const answered = commands.get(name)?.({
    ack: async () => undefined,
    respond: async ({ text }: { text: string }) => void said.push(text),
    command: typed,
  });
  await clock.advance(0);
  await clock.advance(actorMs);
  await answered;
  return said;
}

it('/files link that is slow to open its form asks for a folder in it, and does not call it done', async () => {
  expect(await answersTo('/files', 'link', { actorMs: 1_001 })).toEqual([
    'This takes a moment. The answer comes in a new message.',
    'Choose a folder in the form.',
  ]);
});

it.each([
  ['offf', 'off'],
  ['On please', 'on'],
  ['constructor', 'on'],
])('/files announce %s is not understood, and suggests %s', async (typed, nearest) => {
  expect(await answersTo('/files', `announce ${typed}`)).toEqual([
    expect.stringContaining(
      `I don’t know announce ${typed}. Did you mean /files announce ${nearest}?`,
    ),
  ]);
});

it('/files status with further words is not understood, and suggests it without them, or a list', async () => {
  expect(await answersTo('/files', 'Status report.pdf')).toEqual([
    expect.stringMatching(
      /^I don’t know status report\.pdf\. Did you mean \/files status\? Or find files with \/files find status report\.pdf\.$/m,
    ),
  ]);
});

it.each([
  ['guest', 'You can’t delete plan.pdf. Guests can’t. Ask a workspace admin.'],
  ['outsider', 'You can’t delete plan.pdf. People from other workspaces can’t do that.'],
] as const)('/files delete promises no Delete to who may not delete: %s', async (role, answer) => {
  expect(await answersTo('/files', 'delete plan.pdf', { role })).toEqual([
    expect.stringContaining(answer),
  ]);
});

it.each([
  ['?', /^This channel has no folder yet\..*^\/files help – all commands/ms],
  ['--help', /^This channel has no folder yet\..*^\/files help – all commands/ms],
  ['rename x', /^I can’t rename or move files\./],
  ['upload', /^This channel has no folder yet\. A workspace admin can choose one/],
])('/files %s is answered, to a guest', async (typed, answer) => {
  const answers = await answersTo('/files', typed, { role: 'guest' });
  expect(answers).toEqual([expect.stringMatching(answer)]);
  expect(answers.join()).not.toMatch(/Save files|I’ll file it/);
});

it('/files with almost a command says in a channel without a folder, too, which may be meant', async () => {
  const answers = await answersTo('/files', 'helpp');
  expect(answers).toEqual([
    expect.stringMatching(/no folder yet.*\nDid you mean \/files help\?$/s),
  ]);
});

it.each(['', 'help'])(
  '/files %s says how to bring in the app in a channel without it and without a folder',
  async (text) => {
    expect(await answersTo('/files', text, { isIn: false })).toEqual([
      expect.stringMatching(/\/invite @pigeonhole.*no folder|no folder yet.*\/invite @pigeonhole/s),
    ]);
    expect(await answersTo('/files', text)).toEqual([expect.not.stringContaining('/invite')]);
  },
);

it('/files announce alone asks for nothing to be changed', async () => {
  expect(await answersTo('/files', 'announce')).toEqual([expect.not.stringContaining('Did you')]);
});

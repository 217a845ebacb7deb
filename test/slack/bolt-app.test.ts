import { expect, it } from 'vitest';
import { isForInstallation } from '../../src/slack/bolt-app.ts';

const IDENTITY = { team: 'T1', botUserId: 'UBOT', botId: 'BBOT', appId: 'A1' };
const event = { type: 'event_callback', api_app_id: 'A1', event: {} };

it.each([
  ['an event of ours', { ...event, team_id: 'T1' }, true],
  ['one of another workspace', { ...event, team_id: 'T2' }, false],
  ['one of another app', { ...event, team_id: 'T1', api_app_id: 'A2' }, false],
  [
    'by somebody of a partner, told to us',
    { ...event, team_id: 'T2', context_team_id: 'T1' },
    true,
  ],
  [
    'by somebody of a partner, authorised for us',
    { ...event, team_id: 'T2', authorizations: [{ team_id: 'T1' }] },
    true,
  ],
  [
    'by somebody of ours, told to a partner alone',
    { ...event, team_id: 'T1', context_team_id: 'T2', authorizations: [{ team_id: 'T2' }] },
    false,
  ],
  [
    'of an organisation',
    { ...event, team_id: 'E1', context_team_id: 'E1', authorizations: [{ team_id: 'T1' }] },
    true,
  ],
  [
    'with authorizations that are none',
    { ...event, team_id: 'T1', authorizations: [null, 7] },
    true,
  ],
  ['a command of ours', { team_id: 'T1', command: '/files' }, true],
  ['a command of another workspace', { team_id: 'T2', command: '/files' }, false],
  ['a press of ours', { team: { id: 'T1' }, user: { team_id: 'T1' } }, true],
  ['a press of another workspace', { team: { id: 'T2' }, user: { team_id: 'T2' } }, false],
  ['a press of ours in an organisation', { team: null, user: { team_id: 'T1' } }, true],
  [
    'a press by somebody of a partner on a message of ours',
    { team: { id: 'T2' }, user: { team_id: 'T2' }, message: { user: 'UBOT' } },
    true,
  ],
  [
    'the same of another app that has taken our bot’s name',
    { team: { id: 'T2' }, message: { user: 'UBOT' }, api_app_id: 'A2' },
    false,
  ],
  ['a form of ours', { team: { id: 'E1' }, view: { app_installed_team_id: 'T1' } }, true],
  ['what names nobody', { type: 'something new' }, true],
])('%s', (_what, body, expected) => {
  expect(isForInstallation(body, IDENTITY)).toBe(expected);
});

it('goes by the workspace alone where the app’s identifier is not known', () => {
  const identity = { ...IDENTITY, appId: undefined };
  expect(isForInstallation({ api_app_id: 'A2', team_id: 'T1' }, identity)).toBe(true);
  expect(isForInstallation({ api_app_id: 'A2', team_id: 'T2' }, identity)).toBe(false);
});

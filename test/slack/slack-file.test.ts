import { describe, expect, it } from 'vitest';
import { assessFile, SlackFileError, type SlackFileErrorCode } from '../../src/slack/slack-file.ts';
import { sharedFile } from '../support/shares.ts';

describe('assessFile', () => {
  it.each(['hosted', 'snippet', 'post', null])('returns “ready” for a file of mode %j', (mode) => {
    expect(assessFile(sharedFile({ mode }))).toBe('ready');
  });

  it.each([
    ['has no address', { url: null }],
    ['is a stub', { mode: 'file_access', fileAccess: 'check_file_info', url: null }],
    ['may not be visible', { fileAccess: 'check_file_info' }],
  ])('returns “ask” for a file that %s', (_what, fields) => {
    expect(assessFile(sharedFile(fields))).toBe('ask');
  });

  it.each([
    ['SLACK_FILE_EXTERNAL', { mode: 'external' }],
    ['SLACK_FILE_EXTERNAL', { isExternal: true }],
    ['SLACK_FILE_DELETED', { mode: 'tombstone' }],
    ['SLACK_FILE_DELETED', { fileAccess: 'file_not_found' }],
    ['SLACK_FILE_HIDDEN', { mode: 'hidden_by_limit' }],
    ['SLACK_FILE_DENIED', { fileAccess: 'access_denied' }],
    ['SLACK_FILE_EMAIL', { mode: 'email' }],
    ['SLACK_FILE_UNSUPPORTED', { mode: 'canvas' }],
    ['SLACK_FILE_UNSUPPORTED', { mode: 'list' }],
    ['SLACK_FILE_UNSUPPORTED', { mode: 'what may come' }],
  ])('returns %s, never to be retried, for %j', (code, fields) => {
    expect(assessFile(sharedFile(fields))).toMatchObject({ code, retry: 'never' });
  });
});

it.each<[SlackFileErrorCode, 'later' | 'never']>([
  ['SLACK_FILE_UNAVAILABLE', 'later'],
  ['SLACK_FILE_NOT_FOUND', 'later'],
  ['SLACK_FILE_SIZE_MISMATCH', 'later'],
  ['SLACK_FILE_DENIED', 'never'],
  ['SLACK_FILE_DELETED', 'never'],
  ['SLACK_FILE_FOREIGN_HOST', 'never'],
])('a file that fails with %s is retried: %s', (code, retry) => {
  expect(new SlackFileError(code, 'why').retry).toBe(retry);
});

import { describe, expect, it } from 'vitest';
import { judgeHost } from '../../src/slack/file-hosts.ts';

const SLACK = 'https://slack.com/api/';
const OWN = 'http://127.0.0.1:4000/api/';

const judge = (url: string, api = SLACK) => judgeHost(new URL(url), api);

describe('judgeHost', () => {
  it.each([
    'https://files.slack.com/files-pri/T1-F1/download/a.pdf',
    'https://files-origin.slack.com/files-pri/T1-F1/a.pdf',
  ])('sends the token to %s', (url) => {
    expect(judge(url)).toBe('send-token');
  });

  it('sends none to Slack’s edge, whose addresses are signed', () => {
    expect(judge('https://a.slack-edge.com/x')).toBe('no-token');
  });

  it.each([
    'https://acme.slack.com/?redir=%2Ffiles',
    'https://slack.com/signin',
    'https://files.slack.com:8443/a',
  ])('takes %s for a sign-in page', (url) => {
    expect(judge(url)).toBe('sign-in');
  });

  it.each([
    'http://files.slack.com/a',
    'https://files.slack.com.evil.example/a',
    'https://evil-files.slack.com.example/a',
    'https://slack-edge.com.example/a',
    'https://evilslack-edge.com/a',
    'https://drive.example.com/a',
    'https://files.slack.com@evil.example/a',
    'http://127.0.0.1:4000/a',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'data:text/plain,x',
  ])('does not go to %s', (url) => {
    expect(judge(url)).toBe('foreign');
  });

  it('sends the token to the origin of a Web API that is not Slack’s own, and no further', () => {
    expect(judge('http://127.0.0.1:4000/files-pri/a', OWN)).toBe('send-token');
    expect(judge('http://127.0.0.1:4000/?redir=/files-pri/a', OWN)).toBe('sign-in');
    expect(judge('http://127.0.0.1:4001/files-pri/a', OWN)).toBe('foreign');
    expect(judge('http://localhost:4000/files-pri/a', OWN)).toBe('foreign');
  });
});

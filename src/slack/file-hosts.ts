/** Hosts of Slack's that hand files out and need the bot's token (Slack's file object, "Authentication"). */
const FILE_HOSTS = new Set(['files.slack.com', 'files-origin.slack.com']);
const SLACK_API_HOST = 'slack.com';

/** What may be done with an address that a download leads to. */
export type HostRule = 'send-token' | 'no-token' | 'sign-in' | 'foreign';

/**
 * Judges the address of a download or of a redirect of it. The token goes to Slack's two file hosts
 * alone, and, when the Web API's address is not Slack's own, to that one's origin. Addresses on
 * Slack's edge network are signed and need none.
 */
export function judgeHost(url: URL, slackApiUrl: string): HostRule {
  const api = new URL(slackApiUrl);
  if (api.hostname !== SLACK_API_HOST && url.origin === api.origin)
    return isSignIn(url) ? 'sign-in' : 'send-token';
  if (url.protocol !== 'https:') return 'foreign';
  if (FILE_HOSTS.has(url.hostname) && url.port === '') return 'send-token';
  if (url.hostname.endsWith('.slack-edge.com')) return 'no-token';
  if (url.hostname === SLACK_API_HOST || url.hostname.endsWith('.slack.com')) return 'sign-in';
  return 'foreign';
}

function isSignIn(url: URL): boolean {
  return url.searchParams.has('redir') || url.pathname.startsWith('/signin');
}

import { SlackClient, startProblem, type WebClientOptions, webClientOptions } from './web-api.ts';

/**
 * Resolves if Slack accepts the app-level token for Socket Mode. Asks for the address of a connection
 * and opens none, so that no event comes here (https://docs.slack.dev/reference/methods/apps.connections.open).
 * Rejects with CONFIG_INVALID, whose message says what to do.
 */
export async function checkAppToken(appToken: string, options: WebClientOptions): Promise<void> {
  const client = new SlackClient(appToken, webClientOptions(options));
  await client.apps.connections.open().catch((error: unknown) => {
    throw startProblem('SLACK_APP_TOKEN', error);
  });
}

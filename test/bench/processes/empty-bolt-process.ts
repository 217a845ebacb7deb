import type { Server } from 'node:http';
import { App } from '@slack/bolt';
import type { AppCalls, AppStart } from './app-start.ts';
import { measuredCalls } from './measured.ts';
import { serveCalls } from './serve-calls.ts';

// Bolt with one listener that does nothing: the lowest possible cost of a response to Slack.
async function start({ botToken, signingSecret, slackApiUrl }: AppStart): Promise<number> {
  const app = new App({ token: botToken, signingSecret, clientOptions: { slackApiUrl } });
  app.message(async () => undefined);
  const server = (await app.start(0)) as Server;
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

serveCalls<AppCalls>({ start, ...measuredCalls() });

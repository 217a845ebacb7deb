import { App } from '@slack/bolt';
import { portOf, serveApp } from './measured-app.ts';

// Bolt with one listener that does nothing: the lowest possible cost of a response to Slack.
serveApp(async ({ slack: { botToken: token, signingSecret, apiUrl: slackApiUrl } }) => {
  const app = new App({ token, signingSecret, clientOptions: { slackApiUrl } });
  app.message(async () => undefined);
  return portOf(await app.start(0));
});

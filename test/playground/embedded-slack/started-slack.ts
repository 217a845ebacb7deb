import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { onTestFinished } from 'vitest';
import {
  type EmbeddedSlack,
  type EmbeddedSlackOptions,
  type Json,
  startEmbeddedSlack,
} from '../../../src/playground/embedded-slack/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Starts a Slack that stops with the test. */
export async function startedSlack(
  options: Partial<EmbeddedSlackOptions> = {},
): Promise<EmbeddedSlack> {
  const dataDir = temporaryFolder();
  const slack = await startEmbeddedSlack({ dataDir, retryDelaysMs: [0, 5, 10], ...options });
  onTestFinished(() => slack.stop());
  return slack;
}

/** Connects a Bolt app to the Slack over HTTP; `prepare` adds its listeners. */
export async function connectedApp(
  slack: EmbeddedSlack,
  prepare: (app: App) => void,
  options: { processBeforeResponse?: boolean } = {},
): Promise<App> {
  const receiver = new HTTPReceiver({
    signingSecret: slack.signingSecret,
    logLevel: LogLevel.ERROR,
    unhandledRequestTimeoutMillis: 1000,
    ...options,
  });
  const app = new App({
    token: slack.botToken,
    receiver,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } },
    deferInitialization: true,
    ...options,
  });
  await app.init();
  prepare(app);
  const server = await receiver.start(0);
  onTestFinished(async () => {
    server.closeAllConnections();
    await receiver.stop();
  });
  slack.connectApp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return app;
}

/** Starts a Bolt app in Socket Mode, which connects again at once whenever it has lost its connection. */
export async function socketApp(slack: EmbeddedSlack, prepare: (app: App) => void): Promise<App> {
  const clientOptions = { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } };
  const receiver = new SocketModeReceiver({
    appToken: slack.appToken,
    logLevel: LogLevel.ERROR,
    // Slack's client would wait for its ping timeout before it connects again.
    autoReconnectEnabled: false,
    clientPingTimeout: 60_000,
    installerOptions: { clientOptions },
  });
  const app = new App({
    token: slack.botToken,
    receiver,
    logLevel: LogLevel.ERROR,
    clientOptions: { ...clientOptions },
    deferInitialization: true,
  });
  await app.init();
  prepare(app);
  await app.start();
  const reconnect = () => void receiver.client.start();
  receiver.client.on('disconnected', reconnect);
  onTestFinished(async () => {
    receiver.client.off('disconnected', reconnect);
    await app.stop();
    await slack.until(() => slack.socket.connections() === 0);
  });
  return app;
}

/** Calls the Web API as the app does: form-encoded, with a bearer token. */
export async function callApi(
  slack: EmbeddedSlack,
  method: string,
  args: Record<string, string> = {},
  token = slack.botToken,
): Promise<Json> {
  const answer = await fetch(slack.apiUrl + method, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams(args),
  });
  return (await answer.json()) as Json;
}

/** Returns an identifier by its name; fails if there is none. */
export function idOf(table: Record<string, string>, name: string): string {
  const id = table[name];
  if (!id) throw new Error(`There is no ${name}`);
  return id;
}

import type { Server } from 'node:http';
import { App } from '@slack/bolt';
import axios from 'axios';
import type { AppStart } from '../processes/app-start.ts';
import type { ServiceApi } from './service-api.ts';

const SHOWN = 20;

interface SharedFile {
  name: string;
  url_private_download: string;
}

/**
 * Starts the bot that most people would write first: a listener that reads each file into memory
 * and files it with two calls, and a command that lists. It has no ledger, tells nobody, and loses
 * its work when it dies. Resolves with its port.
 */
export async function startObviousBot(options: AppStart, api: ServiceApi): Promise<number> {
  const { botToken: token, signingSecret, slackApiUrl } = options;
  const app = new App({ token, signingSecret, clientOptions: { slackApiUrl } });
  app.event('message', async ({ event }) => {
    const files = 'files' in event ? (event.files as SharedFile[]) : [];
    await Promise.all(files.map((file) => fileOne(file, token, api)));
  });
  app.command('/files', async ({ ack, respond }) => {
    await ack();
    const names = await api.list();
    await respond(names.slice(-SHOWN).join('\n') || 'Nothing here yet.');
  });
  const server = (await app.start(0)) as Server;
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function fileOne(file: SharedFile, token: string, api: ServiceApi): Promise<void> {
  const { data } = await axios.get<Buffer>(file.url_private_download, {
    responseType: 'arraybuffer',
    headers: { Authorization: `Bearer ${token}` },
  });
  await api.file(file.name, data);
}

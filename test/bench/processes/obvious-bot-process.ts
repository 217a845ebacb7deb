import { App } from '@slack/bolt';
import axios from 'axios';
import FormData from 'form-data';
import { DEMO_API_KEY } from '../../../src/playground/file-service/index.ts';
import { FOLDER, PROJECT } from '../../support/app-settings.ts';
import { type Limiter, type LimiterName, limiters } from './limiters.ts';
import { type MeasuredAppOptions, portOf, serveApp } from './measured-app.ts';

const SHOWN = 20;
const HEADERS = { 'X-API-KEY': DEMO_API_KEY, 'User-Agent': 'Bot (ops@example.com)' };

interface SharedFile {
  name: string;
  url_private_download: string;
}

/**
 * Starts the bot that most people would write first: a listener that reads each file into memory
 * and files it with two calls, and a command that lists. It has no ledger, tells nobody, and loses
 * its work when it dies. Resolves with its port.
 */
async function startBot({ slack, service, rateLimit }: MeasuredAppOptions): Promise<number> {
  const { botToken: token, signingSecret, apiUrl: slackApiUrl } = slack;
  const api = createServiceApi(service.accountUrl, limiters[limiterName()](rateLimit));
  const app = new App({ token, signingSecret, clientOptions: { slackApiUrl } });
  app.event('message', async ({ event }) => {
    const files = 'files' in event ? (event.files as SharedFile[]) : [];
    await Promise.all(
      files.map(async ({ name, url_private_download: url }) => {
        const headers = { Authorization: `Bearer ${token}` };
        const { data } = await axios.get<Buffer>(url, { responseType: 'arraybuffer', headers });
        await api.file(name, data);
      }),
    );
  });
  app.command('/files', async ({ ack, respond }) => {
    await ack();
    const names = await api.list();
    await respond(names.slice(-SHOWN).join('\n') || 'Nothing here yet.');
  });
  return portOf(await app.start(0));
}

function limiterName(): LimiterName {
  const [, , name = ''] = process.argv;
  if (!(name in limiters)) throw new Error(`There is no limiter ${name}`);
  return name as LimiterName;
}

/** Returns the service calls that a bot needs, written in the obvious way. */
function createServiceApi(accountUrl: string, { client, run }: Limiter) {
  const folder = `${accountUrl}/api/v3/projects/${PROJECT}/folders/${FOLDER}/files`;

  async function upload(name: string, bytes: Buffer): Promise<number> {
    const form = new FormData();
    form.append('project_id', String(PROJECT));
    form.append('file', bytes, name);
    const { data } = await client.post<{ file_id: number }>(
      `${accountUrl}/files/upload.php`,
      form,
      {
        headers: { ...HEADERS, ...form.getHeaders() },
        maxBodyLength: Number.POSITIVE_INFINITY,
      },
    );
    return data.file_id;
  }

  return {
    /** Uploads a file and creates it in the folder: two calls. */
    file: async (name: string, bytes: Buffer) => {
      const id = await run(() => upload(name, bytes));
      const body = { attachments: [id], folder: FOLDER };
      await run(() => client.post(folder, body, { headers: HEADERS }));
    },
    list: async () => {
      const read = () => client.get<{ name: string }[]>(folder, { headers: HEADERS });
      const { data } = await run(read, true);
      return data.map(({ name }) => name);
    },
  };
}

serveApp(startBot);

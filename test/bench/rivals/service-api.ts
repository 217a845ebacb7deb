import axios, { type AxiosInstance } from 'axios';
import FormData from 'form-data';
import { DEMO_API_KEY } from '../../../src/playground/file-service/index.ts';
import { FOLDER, PROJECT } from '../../support/app-settings.ts';
import type { Limited } from './limited.ts';

/** The service calls that a bot needs, written in the obvious way. */
export interface ServiceApi {
  /** Uploads a file and creates it in the folder: two calls. */
  file(name: string, bytes: Buffer): Promise<void>;
  list(): Promise<string[]>;
}

export interface ServiceApiOptions {
  accountUrl: string;
  limited: Limited;
  client?: AxiosInstance;
}

const HEADERS = { 'X-API-KEY': DEMO_API_KEY, 'User-Agent': 'Bot (ops@example.com)' };

export function createServiceApi(options: ServiceApiOptions): ServiceApi {
  const { accountUrl, limited, client = axios.create() } = options;
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
    file: async (name, bytes) => {
      const id = await limited.run(() => upload(name, bytes));
      const body = { attachments: [id], folder: FOLDER };
      await limited.run(() => client.post(folder, body, { headers: HEADERS }));
    },
    list: async () => {
      const read = () => client.get<{ name: string }[]>(folder, { headers: HEADERS });
      const { data } = await limited.run(read, true);
      return data.map(({ name }) => name);
    },
  };
}

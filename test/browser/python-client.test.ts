import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import {
  DEMO_API_KEY,
  everyList,
  type ListOrder,
} from '../../src/playground/file-service/index.ts';
import {
  DESIGN,
  fileServiceUnderTest,
  WEBSITE,
} from '../playground/file-service/file-service-under-test.ts';

const SCRIPT = new URL('page-a-list.py', import.meta.url).pathname;
const FILES = 330;

test.each<[ListOrder]>([['oldest-first'], ['newest-first']])(
  'a client in Python pages an account as real ones behave, %s',
  async (order) => {
    const { attach, create, service } = await fileServiceUnderTest({
      profile: 'real',
      behaviour: { listOrder: { ...everyList('oldest-first'), files: order } },
      rateLimit: { requests: 1000, windowMs: 1000 },
    });
    const attachments = [];
    for (let index = 0; index < FILES; index += 1) {
      attachments.push(await attach({ name: `${index}.txt` }));
    }
    await create(DESIGN, { attachments, folder: DESIGN });

    const names = Array.from({ length: FILES }, (_, index) => `${index}.txt`);
    expect(await runScript(service.accountUrl)).toEqual({
      names: order === 'oldest-first' ? names : names.reverse(),
      requests: 4,
      folders: [
        [0, 'All files'],
        [1, 'Design'],
        [2, 'Logos'],
        [2, 'Screens'],
        [3, 'Mobile'],
        [1, 'Copy'],
      ],
      refused: expect.objectContaining({ code: 1202 }),
    });
  },
);

async function runScript(accountUrl: string): Promise<unknown> {
  const args = [SCRIPT, accountUrl, DEMO_API_KEY, String(WEBSITE), String(DESIGN)];
  const { stdout } = await promisify(execFile)('python3', args);
  return JSON.parse(stdout);
}

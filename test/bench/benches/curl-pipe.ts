import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { DEMO_API_KEY } from '../../../src/playground/file-service/index.ts';
import { FOLDER, PROJECT } from '../../support/app-settings.ts';
import { readMemory } from '../processes/memory.ts';

export interface CurlJob {
  /** The file's address in Slack. */
  url: string;
  botToken: string;
  accountUrl: string;
  name: string;
}

const LOOK_EVERY_MS = 20;

// curl streams a named file that is not a regular one, but reads "-" completely first.
const SCRIPT = `
set -eu -o pipefail
id=$(curl -fsN "$FILE_URL" -H "Authorization: Bearer $BOT_TOKEN" |
  curl -fsN "$ACCOUNT_URL/files/upload.php" -H "X-API-KEY: $API_KEY" -H "$AGENT" -H Expect: \\
    -F "project_id=$PROJECT" -F "file=@/dev/stdin;filename=$NAME" |
  sed 's/.*"file_id":\\([0-9]*\\).*/\\1/')
curl -fs "$ACCOUNT_URL/api/v3/projects/$PROJECT/folders/$FOLDER/files" -H "X-API-KEY: $API_KEY" \\
  -H "$AGENT" -H "Content-Type: application/json" -d "{\\"attachments\\":[$id],\\"folder\\":$FOLDER}"
`;

/** Does the same job with curl: a download piped into an upload, then a create. */
export async function curlPipe(job: CurlJob): Promise<{ seconds: number; peakBytes: number }> {
  const begun = performance.now();
  const shell = spawn('bash', ['-c', SCRIPT], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: environmentOf(job),
  });
  const memory = watchFamily(shell.pid ?? 0);
  const [code] = await once(shell, 'exit');
  const seconds = (performance.now() - begun) / 1000;
  const peakBytes = memory.end();
  if (code !== 0) throw new Error(`curl failed (${code})`);
  return { seconds, peakBytes };
}

function environmentOf({ url, botToken, accountUrl, name }: CurlJob): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    FILE_URL: url,
    BOT_TOKEN: botToken,
    ACCOUNT_URL: accountUrl,
    API_KEY: DEMO_API_KEY,
    AGENT: 'User-Agent: Curl (ops@example.com)',
    PROJECT: String(PROJECT),
    FOLDER: String(FOLDER),
    NAME: name,
  };
}

/** Polls the processes below one; `end` returns the sum of their peaks. */
function watchFamily(pid: number): { end(): number } {
  const peaks = new Map<number, number>();
  const timer = setInterval(() => {
    for (const child of descendants(pid)) {
      const peak = readMemory(child)?.peak ?? 0;
      peaks.set(child, Math.max(peak, peaks.get(child) ?? 0));
    }
  }, LOOK_EVERY_MS);
  return {
    end: () => {
      clearInterval(timer);
      return [...peaks.values()].reduce((sum, peak) => sum + peak, 0);
    },
  };
}

function descendants(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const children = text.split(' ').filter(Boolean).map(Number);
    return children.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}

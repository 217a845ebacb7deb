import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ledger, openLedger, sqliteDialect } from '../../src/ledger/index.ts';
import { REQUIRED_SETTINGS } from '../support/app-settings.ts';
import { startMain } from '../support/main-process.ts';
import { startServer } from '../support/start-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function withUmask(umask: number) {
  const before = process.umask(umask);
  onTestFinished(() => void process.umask(before));
}

async function opened(dataDir: string): Promise<Ledger> {
  const ledger = await openLedger(sqliteDialect(dataDir), 0);
  onTestFinished(() => ledger.close());
  await ledger.beginRun(0);
  return ledger;
}

/** Returns the permissions of a folder and of everything in it, by name, in octal. */
function rightsIn(folder: string): Record<string, string> {
  const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const inside = readdirSync(folder).map((name) => [name, rights(join(folder, name))]);
  return { '.': rights(folder), ...Object.fromEntries(inside) };
}

const OWNER_ALONE = {
  '.': '700',
  'pigeonhole.sqlite': '600',
  'pigeonhole.sqlite-wal': '600',
};

describe('the ledger on disk is readable only by its owner', () => {
  it.each([0o000, 0o022, 0o077])('with the umask %o', async (umask) => {
    const dataDir = join(temporaryFolder(), 'made', 'here');
    withUmask(umask);
    await opened(dataDir);
    expect(rightsIn(dataDir)).toEqual(OWNER_ALONE);
    expect(rightsIn(join(dataDir, '..'))['.']).toBe('700');
  });

  it('even over older files, including those left by a crash', async () => {
    withUmask(0o000);
    const [first, dataDir] = [join(temporaryFolder(), 'first'), temporaryFolder()];
    await opened(first);
    for (const name of readdirSync(first)) copyFileSync(join(first, name), join(dataDir, name));
    for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o666);
    chmodSync(dataDir, 0o777);
    await opened(dataDir);
    expect(rightsIn(dataDir)).toEqual(OWNER_ALONE);
  });

  it('in a folder with open permissions, which stay unchanged', async () => {
    const shared = temporaryFolder();
    chmodSync(shared, 0o1777);
    await opened(shared);
    expect(rightsIn(shared)).toEqual({ ...OWNER_ALONE, '.': '777' });
  });

  it('with all other files that the process may write', async () => {
    const folder = temporaryFolder();
    const asked = Promise.withResolvers<void>();
    // A Slack that never responds keeps the process as it is.
    const slackUrl = `${await startServer(() => asked.resolve())}/api/`;
    const settings = { ...REQUIRED_SETTINGS, SLACK_API_URL: slackUrl, PORT: '0' };
    const app = startMain(folder, settings);
    onTestFinished(() => void app.child.kill('SIGKILL'));
    await asked.promise;
    expect(readFileSync(`/proc/${app.child.pid}/status`, 'utf8')).toMatch(/^Umask:\s0077$/m);
    expect(rightsIn(join(folder, 'data'))).toEqual(OWNER_ALONE);
  });
});

describe('a DATA_DIR that cannot be made', () => {
  const MODULE = new URL('../../src/ledger/index.ts', import.meta.url).href;

  // In a process of its own, because an endless retry could not be ended from inside.
  const opening = (dataDir: string) =>
    spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { sqliteDialect } from '${MODULE}';
         try { sqliteDialect(process.argv[1]) } catch (error) { console.log(error.code, error.message) }`,
        dataDir,
      ],
      { encoding: 'utf8', timeout: 20_000 },
    );

  it.each(['/proc/pigeonhole', '/proc/pigeonhole/data/deeper', '/dev/null/data'])(
    'is refused at once: %s',
    (dataDir) => {
      const { stdout, signal } = opening(dataDir);
      expect(signal).toBeNull();
      expect(stdout).toMatch(/^LEDGER_UNAVAILABLE .*choose another \(.*\)$/m);
      expect(stdout).toContain(dataDir);
    },
  );

  it('is refused if a file has its name, and the file stays unchanged', () => {
    const file = join(temporaryFolder(), 'taken');
    writeFileSync(file, 'mine', { mode: 0o644 });
    expect(() => sqliteDialect(file)).toThrow(/DATA_DIR isn’t a folder; choose another/);
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it('is accepted if it already exists, and its content stays', async () => {
    const dataDir = temporaryFolder();
    mkdirSync(join(dataDir, 'playground'));
    await opened(dataDir);
    expect(readdirSync(dataDir)).toContain('playground');
  });
});

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { DEMO_API_KEY, startFileService } from '../../src/playground/file-service/index.ts';
import { startPlayground } from '../../src/playground/start-playground.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the playground’s folder', () => {
  const start = async (dataDir: string, fresh = false) => {
    const options = {
      dataDir,
      fresh,
      port: 0,
      profile: 'specified',
      logger: silentLogger,
    } as const;
    const running = await startPlayground(options);
    await running.stop();
  };

  /** Makes another person's project, with folders named as the playground names its own. */
  function foreignFolder(): string {
    const folder = temporaryFolder();
    for (const name of ['app', 'slack', 'uploads', 'service']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'precious.txt'), 'years of work');
    }
    return folder;
  }

  it.each([false, true])(
    'is refused if others filled it, and nothing in it is removed (--fresh: %s)',
    async (fresh) => {
      const folder = foreignFolder();
      await expect(start(folder, fresh)).rejects.toThrow(/did not put there.*Nothing was removed/);
      expect(readdirSync(folder).toSorted()).toEqual(['app', 'service', 'slack', 'uploads']);
      for (const name of readdirSync(folder))
        expect(readFileSync(join(folder, name, 'precious.txt'), 'utf8')).toBe('years of work');
    },
  );

  it('is refused if it links to a folder of others', async () => {
    const [folder, link] = [foreignFolder(), join(temporaryFolder(), 'link')];
    symlinkSync(folder, link);
    await expect(start(link)).rejects.toThrow('Nothing was removed');
    expect(readdirSync(folder)).toHaveLength(4);
  });

  it('is accepted if it is new or empty, and again later as its own', async () => {
    const [empty, fresh] = [temporaryFolder(), join(temporaryFolder(), 'not', 'there')];
    for (const folder of [empty, fresh]) {
      await start(folder);
      writeFileSync(join(folder, 'app', 'stale.txt'), '');
      await start(folder, true);
      expect(readdirSync(join(folder, 'app'))).not.toContain('stale.txt');
    }
  });

  it('is refused at once if it cannot be created', async () => {
    await expect(start('/proc/pigeonhole/data')).rejects.toThrow(/The playground could not start/);
  });
});

describe('the embedded file service', () => {
  it('refuses a client that reached it by a name that is not this machine’s', async () => {
    const service = await startFileService({ dataDir: temporaryFolder(), clock: systemClock });
    onTestFinished(() => service.stop());
    const { port, pathname } = new URL(`${service.accountUrl}/api/v3/projects`);
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, 'x-api-key': DEMO_API_KEY, 'user-agent': 'Test (a@example.com)' };
        request({ host: '127.0.0.1', port, path: pathname, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .once('error', reject)
          .end();
      });
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example'])
      expect(await statusFor(host)).toBe(403);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
      expect(await statusFor(host)).toBe(200);
  });
});

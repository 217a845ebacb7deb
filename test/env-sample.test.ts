import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig, SETTINGS } from '../src/config.ts';

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

describe('.env.sample', () => {
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
    const { databaseUrl, redisUrl, operator, files, ...rest } = all;
    expect(plain).toEqual({
      ...rest,
      databaseUrl: null,
      redisUrl: null,
      operator: null,
      files: { ...files, destination: null },
    });
    expect([databaseUrl, redisUrl, operator]).not.toContain(null);
  });

  it('explains each setting in the lines before it', () => {
    const settings = [...sample.matchAll(/\n(.*)\n#?([A-Z_]+)=/g)];
    const bare = settings.filter(([, before = '', name]) => {
      return !/^# .*/.test(before) && name !== 'FILES_FOLDER_ID';
    });
    expect(bare.map(([, , name]) => name)).toEqual([]);
  });
});

describe('README.md', () => {
  it('names every setting', () => {
    const text = read('README.md');
    expect(SETTINGS.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

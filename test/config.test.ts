import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PigeonholeError } from '../src/base/index.ts';
import { loadConfig, mistypedNames, readEnvironment } from '../src/config.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const GOOD = {
  SLACK_BOT_TOKEN: 'xoxb-secret-one',
  SLACK_SIGNING_SECRET: 'secret-two',
  FILES_ACCOUNT_URL: 'https://acme.example',
  FILES_API_KEY: 'secret-three',
  FILES_CONTACT: 'ops@acme.example',
};

function complaintOf(env: Record<string, string | undefined>): string {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(PigeonholeError);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('nothing was complained of');
}

describe('loadConfig', () => {
  it('requires five settings, and has defaults for the rest', () => {
    expect(loadConfig(GOOD)).toMatchObject({
      slack: {
        botToken: 'xoxb-secret-one',
        signingSecret: 'secret-two',
        appToken: null,
        slackApiUrl: 'https://slack.com/api/',
      },
      files: {
        accountUrl: 'https://acme.example',
        apiKey: 'secret-three',
        contact: 'ops@acme.example',
        destination: null,
        rateLimit: { requests: 25, windowMs: 10_000 },
      },
      databaseUrl: null,
      dataDir: './data',
      redisUrl: null,
      port: 3000,
      host: null,
      logLevel: 'info',
    });
  });

  it('opens the port to this machine only in Socket Mode, unless HOST is set', () => {
    const socketMode = { ...GOOD, SLACK_APP_TOKEN: 'xapp-1' };
    expect(loadConfig(socketMode).host).toBe('127.0.0.1');
    expect(loadConfig({ ...socketMode, HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
    expect(loadConfig({ ...GOOD, HOST: '::1' }).host).toBe('::1');
  });

  it.each([
    'U012ABCDEF',
    'UCUUKEWGZ',
    'ops@acme.example',
    'https://acme.example/help',
    'Ada Lovelace',
    'Zoë',
  ])('accepts %s as the operator, who is nobody by default', (operator) => {
    expect(loadConfig({ ...GOOD, OPERATOR: operator }).operator).toBe(operator);
    expect(loadConfig(GOOD).operator).toBeNull();
  });

  it('accepts a contact whose domain is in punycode, as a header needs it', () => {
    const contact = 'jan@xn--przykad-9wb.pl';
    expect(loadConfig({ ...GOOD, FILES_CONTACT: contact }).files.contact).toBe(contact);
  });

  it('returns a frozen object', () => {
    expect(Object.isFrozen(loadConfig(GOOD))).toBe(true);
  });

  it('returns the settings without surrounding spaces', () => {
    const config = loadConfig({
      ...GOOD,
      SLACK_BOT_TOKEN: ' xoxb-padded ',
      FILES_PROJECT_ID: '12 ',
      FILES_FOLDER_ID: ' 345',
      FILES_RATE_LIMIT: '50/1s ',
      DATABASE_URL: ' postgres://u:p@host/db',
      REDIS_URL: 'rediss://host:6380\r',
      PORT: ' 0 ',
      LOG_LEVEL: 'debug\r',
    });
    expect(config.slack.botToken).toBe('xoxb-padded');
    expect(config.files.destination).toEqual({ projectId: 12, folderId: 345 });
    expect(config.files.rateLimit).toEqual({ requests: 50, windowMs: 1_000 });
    expect(config).toMatchObject({ port: 0, logLevel: 'debug', redisUrl: 'rediss://host:6380' });
    expect(config.databaseUrl).toBe('postgres://u:p@host/db');
  });

  it('treats an empty setting as not set', () => {
    expect(
      loadConfig({ ...GOOD, PORT: '', DATABASE_URL: '  ', SLACK_APP_TOKEN: '' }),
    ).toMatchObject({
      port: 3000,
      databaseUrl: null,
      slack: { appToken: null },
    });
  });

  it('needs no signing secret in Socket Mode', () => {
    const config = loadConfig({ ...GOOD, SLACK_SIGNING_SECRET: '', SLACK_APP_TOKEN: 'xapp-1' });
    expect(config.slack).toMatchObject({ signingSecret: null, appToken: 'xapp-1' });
  });

  it('lists everything that is missing, at once, with what to do', () => {
    const complaint = complaintOf({});
    const { SLACK_SIGNING_SECRET: _, ...others } = GOOD;
    for (const name of [...Object.keys(others), 'SLACK_APP_TOKEN'])
      expect(complaint).toMatch(
        new RegExp(`^ {2}${name}: expected .{15,}; it is not set\\.$`, 'm'),
      );
    expect(complaint).toMatch(
      /SLACK_APP_TOKEN: .* \(Socket Mode: .*, or else SLACK_SIGNING_SECRET, /,
    );
    expect(complaint).toContain('.env.sample');
    expect(complaint.split('\n')).toHaveLength(6);
  });

  it.each([
    ['SLACK_BOT_TOKEN', 'xoxp-1', /begins with xoxb-/],
    ['SLACK_APP_TOKEN', 'xoxb-1', /begins with xapp-/],
    ['SLACK_API_URL', 'http://slack.example/api/', /plain http only for this machine/],
    ['SLACK_BOT_TOKEN', 'xoxb-1”', /begins with xoxb-/],
    ['SLACK_SIGNING_SECRET', 'xoxb-1', /^ {2}SLACK_SIGNING_SECRET: .*isn’t a token/m],
    ['SLACK_SIGNING_SECRET', 'secret\u200b', /^ {2}SLACK_SIGNING_SECRET: /m],
    ['SLACK_SIGNING_SECRET', 'xapp-1', /^ {2}SLACK_SIGNING_SECRET: .*isn’t a token/m],
    ['SLACK_BOT_TOKEN', 'xoxb-1\nxoxb-2', /begins with xoxb-/],
    ['SLACK_APP_TOKEN', 'xapp-1\u200b', /begins with xapp-/],
    ['FILES_ACCOUNT_URL', 'https://acme.example/#', /https address/],
    ['FILES_ACCOUNT_URL', 'https://acme.example?', /https address/],
    ['SLACK_API_URL', 'https://slack.com/api/?', /https address/],
    ['FILES_ACCOUNT_URL', 'http://acme.example', /https address/],
    ['FILES_ACCOUNT_URL', 'acme.example', /https address/],
    ['FILES_ACCOUNT_URL', 'ftp://acme.example', /https address/],
    ['FILES_ACCOUNT_URL', 'https://user:password@acme.example', /https address/],
    ['FILES_ACCOUNT_URL', 'https://acme.example/?team=1', /https address/],
    ['FILES_ACCOUNT_URL', 'https://acme.example/#team', /https address/],
    ['FILES_FOLDER_URL', 'https://acme.example/{folder}', /with \{project\} and \{folder\}/],
    ['FILES_FOLDER_URL', 'http://acme.example/{project}/{folder}', /https address/],
    ['FILES_FOLDER_URL', 'https://{project}.example/{folder}', /https address/],
    ['FILES_FOLDER_URL', 'https://me:key@acme.example/{project}/{folder}', /without a password/],
    ['FILES_API_KEY', 'two words', /API key/],
    ['FILES_API_KEY', '"key"', /without .*quotation marks around it/],
    ['SLACK_SIGNING_SECRET', "'secret'", /without .*quotation marks around it/],
    ['DATA_DIR', '~/data', /without ~ or \$/],
    ['DATA_DIR', '$HOME/data', /without ~ or \$/],
    ['DATA_DIR', '"/var/lib/pigeonhole"', /quotation marks/],
    ['FILES_PROJECT_ID', '0', /whole number above 0; it is "0"/],
    ['FILES_API_KEY', 'line\r\nX-Evil: 1', /API key/],
    ['FILES_CONTACT', 'nobody', /e-mail/],
    ['FILES_CONTACT', 'jan@przykład.pl', /^ {2}FILES_CONTACT: .*xn--/m],
    ['FILES_CONTACT', 'zoë@acme.example', /^ {2}FILES_CONTACT: .*xn--/m],
    ['FILES_CONTACT', 'a@b.example)\r\nX-Evil: 1', /e-mail/],
    ...[
      '@ada',
      'W',
      'IT',
      'xoxb-a',
      'a0b1c2d3',
      'http://acme.example',
      '<!channel>',
      ' - ',
      'A\nb',
    ].map((value): [string, string, RegExp] => [
      'OPERATOR',
      value,
      /Slack member ID like U012ABCDEF/,
    ]),
    ['LINK_BY', 'everybody', /admins or members; it is "everybody"/],
    ['FILES_RATE_LIMIT', '25', /like 25\/10s/],
    ['FILES_RATE_LIMIT', '0/10s', /like 25\/10s/],
    ['FILES_RATE_LIMIT', '25/0s', /like 25\/10s/],
    ['FILES_RATE_LIMIT', '-1/10s', /like 25\/10s/],
    ['DATABASE_URL', 'mysql://host/db', /postgres:\/\//],
    ['REDIS_URL', 'http://host', /redis:\/\//],
    ['DATABASE_URL', 'postgres://user:pass/word@host/db', /^ {2}DATABASE_URL: .*%2F/m],
    ['DATABASE_URL', 'postgres://user:50%@host/db', /^ {2}DATABASE_URL: .*%25/m],
    ['DATABASE_URL', 'postgres://user:password@[host/db', /^ {2}DATABASE_URL: /m],
    ['DATABASE_URL', 'postgres://host:123456/db', /^ {2}DATABASE_URL: /m],
    ['DATABASE_URL', 'postgres://u:p@ss/word@host/db', /^ {2}DATABASE_URL: /m],
    ['DATABASE_URL', 'postgres://u:p@ss?word@host/db', /^ {2}DATABASE_URL: /m],
    ['DATABASE_URL', 'postgres://u:p@ss#word@host/db', /^ {2}DATABASE_URL: /m],
    ['REDIS_URL', 'redis://user:pass#word@host', /^ {2}REDIS_URL: /m],
    ['REDIS_URL', 'redis://user:p@ss#word@host', /^ {2}REDIS_URL: /m],
    ['REDIS_URL', 'redis://host:port', /^ {2}REDIS_URL: /m],
    ['REDIS_URL', 'redis://host/cache', /^ {2}REDIS_URL: /m],
    ['REDIS_URL', 'redis://', /^ {2}REDIS_URL: /m],
    ['PGSSLMODE', 'requier', /require, no-verify, .*; it is "requier"/],
    ['SLACK_API_URL', 'https://slack.example:99999/api/', /^ {2}SLACK_API_URL: /m],
    ['FILES_ACCOUNT_URL', 'https://[acme', /^ {2}FILES_ACCOUNT_URL: /m],
    ['HOST', 'http://127.0.0.1', /^ {2}HOST: .*like 127\.0\.0\.1/m],
    ['PORT', '70000', /up to 65535/],
    ['PORT', '3000x', /port number/],
    ['LOG_LEVEL', 'loud', /debug, info, warn, error or silent/],
    ['FILES_PROJECT_ID', 'twelve', /whole number/],
    ['FILES_FOLDER_ID', '345', /FILES_PROJECT_ID: .*as FILES_FOLDER_ID is set/],
    ['FILES_PROJECT_ID', '12', /FILES_FOLDER_ID: .*as FILES_PROJECT_ID is set/],
  ])('rejects %s=%j', (name, value, words) => {
    expect(complaintOf({ ...GOOD, [name]: value })).toMatch(words);
  });

  it.each([
    'http://localhost:8080/acme',
    'http://127.0.0.1:1',
    'http://127.8.9.1',
    'http://[::1]:8080',
  ])('accepts plain http on this machine: %s', (url) => {
    expect(loadConfig({ ...GOOD, FILES_ACCOUNT_URL: url }).files.accountUrl).toBe(url);
  });

  it.each([
    'http://localhost.evil.example',
    'http://127.evil.example',
    'http://127.0.0.1.evil.example',
    'http://1270.0.0.1',
  ])('does not take %s for this machine', (url) => {
    expect(complaintOf({ ...GOOD, FILES_ACCOUNT_URL: url })).toContain('FILES_ACCOUNT_URL');
  });

  it.each([
    'postgres://u:p%40ss@host:5432/db?sslmode=require',
    'postgresql://u@%2Fvar%2Frun%2Fpostgresql/db',
    'postgres:///db',
    'postgres://host/db?user=me@server',
  ])('accepts the database at %s', (url) => {
    expect(loadConfig({ ...GOOD, DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  it.each(['redis://host', 'redis://:p%23w@host:6379/2', 'rediss://u:p@host:6380/'])(
    'accepts the Redis at %s',
    (url) => {
      expect(loadConfig({ ...GOOD, REDIS_URL: url }).redisUrl).toBe(url);
    },
  );

  it('names the variable that a missing setting may be in, without its value', () => {
    const complaint = complaintOf({ ...GOOD, FILES_API_KEY: '', FILES_APIKEY: 'secret' });
    expect(complaint).toMatch(/FILES_API_KEY: .*; it is not set, but FILES_APIKEY is\.$/m);
    expect(complaint).not.toContain('secret');
  });

  it('shows what is not secret, and nothing that may be', () => {
    const complaint = complaintOf({
      SLACK_BOT_TOKEN: 'secret-a',
      SLACK_APP_TOKEN: 'secret-b',
      FILES_ACCOUNT_URL: 'https://user:secret-c@x',
      FILES_API_KEY: 'secret d',
      DATABASE_URL: 'mysql://u:secret-e@h/d',
      REDIS_URL: 'secret-f',
      PORT: 'three thousand',
    });
    expect(complaint).toContain(
      'PORT: expected a port number up to 65535; it is "three thousand".',
    );
    expect(complaint).not.toContain('secret');
    expect(complaint).not.toContain('mysql');
  });
});

describe('mistypedNames', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['data_dir', 'DATA_DIR'],
    ['LINKBY', 'LINK_BY'],
  ])('takes %s for %s', (name, meant) => {
    expect(mistypedNames({ ...GOOD, [name]: 'x' })).toEqual([{ name, meant }]);
    expect(mistypedNames({ [name]: 'x', [meant]: 'y' })).toEqual([]);
  });

  it.each([
    ...['PATH', 'HOME', 'POST', 'REDIS_TLS_URL', 'PGSSLMODE', 'PLAYGROUND_PORT', 'DATA'],
    ...['REDIS_SSL', 'META_DIR', 'OPERATION', 'LINK_TO'],
  ])('leaves %s alone', (name) => {
    expect(mistypedNames({ [name]: 'x' })).toEqual([]);
  });
});

describe('readEnvironment', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = temporaryFolder();
    file = join(directory, '.env');
  });
  afterEach(() => void vi.unstubAllEnvs());

  it('adds the file’s settings to the environment, whose own values take precedence', () => {
    for (const name of ['FILES_CONTACT', 'PGSSLMODE']) vi.stubEnv(name, undefined);
    writeFileSync(
      file,
      '# a comment\nFILES_CONTACT="ops@acme.example"\nPORT=4000 # why not\nPGSSLMODE=no-verify\n',
    );
    vi.stubEnv('PORT', '5000');
    expect(readEnvironment(file)).toMatchObject({
      FILES_CONTACT: 'ops@acme.example',
      PORT: '5000',
    });
    // PostgreSQL's driver reads it from there by itself.
    expect(process.env['PGSSLMODE']).toBe('no-verify');
  });

  it.each([
    ...['https://acme.example', 'https://acme.example/', 'HTTPS://ACME.example:443//'],
    ...['https://acme.example/api/v3', 'https://acme.example/api/v3/'],
  ])('reads every spelling of an account’s address as one: %s', (address) => {
    const { files } = loadConfig({ ...GOOD, FILES_ACCOUNT_URL: address });
    expect(files.accountUrl).toBe('https://acme.example');
  });

  it('reads a file with a byte order mark, as some editors write it', () => {
    vi.stubEnv('FILES_CONTACT', undefined);
    writeFileSync(file, '\uFEFFFILES_CONTACT=ops@acme.example\n');
    expect(readEnvironment(file)).toMatchObject({ FILES_CONTACT: 'ops@acme.example' });
  });

  it('accepts a missing file', () => {
    vi.stubEnv('PORT', '5000');
    expect(readEnvironment(file)).toMatchObject({ PORT: '5000' });
  });

  it('reports a file that exists and cannot be opened', () => {
    symlinkSync(file, file);
    expect(() => readEnvironment(file)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('names the file that it cannot read', () => {
    expect(() => readEnvironment(directory)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});

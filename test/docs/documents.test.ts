import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { HELP_LINES } from '../../src/surfaces/index.ts';
import { putEmptyLedger } from '../support/open-empty-ledger.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { blocksOf, documents, inlineCodeOf, ROOT } from './markdown.ts';

const document = (path: string) => {
  const found = documents().find((one) => one.path === path);
  if (!found) throw new Error(`${path} is not there`);
  return found;
};
const wordsIn = (text: string) => text.match(/[\p{L}\p{N}][^\s]*/gu) ?? [];

describe('README.md', () => {
  const { text } = document('README.md');

  it('has 500 to 700 words', () => {
    const words = wordsIn(text.replace(/<[^>]+>/g, '')).length;
    expect(words).toBeGreaterThanOrEqual(500);
    expect(words).toBeLessThanOrEqual(700);
  });

  it('names six benefits of at most twelve words', () => {
    const [, chapter = ''] = text.split('## What you get\n');
    const benefits = chapter.split('\n## ')[0]?.match(/^- .*$/gm) ?? [];
    expect(benefits).toHaveLength(6);
    expect(benefits.filter((one) => wordsIn(one).length > 12)).toEqual([]);
  });

  it('has each command to try on a line of its own', () => {
    const blocks = blocksOf({ path: '', text }, 'sh');
    expect(blocks).toContain('npm ci && npm run playground');
    expect(blocks).toContain('npm ci && npm test');
    expect(blocks.filter((block) => block.includes('\n'))).toEqual([]);
  });
});

describe('docs/in-slack.md', () => {
  // As the samples have typed it, in the form in which it is documented.
  const formOf = (command: string) =>
    command
      .replace(/ \d+\/\d+$/, ' 12/345')
      .replace(/ office\/plans$/, ' Project/Folder')
      .replace(/^(\/files find) .*/, '$1');

  it('has every command that people are told to type, but for those in the help', () => {
    const words = blocksOf(document('docs/words.md'), 'text').join('\n');
    const told = [...words.matchAll(/`(\/f(?:iles|olders)\b[^`]*)`/g)].map(([, one = '']) => one);
    const known = [
      ...inlineCodeOf(document('docs/in-slack.md')),
      ...HELP_LINES.map(([command]) => formOf(command)),
    ];
    expect(told.length).toBeGreaterThan(30);
    expect(told.filter((one) => !known.includes(formOf(one)))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  const architecture = document('docs/architecture.md');

  it('is at most 200 lines', () => {
    expect(architecture.text.split('\n').length).toBeLessThanOrEqual(200);
  });

  it('names every room', () => {
    const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}`);
    expect(rooms.filter((room) => !architecture.text.includes(`| \`${room}\` |`))).toEqual([]);
  });

  it('names every table', async () => {
    const tables = (await emptyLedger())
      .prepare("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !/^(sqlite|kysely)_/.test(name));
    expect(tables.length).toBeGreaterThan(5);
    expect(tables.filter((name) => !architecture.text.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it('has a query of the ledger that the ledger can answer', async () => {
    const [query = ''] = blocksOf(architecture, 'sql');
    expect((await emptyLedger()).prepare(query).all()).toEqual([]);
  });
});

async function emptyLedger(): Promise<DatabaseSync> {
  const folder = temporaryFolder();
  await putEmptyLedger(folder);
  return new DatabaseSync(join(folder, 'pigeonhole.sqlite'));
}

it('docs/changelog.md adds up to the scopes of the manifest', () => {
  const { text } = document('docs/changelog.md');
  const scopesOf = (what: string) =>
    [...text.matchAll(new RegExp(`^Scopes ${what}: (.*)$`, 'gm'))].flatMap(([, list = '']) =>
      [...list.matchAll(/`([a-z:]+)`/g)].map(([, scope = '']) => scope),
    );
  const removed = new Set(scopesOf('removed'));
  const manifest = parse(readFileSync(join(ROOT, 'manifest.yml'), 'utf8'));
  const granted: string[] = manifest.oauth_config.scopes.bot;
  expect(scopesOf('added').filter((scope) => !removed.has(scope))).toEqual(granted);
});

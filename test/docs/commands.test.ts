import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTATIONS } from '../sim/mutation/mutations.ts';
import { COMMANDS } from './commands.ts';
import { blocksOf, documents, inlineCodeOf, ROOT } from './markdown.ts';

const PROGRAMS = /^(npm|npx|node|git|bash|docker|heroku|systemctl|curl|cp|chmod|cd) /;

/** Each command in the documents, with the first one that has it. */
const found = new Map(
  documents().flatMap((document) => {
    const lines = blocksOf(document, 'sh').flatMap((block) => block.split('\n'));
    const inline = inlineCodeOf(document).filter((code) => PROGRAMS.test(code));
    const commands = [...lines, ...inline].flatMap((line) => line.split(' && '));
    return commands.map((command) => [command.trim(), document.path] as const);
  }),
);

const matches = (known: string | RegExp, command: string) =>
  typeof known === 'string' ? known === command : known.test(command);

describe('a command in the documents', () => {
  it('is found', () => {
    expect(found.size).toBeGreaterThan(30);
  });

  it.each([...found])('is shown to work: %s (%s)', (command) => {
    expect(COMMANDS.filter((known) => matches(known.command, command))).toHaveLength(1);
  });

  it.each([...found])('names only what exists: %s (%s)', (command) => {
    expect(spawnSync('bash', ['-n', '-c', command]).status).toBe(0);
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const [, script] = /^npm run (\S+)/.exec(command) ?? [];
    if (script) expect(Object.keys(scripts)).toContain(script);
    const paths = command.match(/(?<![\w/])(src|test|docs|\.ci|\.env\.sample)(\/[\w./-]+)?/g) ?? [];
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const [, bench] =
      /^npm run bench -- ([a-z][a-z-]+)$/.exec(command.replace(' --verbose', '')) ?? [];
    if (bench) expect(existsSync(join(ROOT, 'test/bench/benches', `${bench}.ts`))).toBe(true);
    const [, bug] = /--only '(.*)'/.exec(command) ?? [];
    if (bug) expect(MUTATIONS.map(({ name }) => name)).toContain(bug);
  });
});

describe('the table of commands', () => {
  it.each(COMMANDS)('has no command that no document has: $command', ({ command }) => {
    expect([...found.keys()].some((one) => matches(command, one))).toBe(true);
  });

  it.each(COMMANDS.filter(({ by }) => by))(
    'names what runs $command',
    ({ by: [file, text] = ['', ''] }) => {
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(text);
    },
  );
});

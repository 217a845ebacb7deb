import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

const SCRIPT = fileURLToPath(new URL('../.ci/release.js', import.meta.url));
const CHANGES =
  '# Changes\n\n## Unreleased\n\n- Files are filed twice as fast.\n\n## 1.0.0, 2026-01-31\n\n- The first.\n';

const person = { name: 'Ada', email: 'ada@example.com' };
const IDENTITY = {
  GIT_AUTHOR_NAME: person.name,
  GIT_AUTHOR_EMAIL: person.email,
  GIT_COMMITTER_NAME: person.name,
  GIT_COMMITTER_EMAIL: person.email,
};

/** A small repository at version 1.0.0, with changes that are not released. */
function repository(changes = CHANGES) {
  const folder = temporaryFolder();
  const env = { ...process.env, ...IDENTITY };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
  mkdirSync(join(folder, 'docs'));
  const described = { name: 'pigeonhole', version: '1.0.0' };
  const locked = { ...described, lockfileVersion: 3, requires: true, packages: { '': described } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(described));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(locked));
  writeFileSync(join(folder, 'docs/changelog.md'), changes);
  writeFileSync(join(folder, '.gitignore'), '*.tar.gz*\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=First');
  const release = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  };
  return { folder, git, release, read: (path: string) => readFileSync(join(folder, path), 'utf8') };
}

describe('npm run release', () => {
  it('tags the version, with its section in the changelog and an archive', () => {
    const { folder, git, release, read } = repository();
    const { status, said } = release('1.1.0');
    expect(said).toContain('v1.1.0 is tagged');
    expect(status).toBe(0);
    expect(JSON.parse(read('package.json')).version).toBe('1.1.0');
    expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe('1.1.0');
    expect(read('docs/changelog.md')).toMatch(
      /^## Unreleased\n\n## 1\.1\.0, \d{4}-\d\d-\d\d\n\n- Files are filed twice as fast\.$/m,
    );
    expect(git('describe')).toBe('v1.1.0');
    expect(git('status', '--porcelain')).toBe('');
    const archive = 'pigeonhole-1.1.0.tar.gz';
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, archive)))
      .digest('hex');
    expect(read(`${archive}.sha256`)).toBe(`${sum}  ${archive}\n`);
    const held = execFileSync('tar', [
      '-xzOf',
      join(folder, archive),
      'pigeonhole-1.1.0/package.json',
    ]);
    expect(JSON.parse(held.toString()).version).toBe('1.1.0');
  });

  it.each([
    ['no version', [], 'is no version'],
    ['a word', ['next'], 'is no version'],
    ['the version of before', ['1.0.0'], 'not later than 1.0.0'],
    ['an earlier version', ['0.9.9'], 'not later than 1.0.0'],
  ])('refuses %s', (_what, args, words) => {
    const { git, release } = repository();
    const { status, said } = release(...args);
    expect(said).toMatch(/^No release: /);
    expect(said).toContain(words);
    expect(status).toBe(1);
    expect(git('tag')).toBe('');
  });

  it('refuses a tag that exists, what is not committed, and no changes', () => {
    const tagged = repository();
    tagged.git('tag', 'v1.1.0');
    expect(tagged.release('1.1.0').said).toContain('exists already');
    const open = repository();
    copyFileSync(join(open.folder, 'package.json'), join(open.folder, 'more.json'));
    expect(open.release('1.1.0').said).toContain('not committed');
    const silent = repository(CHANGES.replace('- Files are filed twice as fast.\n\n', ''));
    expect(silent.release('1.1.0').said).toContain('says nothing under');
  });
});

// Makes a release of the commit at hand: the version in package.json, its section in the changelog, a
// commit, a tag, and an archive of the sources with its checksum. Publishes nothing.
//   npm run release -- 1.2.0
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const CHANGELOG = 'docs/changelog.md';
const UNRELEASED = '## Unreleased';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();

try {
  release(process.argv[2] ?? '');
} catch (error) {
  process.stderr.write(`No release: ${error.message}\n`);
  process.exitCode = 1;
}

function release(version) {
  const before = JSON.parse(readFileSync('package.json', 'utf8')).version;
  const changes = readFileSync(CHANGELOG, 'utf8');
  const tag = `v${version}`;
  const problem = problemOf({ version, before, changes, tag });
  if (problem) throw new Error(problem);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(CHANGELOG, changes.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version}, ${today}`));
  execFileSync('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts'], {
    stdio: 'ignore',
  });
  git('add', CHANGELOG, 'package.json', 'package-lock.json');
  git('commit', '--message', `Release ${version}`);
  git('tag', '--annotate', tag, '--message', `Pigeonhole ${version}`);
  const archive = `pigeonhole-${version}.tar.gz`;
  git('archive', `--prefix=pigeonhole-${version}/`, `--output=${archive}`, tag);
  const checksum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(`${archive}.sha256`, `${checksum}  ${archive}\n`);
  process.stdout.write(
    `${tag} is tagged, and ${archive} holds its sources (sha256 ${checksum}).\nPublish with: git push --follow-tags\n`,
  );
}

/** Returns what is in the way of a release, and what to do about it; null for nothing. */
function problemOf({ version, before, changes, tag }) {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    return `"${version}" is no version. Give one like 1.2.0: npm run release -- 1.2.0`;
  if (!isLater(version, before)) return `${version} is not later than ${before}, the last version.`;
  if (git('tag', '--list', tag)) return `the tag ${tag} exists already.`;
  if (git('status', '--porcelain')) return 'there are changes that are not committed.';
  const section = changes.split(`${UNRELEASED}\n`)[1]?.split('\n## ')[0];
  if (!section?.trim()) return `${CHANGELOG} says nothing under "${UNRELEASED}".`;
  return null;
}

function isLater(version, before) {
  const numbers = (one) => one.split('.').map(Number);
  const [a, b] = [numbers(version), numbers(before)];
  const differs = a.findIndex((number, at) => number !== b[at]);
  return differs >= 0 && a[differs] > b[differs];
}

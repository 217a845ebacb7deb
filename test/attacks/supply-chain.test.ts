import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

function node(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the check of packages', () => {
  const CHECK = join(ROOT, '.ci', 'check-packages.js');

  /** Returns the check's verdict on a project with this one package. */
  function judged(entry: object) {
    const folder = temporaryFolder();
    const files = {
      'package.json': {},
      'package-lock.json': {
        packages: {
          '': { name: 'project' },
          'node_modules/wanted': { integrity: 'sha512-1', license: 'MIT', ...entry },
        },
      },
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), JSON.stringify(content));
    return node(CHECK, folder);
  }

  it('finds nothing wrong with the project’s own packages', () => {
    expect(node(CHECK)).toMatchObject({ status: 0, stderr: '' });
  });

  it('is the first step of the project’s own check, before anything is installed', () => {
    const steps = read('.ci/run');
    expect(steps).toMatch(/^node \.ci\/check-packages\.js$/m);
    expect(steps.indexOf('check-packages')).toBeLessThan(steps.indexOf('npm ci'));
  });

  it.each([
    ['a licence that asks for more', { license: 'GPL-3.0-only' }, 'GPL-3.0-only is not taken'],
    ['no licence', { license: undefined }, '(none) is not taken'],
    ['a licence of tools in production', { license: 'MPL-2.0' }, 'MPL-2.0 is not taken'],
    ['two licences of which one is not taken', { license: 'MIT AND GPL-2.0' }, 'is not taken'],
    ['no checksum', { integrity: undefined }, 'no checksum'],
    ['an address of its own', { resolved: 'https://evil.example/x.tgz' }, 'evil.example'],
    ['a package under the name of another', { name: 'evil' }, 'another package, evil'],
    ['an install script', { hasInstallScript: true }, 'it runs a script'],
    ['an install script of a tool', { dev: true, hasInstallScript: true }, 'it runs a script'],
  ])('refuses %s', (_what, entry, words) => {
    const { status, stderr } = judged(entry);
    expect(status).toBe(1);
    expect(stderr).toContain('node_modules/wanted: ');
    expect(stderr).toContain(words);
  });

  it.each(['MIT OR GPL-3.0-only', '(MIT OR Apache-2.0)', 'MIT AND ISC'])(
    'accepts %s',
    (license) => {
      expect(judged({ license }).status).toBe(0);
    },
  );
});

describe('the app in production', () => {
  const { scripts, engines, ...project } = JSON.parse(read('package.json'));
  const { dependencies, devDependencies, optionalDependencies } = project;

  it('needs none of the optional packages: they are a Node.js for each platform', () => {
    expect(dependencies).not.toHaveProperty('node');
    expect(devDependencies).not.toHaveProperty('node');
    const { packages } = JSON.parse(read('package-lock.json'));
    const platforms = Object.keys(optionalDependencies ?? {}).map((name) => {
      const { bin, os, cpu } = packages[`node_modules/${name}`];
      expect(Object.keys(bin)).toEqual(['node']);
      return `${os} ${cpu}`;
    });
    expect(platforms).toEqual([
      ...['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 x64'],
    ]);
  });

  it('runs on the host’s own Node.js where those are left out', () => {
    expect(engines.node).toBe('>=24');
    for (const [file, words] of [
      ['README.md', 'npm ci --omit=dev'],
      ['Procfile', 'npm ci --omit=dev'],
      ['docs/pigeonhole.service', 'npm ci --omit=dev'],
    ] as const)
      expect(read(file)).toContain(words);
  });

  it('opens its port where a host’s router looks for it', () => {
    expect(read('Procfile')).toMatch(/^web: HOST=\$\{HOST:-0\.0\.0\.0\} npm start$/m);
  });

  it('says in a sentence that a Node.js is too old', () => {
    const guard = /--require=(\S+)/.exec(scripts.start)?.[1] ?? '';
    // Where npm start does not work, people start it by the same command.
    const command = scripts.start.replace('exec ', '');
    for (const file of ['README.md', 'docs/pigeonhole.service'])
      expect(read(file)).toContain(command);
    const started = (version: string) =>
      node(
        '--eval',
        `Object.defineProperty(process.versions, 'node', { value: '${version}' });
         require('${join(ROOT, guard)}');`,
      );
    const words = 'needs Node.js 24 or newer, and this is 20.19.2.';
    expect(started('20.19.2')).toMatchObject({ status: 1, stderr: expect.stringContaining(words) });
    expect(started('24.0.0')).toMatchObject({ status: 0, stderr: '' });
  });
});

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

function node(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Writes a project that the checks accept but for these changes. */
function projectOf({
  project = {},
  root = {},
  lockfile = {},
  entry = {},
  ...more
}: Changes): string {
  const folder = temporaryFolder();
  const dependencies = { wanted: '^1.2.0' };
  const packages = {
    '': { name: 'project', dependencies, ...root },
    'node_modules/wanted': { ...WANTED, ...entry },
    ...more.packages,
  };
  const files = {
    'package.json': { name: 'project', dependencies, ...project },
    'package-lock.json': { name: 'project', lockfileVersion: 3, packages, ...lockfile },
    ...more.files,
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(content));
  }
  return folder;
}

interface Changes {
  project?: object;
  /** The lockfile’s entry of the project itself. */
  root?: object;
  lockfile?: object;
  /** The lockfile’s entry of the package `wanted`. */
  entry?: object;
  /** More entries of the lockfile, by path. */
  packages?: Record<string, object>;
  files?: Record<string, unknown>;
}

const WANTED = { version: '1.2.3', license: 'MIT', integrity: `sha512-${'A'.repeat(86)}==` };

/** An installed package whose name is its folder’s. */
function at(path: string): Record<string, unknown> {
  return { [`${path}/package.json`]: { name: path.split('node_modules/').at(-1) } };
}

describe('the check of the lockfile, before anything is installed', () => {
  const CHECK = join(ROOT, '.ci', 'check-packages.js');
  const judged = (changes: Changes) => node(CHECK, projectOf(changes));

  it('finds nothing wrong with the project’s own packages', () => {
    expect(node(CHECK)).toMatchObject({ status: 0, stderr: '' });
  });

  it('is the first step of the project’s own check', () => {
    const steps = read('.ci/run');
    expect(steps).toMatch(/^ *node \.ci\/check-packages\.js$/m);
    expect(steps.indexOf('check-packages')).toBeLessThan(steps.indexOf('npm ci'));
  });

  const asking = (range: string) => ({ dependencies: { other: range } });
  const other = { 'node_modules/other': WANTED };

  it.each<[what: string, changes: Changes, words: string]>([
    ['a licence that asks for more', { entry: { license: 'GPL-3.0-only' } }, 'GPL-3.0-only'],
    ['no licence', { entry: { license: undefined } }, '(none) is not taken'],
    ['a licence of tools in production', { entry: { license: 'MPL-2.0' } }, 'MPL-2.0 is not'],
    [
      'two licences of which one is not taken',
      { entry: { license: 'MIT AND GPL-2.0' } },
      'GPL-2.0',
    ],

    ['no checksum', { entry: { integrity: undefined } }, 'no sha512'],
    ['a weak checksum', { entry: { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' } }, 'no sha512'],
    [
      'a choice of two checksums',
      { entry: { integrity: `${WANTED.integrity} sha512-${'B'.repeat(86)}==` } },
      'no sha512',
    ],
    ['an address', { entry: { resolved: 'https://evil.example/x.tgz' } }, 'evil.example'],
    ['an address as a version', { entry: { version: 'https://evil.example/x.tgz' } }, 'no version'],
    ['another package as a version', { entry: { version: 'npm:evil@1.0.0' } }, 'no version'],
    ['a file as a version', { entry: { version: '1.0.0-evil.tgz' } }, 'is no version'],
    ['a package under the name of another', { entry: { name: 'evil' } }, '"name" is not taken'],
    ['an install script', { entry: { hasInstallScript: true } }, '"hasInstallScript" is not'],
    ['a link', { entry: { link: true } }, '"link" is not taken'],
    ['a package in a package', { entry: { inBundle: true } }, '"inBundle" is not taken'],
    ['packages in a package', { entry: { bundleDependencies: ['evil'] } }, '"bundleDependencies"'],
    ['a lockfile in a package', { entry: { hasShrinkwrap: true } }, '"hasShrinkwrap" is not'],
    ['a claim that it does not know', { entry: { toCome: 1 } }, '"toCome" is not taken: 1'],

    ['a path outside', { packages: { 'node_modules/../evil': WANTED } }, 'no path of a package'],
    ['a folder beside node_modules', { packages: { evil: WANTED } }, 'no path of a package'],
    ['a path of no name', { packages: { 'node_modules/a/b': WANTED } }, 'no path of a package'],
    ['a package that none asks for', { packages: other }, 'no package that is installed asks'],
    [
      'a package where the one that asks does not find it',
      { entry: asking('1'), packages: { 'node_modules/beside/node_modules/other': WANTED } },
      'no package that is installed asks',
    ],

    ['an alias', { entry: asking('npm:evil@1'), packages: other }, 'other as "npm:evil@1"'],
    ['git', { entry: asking('git+https://evil.example/x.git'), packages: other }, 'no range'],
    ['a repository', { entry: asking('evil/x'), packages: other }, 'other as "evil/x"'],
    ['a folder', { entry: asking('file:../evil'), packages: other }, 'other as "file:../evil"'],
    ['a linked folder', { entry: asking('link:../evil'), packages: other }, 'no range'],
    ['an archive', { entry: asking('http://evil.example/x.tgz'), packages: other }, 'no range'],
    ['an archive beside', { entry: asking('1.0.0-evil.tgz'), packages: other }, 'no range'],
    ['a tag', { entry: asking('latest'), packages: other }, 'other as "latest"'],
    ['a workspace', { entry: asking('workspace:*'), packages: other }, 'no range'],
    ['a name that is a path', { entry: { dependencies: { '../evil': '1' } } }, 'for ../evil as'],
    [
      'an optional package from elsewhere',
      { entry: { optionalDependencies: { other: 'evil/x' } }, packages: other },
      'other as "evil/x"',
    ],
    [
      'a peer from elsewhere',
      { entry: { peerDependencies: { other: 'evil/x' } }, packages: other },
      'other as "evil/x"',
    ],
    [
      'the project’s own dependency from elsewhere',
      {
        project: { dependencies: { wanted: 'github:evil/x' } },
        root: { dependencies: { wanted: 'github:evil/x' } },
      },
      'package.json: it asks for wanted as "github:evil/x"',
    ],
    [
      'a tool of the project’s own from elsewhere',
      {
        project: { devDependencies: { wanted: 'file:../x' } },
        root: { devDependencies: { wanted: 'file:../x' } },
      },
      'package.json: it asks for wanted as "file:../x"',
    ],

    ['dependencies of the lockfile alone', { root: asking('1'), packages: other }, 'not those of'],
    ['an older lockfile', { lockfile: { lockfileVersion: 2 } }, 'lockfileVersion is not 3'],
    ['a list in the lockfile’s older form', { lockfile: asking('1') }, '"dependencies" is not'],
    ['overrides', { project: { overrides: { wanted: '1.2.4' } } }, '"overrides" is not taken'],
    ['workspaces', { project: { workspaces: ['evil'] } }, '"workspaces" is not taken'],
    ['workspaces of the lockfile', { root: { workspaces: ['evil'] } }, '"workspaces" is not taken'],
    ['bundled packages', { project: { bundleDependencies: true } }, '"bundleDependencies" is not'],
    ['allowed scripts', { project: { allowScripts: { wanted: true } } }, '"allowScripts" is not'],
    ['settings of npm', { files: { '.npmrc': 0 } }, '.npmrc is not taken'],
    ['a second lockfile', { files: { 'npm-shrinkwrap.json': {} } }, 'npm-shrinkwrap.json is not'],
    ['another tool’s lockfile', { files: { 'yarn.lock': 0 } }, 'yarn.lock is not taken'],
    ['a build of the project', { files: { 'binding.gyp': {} } }, 'binding.gyp is not taken'],
    ...['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'prepack']
      .concat('postprepare', 'prepublishOnly', 'dependencies', 'pretest', 'posttest', 'prestart')
      .map((name): [string, Changes, string] => [
        `the project’s script ${name}`,
        { project: { scripts: { [name]: 'evil' } } },
        `the script "${name}" unasked`,
      ]),
  ])('refuses %s', (_what, changes, words) => {
    const { status, stderr } = judged(changes);
    expect(stderr).toContain(words);
    expect(status).toBe(1);
  });

  const TOOL = { ...WANTED, license: 'MPL-2.0', dev: true };
  /** A project with one package, and one tool, that both ask for a third. */
  const sharing = (packages: Record<string, object>): Changes => {
    const devDependencies = { tool: '1' };
    const asks = { dependencies: { shared: '1' } };
    const tool = { 'node_modules/tool': { ...TOOL, ...asks } };
    const lists = { project: { devDependencies }, root: { devDependencies } };
    return { ...lists, entry: asks, packages: { ...tool, ...packages } };
  };

  it('knows what production installs from who asks for it, whatever the lockfile says', () => {
    const { status, stderr } = judged(sharing({ 'node_modules/shared': TOOL }));
    expect(stderr).toContain('node_modules/shared: the licence MPL-2.0 is not taken\n');
    expect(stderr).toContain('node_modules/shared: "dev" is wrong: production installs it: true\n');
    expect(status).toBe(1);
  });

  it('refuses a tool that the lockfile lets into production', () => {
    const { status, stderr } = judged(
      sharing({ 'node_modules/shared': WANTED, 'node_modules/tool': WANTED }),
    );
    expect(stderr).toBe('node_modules/tool: "dev" is wrong: production installs it: false\n');
    expect(status).toBe(1);
  });

  it.each([
    [
      'the one that lies in it',
      'node_modules/wanted/node_modules/shared',
      'node_modules/shared',
      0,
    ],
    ['the one beside it', 'node_modules/shared', 'node_modules/tool/node_modules/shared', 0],
    ['no other’s', 'node_modules/tool/node_modules/shared', 'node_modules/shared', 1],
  ])('gives a package, as Node.js does, %s', (_which, production, tools, expected) => {
    const packages = { [production]: WANTED, [tools]: TOOL };
    expect(judged(sharing(packages)).status).toBe(expected);
  });

  it('follows peers, but none that may be missing', () => {
    const peers = { peerDependencies: { shared: '1' } };
    const mayBeMissing = { peerDependenciesMeta: { shared: { optional: true } } };
    const packages = { 'node_modules/shared': TOOL };
    const withPeer = { ...sharing(packages), entry: peers };
    expect(judged(withPeer).stderr).toContain('"dev" is wrong: production installs it: true');
    expect(judged({ ...withPeer, entry: { ...peers, ...mayBeMissing } }).status).toBe(0);
  });

  it.each(['MIT OR GPL-3.0-only', '(MIT OR Apache-2.0)', 'MIT AND ISC'])(
    'accepts the licence %s',
    (license) => {
      expect(judged({ entry: { license } })).toMatchObject({ status: 0, stderr: '' });
    },
  );

  it.each([
    ...['*', '4', '1.2', '^1.2.3', '~1.2.18', '=0.156.0', '1.2.3 - 2', '>= 2.1.2 < 3.0.0'],
    ...['^5.0.0-beta.5 || >=5.0.0', '>=7.24.0 <7.24.7', '^3 || ^4'],
  ])('accepts the range %s', (range) => {
    const changes = { entry: asking(range), packages: other };
    expect(judged(changes)).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('the check of what was installed, before any code of it runs', () => {
  const CHECK = join(ROOT, '.ci', 'check-installed.js');
  const MANIFEST = 'node_modules/wanted/package.json';
  const OWN = { name: 'wanted', version: '1.2.3', license: 'MIT' };
  const judged = (own: object, { files, ...changes }: Changes = {}) =>
    node(CHECK, projectOf({ ...changes, files: { [MANIFEST]: { ...OWN, ...own }, ...files } }));

  it('comes directly after an install that runs no scripts', () => {
    expect(read('.ci/run')).toMatch(
      /^ *npm ci --ignore-scripts .*\n *node \.ci\/check-installed\.js$/m,
    );
  });

  it('accepts a package that says of itself what the lockfile says', () => {
    const entry = {
      bin: { wanted: 'cli.js' },
      dependencies: { a: '1', b: '2' },
      peerDependenciesMeta: { a: { optional: true } },
    };
    const own = {
      ...entry,
      bin: './cli.js',
      dependencies: { b: '2', a: '1' },
      scripts: { test: 'x' },
    };
    const empty = { optionalDependencies: {}, peerDependencies: {} };
    expect(judged({ ...own, ...empty }, { entry })).toMatchObject({ status: 0, stderr: '' });
  });

  it.each<[what: string, own: object, files: Record<string, unknown>, words: string]>([
    ['a script before the install', { scripts: { preinstall: 'evil' } }, {}, 'a script preinstall'],
    ['a script at the install', { scripts: { install: 'evil' } }, {}, 'a script install'],
    ['a script after the install', { scripts: { postinstall: 'evil' } }, {}, 'script postinstall'],
    ['a build', {}, { 'node_modules/wanted/binding.gyp': {} }, 'it has a binding.gyp'],
    ['a lockfile of its own', {}, { 'node_modules/wanted/npm-shrinkwrap.json': {} }, 'shrinkwrap'],
    ['another package', { name: 'evil' }, {}, 'its name is "evil", not "wanted"'],
    ['another version', { version: '1.2.4' }, {}, 'its version is "1.2.4", not "1.2.3"'],
    ['another licence', { license: 'GPL-3.0' }, {}, 'its license is "GPL-3.0", not "MIT"'],
    ['no licence', { license: undefined }, {}, 'its license is undefined, not "MIT"'],
    ['another command', { bin: { node: 'evil.js' } }, {}, 'its bin is {"node":"evil.js"}, not'],
    ['dependencies that it hid', { dependencies: { evil: '1' } }, {}, 'its dependencies is'],
    ['a package that it brings', {}, at('node_modules/wanted/node_modules/evil'), 'not have it'],
    ['a package too many', {}, at('node_modules/evil'), 'node_modules/evil: the lockfile does'],
    ['one of a scope', {}, at('node_modules/@evil/x'), 'node_modules/@evil/x: the lockfile does'],
  ])('refuses %s', (_what, own, files, words) => {
    const { status, stderr } = judged(own, { files });
    expect(stderr).toContain(words);
    expect(status).toBe(1);
  });

  it('refuses a project in which nothing is installed', () => {
    const { status, stderr } = node(CHECK, projectOf({}));
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'node_modules: no package is installed\n',
    });
  });
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
      ['docs/install.md', 'npm ci --omit=dev'],
      ['Procfile', 'npm ci --omit=dev'],
      ['docs/deploy/pigeonhole.service', 'npm ci --omit=dev'],
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
    for (const file of ['docs/install.md', 'docs/deploy/pigeonhole.service'])
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

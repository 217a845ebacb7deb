import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
export const DOCKERFILE = join(TOP, 'docs/deploy/Dockerfile');

/** The user of the base image. */
const NODE_USER = { name: 'node', uid: 1000 };

/** What an image is: its files, and how its process is started. */
export interface Image {
  root: string;
  user: string;
  directory: string;
  environment: Record<string, string>;
  command: string[];
  healthCheck: string[];
  stopSignal: string;
}

interface Stage extends Image {
  name: string;
}

/**
 * Carries out the Dockerfile's steps in `folder`, each stage in a root of its own that holds nothing
 * but a shell, Node.js and npm. Throws at an instruction that it does not know. Of a base image, it
 * takes only what these stand for.
 */
export function buildImage(folder: string): Image {
  const stages: Stage[] = [];
  for (const step of DockerfileParser.parse(readFileSync(DOCKERFILE, 'utf8')).getInstructions()) {
    const name = step.getKeyword();
    if (name === 'FROM') stages.push(beginStage(folder, step, stages.length));
    else carryOut(step, stages);
  }
  const last = stages.at(-1);
  if (!last) throw new Error('The Dockerfile has no stage');
  return last;
}

function beginStage(folder: string, from: Instruction, nth: number): Stage {
  const root = join(folder, `stage-${nth}`);
  fillRoot(root);
  const [, , name = String(nth)] = valuesOf(from);
  const nothing = { environment: {}, command: [], healthCheck: [], stopSignal: 'SIGTERM' };
  return { name, root, user: 'root', directory: '/', ...nothing };
}

// A root with a shell, Node.js, npm and what it needs to reach the registry, and the base image's user.
function fillRoot(root: string): void {
  for (const path of [
    'bin',
    'usr/bin',
    'usr/local/bin',
    'usr/local/lib',
    'etc',
    'dev',
    'proc',
    'tmp',
  ])
    mkdirSync(join(root, path), { recursive: true });
  const within = (path: string) => {
    if (existsSync(path)) cpSync(path, join(root, path), { recursive: true, dereference: true });
  };
  cpSync('/usr/bin/busybox', join(root, 'bin/busybox'));
  run('/usr/sbin/chroot', [root, '/bin/busybox', '--install', '-s', '/bin']);
  run('ln', ['-s', '/bin/env', join(root, 'usr/bin/env')]);
  cpSync(process.execPath, join(root, 'usr/local/bin/node'));
  for (const [path] of run('ldd', [process.execPath]).matchAll(/\/\S+\.so[.\d]*/g)) within(path);
  const npm = realpathSync(run('sh', ['-c', 'command -v npm']).trim());
  cpSync(join(npm, '../..'), join(root, 'usr/local/lib/npm'), { recursive: true });
  run('ln', ['-s', '../lib/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm')]);
  for (const path of ['/etc/hosts', '/etc/resolv.conf', '/etc/ssl', '/usr/share/ca-certificates'])
    within(path);
  const { name, uid } = NODE_USER;
  const users = [`root:x:0:0::/tmp:/bin/sh`, `${name}:x:${uid}:${uid}::/tmp:/bin/sh`];
  writeFileSync(join(root, 'etc/passwd'), `${users.join('\n')}\n`);
  writeFileSync(join(root, 'etc/group'), `root:x:0:\n${name}:x:${uid}:\n`);
  for (const [device, minor] of [
    ['null', '3'],
    ['urandom', '9'],
  ] as const)
    run('mknod', ['-m', '666', join(root, 'dev', device), 'c', '1', minor]);
}

interface Step {
  step: Instruction;
  values: string[];
  stage: Stage;
  stages: readonly Stage[];
}

/** How each kind of step is carried out; the last two change nothing without Docker. */
const STEPS: Record<string, (step: Step) => void> = {
  WORKDIR: ({ stage, values: [directory = '/'] }) => {
    stage.directory = directory;
    mkdirSync(join(stage.root, directory), { recursive: true });
  },
  COPY: copy,
  RUN: ({ stage, values }) => {
    const line = inDirectory(stage, values.join(' '));
    run('/usr/sbin/chroot', [stage.root, '/bin/sh', '-c', line]);
  },
  ENV: ({ stage, values }) => {
    const pairs = values.map((value) => value.split(/=(.*)/s).slice(0, 2));
    Object.assign(stage.environment, Object.fromEntries(pairs));
  },
  USER: ({ stage, values: [user = ''] }) => Object.assign(stage, { user }),
  CMD: ({ stage, step }) => Object.assign(stage, { command: jsonOf(step) }),
  HEALTHCHECK: ({ stage, step }) => Object.assign(stage, { healthCheck: jsonOf(step) }),
  STOPSIGNAL: ({ stage, values: [stopSignal = ''] }) => Object.assign(stage, { stopSignal }),
  VOLUME: () => undefined,
  EXPOSE: () => undefined,
};

function carryOut(step: Instruction, stages: readonly Stage[]): void {
  const stage = stages.at(-1);
  const carry = STEPS[step.getKeyword()];
  if (!stage || !carry) throw new Error(`Not known how to carry out: ${step.getTextContent()}`);
  carry({ step, values: valuesOf(step), stage, stages });
}

function copy({ values, step, stage, stages }: Step): void {
  const from = /--from=(\S+)/.exec(step.getTextContent())?.[1];
  const source = from === undefined ? TOP : stages.find(({ name }) => name === from)?.root;
  if (source === undefined) throw new Error(`No stage ${from}`);
  const paths = values.filter((value) => !value.startsWith('--'));
  const to = paths.pop() ?? '';
  const target = join(stage.root, stage.directory, to);
  for (const path of paths) {
    const at = join(source, path);
    const into = to.endsWith('/') ? join(target, path.split('/').at(-1) ?? '') : target;
    const filter = (file: string) => from !== undefined || !isIgnored(file.slice(TOP.length));
    mkdirSync(dirname(into), { recursive: true });
    cpSync(at, into, { recursive: true, verbatimSymlinks: true, filter });
  }
}

const IGNORED = readFileSync(`${DOCKERFILE}.dockerignore`, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Whether the build leaves out a path of the repository: the last pattern that fits decides. */
function isIgnored(path: string): boolean {
  let isOut = false;
  for (const line of IGNORED) {
    const pattern = line.replace(/^!/, '');
    const fits = matchesGlob(path, pattern) || path.startsWith(`${pattern}/`);
    if (fits || (pattern === '*' && path !== '')) isOut = !line.startsWith('!');
  }
  return isOut;
}

/** Returns the paths of the repository that a build is given. */
export function buildContext(): string[] {
  const all = globSync('**/*', { cwd: TOP, exclude: ['node_modules', '.git'] });
  return all.filter((path) => !isIgnored(path));
}

/** Returns the arguments by which chroot starts a command in the image as its user. */
export function inImage(image: Image, command: readonly string[]): string[] {
  const { root, user } = image;
  const { uid } = NODE_USER;
  const owner = user === NODE_USER.name ? `${uid}:${uid}` : '0:0';
  const line = inDirectory(image, 'exec "$0" "$@"');
  return [`--userspec=${owner}`, root, '/bin/sh', '-c', line, ...command];
}

function inDirectory({ directory }: Pick<Image, 'directory'>, line: string): string {
  return `cd ${directory} && ${line}`;
}

const BASE_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp' };

/** Returns the environment of the image's process. */
export function environmentOf(image: Image, more: Record<string, string>): Record<string, string> {
  return { ...BASE_ENVIRONMENT, ...image.environment, ...more };
}

function run(command: string, args: readonly string[]): string {
  // The proxy and the like of this machine, but none of its Node.js settings.
  const { NODE_OPTIONS: _, ...environment } = process.env;
  const isInside = command.endsWith('chroot');
  const env = { ...environment, ...(isInside ? BASE_ENVIRONMENT : {}) };
  return execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function valuesOf(step: Instruction): string[] {
  return step.getArguments().map((argument) => argument.getValue());
}

function jsonOf(step: Instruction): string[] {
  const [json] = /\[.*\]$/s.exec(step.getTextContent()) ?? [];
  const strings = (step as JSONInstruction).getJSONStrings?.().map((one) => one.getJSONValue());
  return strings && strings.length > 0 ? strings : JSON.parse(json ?? '[]');
}

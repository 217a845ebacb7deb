import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../src/base/index.ts';
import { SETTINGS } from '../src/settings.ts';
import { sourceFiles } from './support/source-files.ts';

const FLOOR = ['base', 'core'];
const MIDDLE = ['ledger', 'service', 'slack'];

/** The rooms that each room may import; `` stands for the files directly in `src`. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  core: ['base'],
  ledger: FLOOR,
  service: FLOOR,
  slack: FLOOR,
  engine: [...FLOOR, ...MIDDLE],
  surfaces: [...FLOOR, ...MIDDLE],
  playground: [...FLOOR, ...MIDDLE, '', 'surfaces'],
  '': [...FLOOR, ...MIDDLE, 'engine', 'surfaces'],
};

/** The rooms that may import a package; no other room may. */
const PACKAGE_ROOMS: Record<string, readonly string[]> = {
  axios: ['service'],
  'form-data': ['service'],
  bottleneck: ['service'],
  ioredis: ['service'],
  kysely: ['ledger'],
  pg: ['ledger'],
  'node:sqlite': ['ledger'],
  '@slack/bolt': ['slack', 'surfaces'],
  entities: ['core'],
  pino: ['base'],
  'prom-client': [''],
  emulate: ['playground'],
  // For tests only.
  'light-my-request': [],
  ws: ['playground'],
  yaml: ['playground'],
  '@fastify/busboy': ['playground'],
};

const files = sourceFiles();
const byPath = new Map(files.map((file) => [file.path, file]));
const roomOf = (path: string) => byPath.get(path)?.room;

describe('rooms', () => {
  it('are all listed', () => {
    const rooms = new Set(files.map(({ room }) => room));
    expect([...rooms].filter((room) => !(room in MAY_IMPORT))).toEqual([]);
  });

  it.each(Object.keys(MAY_IMPORT))('import only what is below them: %j', (room) => {
    const allowed = [room, ...(MAY_IMPORT[room] ?? [])];
    const wrong = files
      .filter((file) => file.room === room)
      .flatMap((file) => file.imports.map((to) => ({ file: file.path, to })))
      .filter(({ to }) => !allowed.includes(roomOf(to) ?? 'unknown'));
    expect(wrong).toEqual([]);
  });

  it('have a kit of the surfaces that knows none of them', () => {
    const kit = files.filter(({ path }) => path.startsWith('surfaces/kit/'));
    const wrong = kit.flatMap(({ path, imports }) =>
      imports
        .filter((to) => to.startsWith('surfaces/') && !to.startsWith('surfaces/kit/'))
        .map((to) => `${path}: ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(PACKAGE_ROOMS))('%s is imported only by %j', (name, rooms) => {
    const users = files.filter(({ packages }) => packages.includes(name));
    expect(users.filter(({ room }) => !rooms.includes(room)).map(({ path }) => path)).toEqual([]);
  });

  it('do not import Bolt at run time for types only', () => {
    const surfaces = files.filter(({ room }) => room === 'surfaces');
    const runtime = surfaces.filter(({ text }) =>
      /^import (?!type)[^;]*'@slack\/bolt'/m.test(text),
    );
    expect(runtime.map(({ path }) => path)).toEqual([]);
  });

  it('import in no circle, types included', () => {
    expect(circles()).toEqual([]);
  });

  it('leave the environment to config.ts', () => {
    const readers = files.filter(({ text }) => text.includes('process.env'));
    expect(readers.map(({ path }) => path)).toEqual(['config.ts']);
  });
});

describe('packages', () => {
  it('are all declared, those of the product as dependencies', () => {
    const path = new URL('../package.json', import.meta.url);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'));
    const undeclared = files.flatMap(({ path: file, room, packages }) =>
      packages
        .filter((name) => !name.startsWith('node:') && !(name in dependencies))
        .filter((name) => room !== 'playground' || !(name in devDependencies))
        .map((name) => `${file}: ${name}`),
    );
    expect(undeclared).toEqual([]);
  });
});

describe('error codes', () => {
  const TABLES = ['base/errors.ts', 'surfaces/kit/reasons.ts', 'surfaces/kit/service-trouble.ts'];
  const used = files.filter(({ path, room }) => !TABLES.includes(path) && room !== 'playground');

  it.each(Object.keys(ERROR_CODES))('%s is thrown somewhere', (code) => {
    expect(used.some(({ text }) => text.includes(`'${code}'`))).toBe(true);
  });

  it('that are thrown are all documented', () => {
    const family = /'((?:CONFIG|LEDGER|SERVICE|SLACK|RECORD|DESTINATION)_[A-Z_]+)'/g;
    const named = used.flatMap(({ text }) =>
      [...text.matchAll(family)].map(([, code = '']) => code),
    );
    // Names of settings look like codes.
    const codes = named.filter((name) => !SETTINGS.some((setting) => setting === name));
    expect(codes.filter((code) => !(code in ERROR_CODES))).toEqual([]);
  });
});

describe('sources', () => {
  it.each([
    ['a checker told to look away', /@ts-|biome-ignore|eslint-/],
    ['a type forced past the checker', /\bas unknown as\b|\bas any\b|[:<|] any\s*[;,)=>|[\]]/],
    ['work left for later', /\b(TODO|FIXME|XXX|HACK)\b/],
    ['console output', /\bconsole\./],
  ])('have no %s', (_what, pattern) => {
    expect(files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('exports', () => {
  const tests = globSync('**/*.ts', { cwd: import.meta.dirname }).map((path) =>
    readFileSync(new URL(path, import.meta.url), 'utf8'),
  );
  // A room's index only lists what others take.
  const users = files.filter(({ path }) => !/^\w+\/index\.ts$/.test(path));
  const uses = Map.groupBy(
    [...users.map(({ text }) => text), ...tests].flatMap((text) => [...wordsOf(text)]),
    (word) => word,
  );

  it('are each used by another file', () => {
    const unused = users.flatMap(({ path, text }) =>
      exportsOf(text)
        .filter((name) => (uses.get(name)?.length ?? 0) < 2)
        .map((name) => `${path}: ${name}`),
    );
    expect(unused).toEqual([]);
  });
});

function exportsOf(text: string): string[] {
  const exported = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
  return [...text.matchAll(exported)].map(([, name = '']) => name);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/\w+/g));
}

/** Returns the circles of imports, each as the path that leads back to its beginning. */
function circles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const begins = trail.indexOf(path);
    if (begins >= 0) found.push([...trail.slice(begins), path].join(' > '));
    if (begins >= 0 || done.has(path)) return;
    for (const to of byPath.get(path)?.imports ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

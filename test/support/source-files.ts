import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { View } from '../../src/surfaces/kit/layout.ts';
import * as views from './views.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A file of `src`, with its path relative to `src`. */
export interface SourceFile {
  path: string;
  /** Its folder within `src`; empty for files directly in `src`. */
  room: string;
  text: string;
  /** The files of `src` that it imports, types included, by path relative to `src`. */
  imports: string[];
  /** The packages and Node modules that it imports. */
  packages: string[];
}

/** Returns all TypeScript files of `src`. */
export function sourceFiles(): SourceFile[] {
  return globSync('**/*.ts', { cwd: join(ROOT, 'src') })
    .toSorted()
    .map(readSource);
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, 'src', path), 'utf8');
  const named = [...text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'|^import '([^']+)'/gms)];
  const lazy = [...text.matchAll(/\bimport\('([^']+)'\)/g)];
  const specifiers = [...named, ...lazy].map(([, from, bare]) => from ?? bare ?? '');
  const own = specifiers.filter((one) => one.startsWith('.') && one.endsWith('.ts'));
  return {
    path,
    room: path.includes('/') ? (path.split('/')[0] ?? '') : '',
    text,
    imports: own.map((specifier) => normalize(join(dirname(path), specifier))),
    packages: specifiers.filter((specifier) => !specifier.startsWith('.')).map(packageOf),
  };
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  const [scope = '', name = ''] = specifier.split('/');
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

/** What views are built with. */
const BUILDERS = ['surfaces/kit/layout.ts', 'surfaces/kit/prose.ts'];

/** Returns the names of all functions that build what people read. */
export function viewMakers(): string[] {
  const isSurface = ({ room, path }: SourceFile) => room === 'surfaces' && !BUILDERS.includes(path);
  const sources = sourceFiles().filter(isSurface);
  const functions = sources.flatMap(({ text }) => text.split(/^export function /m).slice(1));
  const makers = functions.filter((text) =>
    / View \{$/m.test(text.slice(0, text.indexOf('\n}\n'))),
  );
  const arrows = sources.flatMap(({ text }) => [...text.matchAll(VIEW_ARROW)]);
  return [
    ...makers.map((text) => /^\w+/.exec(text)?.[0] ?? ''),
    ...arrows.map(([, name = '']) => name),
  ];
}

const VIEW_ARROW = /^export const (\w+) = \(.*\).* =>\s+(?:say|ask|stacked|viewOf)\(/gm;

/** Returns all views that are always the same, by their names. */
export function constantViews(): Record<string, View> {
  const constant = Object.entries<unknown>(views).flatMap(([name, one]) =>
    isView(one) ? [[name, one] as const] : [],
  );
  return Object.fromEntries(constant);
}

function isView(one: unknown): one is View {
  return typeof one === 'object' && one !== null && 'blocks' in one;
}

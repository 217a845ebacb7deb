import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A file of `src`, by its path from there. */
export interface SourceFile {
  path: string;
  /** The folder that it is in, within `src`; empty for what stands in `src` itself. */
  room: string;
  text: string;
  /** Files of `src` that it imports, types included, by their paths from there. */
  imports: string[];
  /** Packages and modules of Node that it imports. */
  packages: string[];
}

/** All TypeScript files of `src`. */
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
  const own = specifiers.filter((specifier) => specifier.startsWith('.'));
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

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

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

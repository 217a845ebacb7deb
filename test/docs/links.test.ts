import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  anchorsOf,
  type Document,
  documents,
  inlineCodeOf,
  ROOT,
  resolveTarget,
  targetsIn,
} from './markdown.ts';

const all = documents();
const byPath = new Map(all.map((one) => [one.path, one]));

/** Returns what is wrong with a link; null if it leads somewhere. */
function problemOf(from: Document, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return target.startsWith('https://') ? null : 'is not https';
  const { path, anchor } = resolveTarget(from, target);
  if (!existsSync(join(ROOT, path))) return 'leads nowhere';
  if (anchor === '') return null;
  const found = byPath.get(path);
  return found && anchorsOf(found).includes(anchor) ? null : 'leads to no heading';
}

it('finds the links of all kinds, and sees that one leads nowhere', () => {
  const text = '# A b\n[a](b.md) ![c](d.png)\n<img src="e.png">\n`[x](y)`\n```md\n[z](z.md)\n```\n';
  const document = { path: 'docs/x.md', text };
  expect(targetsIn(document)).toEqual(['b.md', 'd.png', 'e.png']);
  expect(problemOf(document, 'b.md')).toBe('leads nowhere');
  expect(problemOf(document, 'install.md#nothing')).toBe('leads to no heading');
  expect(problemOf(document, 'http://example.com')).toBe('is not https');
  expect(problemOf(document, '../README.md')).toBeNull();
});

it('finds anchors as GitHub makes them', () => {
  const text = '## Why is a file stuck?\n## `/files`: 2 & more\n## Why is a file stuck?\n';
  const anchors = ['why-is-a-file-stuck', 'files-2--more', 'why-is-a-file-stuck-1'];
  expect(anchorsOf({ path: '', text })).toEqual(anchors);
});

describe.each(all)('$path', (document) => {
  it('has only links that lead somewhere', () => {
    const problems = targetsIn(document).map((target) => [target, problemOf(document, target)]);
    expect(problems.filter(([, problem]) => problem !== null)).toEqual([]);
  });

  it('names only sources and tests that exist', () => {
    const named = inlineCodeOf(document).filter((code) =>
      /^(src|test|docs|\.ci)\/[\w./-]+$/.test(code),
    );
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

it('every document is reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const path of reached) {
    const document = byPath.get(path);
    if (!document) continue;
    for (const target of targetsIn(document)) reached.add(resolveTarget(document, target).path);
  }
  // GitHub shows the template to those who propose a change.
  const others = all.map(({ path }) => path).filter((path) => !reached.has(path));
  expect(others).toEqual(['.github/PULL_REQUEST_TEMPLATE.md']);
});

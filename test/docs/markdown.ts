import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A document of the project. */
export interface Document {
  /** From the project's folder. */
  path: string;
  text: string;
}

const PLACES = ['*.md', 'docs/**/*.md', '.github/**/*.md'];

/** Returns all documents that people read. */
export function documents(): Document[] {
  return globSync(PLACES, { cwd: ROOT }).map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }));
}

const FENCE = /^( *)```(\w*)\n(.*?)^\1```$/gms;

const withoutBlocks = (text: string) => text.replace(FENCE, '');
const withoutCode = (text: string) => withoutBlocks(text).replace(/`[^`\n]+`/g, '');

/** Returns where a document's links and pictures lead, as written; also those in HTML. */
export function targetsIn({ text }: Document): string[] {
  const inMarkdown = withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g);
  const inHtml = withoutBlocks(text).matchAll(/\b(?:src|srcset|href)="([^"\s]+)"/g);
  return [...inMarkdown, ...inHtml].map(([, target = '']) => target);
}

/** Returns the path and the anchor that a relative target leads to, from the project's folder. */
export function resolveTarget(from: Document, target: string): { path: string; anchor: string } {
  const [file = '', anchor = ''] = target.split('#');
  const path = file === '' ? from.path : join(dirname(from.path), file);
  return { path: relative('.', path), anchor };
}

/** Returns the anchors of a document's headings, as GitHub makes them. */
export function anchorsOf({ text }: Document): string[] {
  const counts = new Map<string, number>();
  return [...withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const plain = heading.trim().toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** Returns the lines of a document's blocks in a language. */
export function blocksOf({ text }: Document, language: string): string[] {
  const blocks = [...text.matchAll(FENCE)].filter(([, , found]) => found === language);
  return blocks.map(([, indent = '', , code = '']) => code.replaceAll(`\n${indent}`, '\n').trim());
}

/** Returns the pieces of code within a document's sentences. */
export function inlineCodeOf({ text }: Document): string[] {
  return [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

import { mkdir, writeFile } from 'node:fs/promises';
import { reportMarkdown } from './render-report.ts';
import type { Bench, Report } from './report.ts';

const DOCUMENT = new URL('../../../docs/benchmarks.md', import.meta.url);

/** Rewrites docs/benchmarks.md with the results of one run. */
export async function writeDocument(machine: string[], results: [Bench, Report][]): Promise<void> {
  await mkdir(new URL('.', DOCUMENT), { recursive: true });
  await writeFile(DOCUMENT, documentOf(machine, results));
}

function documentOf(machine: string[], results: [Bench, Report][]): string {
  const sections = results.map(([bench, report]) => sectionOf(bench, report));
  return `# Benchmarks

Written by \`npm run bench -- --write\`: all figures are of one run on one machine. They are not
tests; run them on yours (\`npm run bench -- NAME\` runs one, \`--verbose\` shows each run).

${machine.map((line) => `- ${line}`).join('\n')}

${sections.join('\n')}`;
}

function sectionOf({ name, title }: Bench, report: Report): string {
  return `## ${title}\n\n\`npm run bench -- ${name}\`\n\n${reportMarkdown(report)}\n`;
}

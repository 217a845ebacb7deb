import { writeFile } from 'node:fs/promises';
import type { Bench, Report, Table } from './report.ts';

const DOCUMENT = new URL('../../../docs/benchmarks.md', import.meta.url);

/** Renders a report for a terminal. */
export function renderReport(report: Report, verbose: boolean): string {
  const raw = verbose && report.raw.length > 0 ? [`Each run:\n${report.raw.join('\n')}`] : [];
  return [...partsOf(report, renderText), ...raw].join('\n\n');
}

/** Rewrites docs/benchmarks.md with the results of one run. */
export async function writeDocument(machine: string[], results: [Bench, Report][]): Promise<void> {
  const sections = results.map(([{ name, title }, report]) => {
    const parts = partsOf(report, renderMarkdown).join('\n\n');
    return `## ${title}\n\n\`npm run bench -- ${name}\`\n\n${parts}\n`;
  });
  const text = `# Benchmarks

Written by \`npm run bench -- --write\`: all figures are of one run on one machine. They are not
tests; run them on yours (\`npm run bench -- NAME\` runs one, \`--verbose\` shows each run).

${listOf(machine)}

${sections.join('\n')}`;
  await writeFile(DOCUMENT, text);
}

function partsOf({ tables, goals, notes }: Report, render: (table: Table) => string): string[] {
  const rows = goals.map(({ what, goal, found, met }) => [what, goal, found, met ? 'yes' : 'NO']);
  const goalTable = { title: 'Goals', columns: ['figure', 'goal', 'found', 'met'], rows };
  return [...[...tables, ...(rows.length > 0 ? [goalTable] : [])].map(render), listOf(notes)];
}

function listOf(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** Renders a table for a terminal: the first column left-aligned, figures right-aligned. */
export function renderText({ title, columns, rows }: Table): string {
  const widths = columns.map((_, index) => Math.max(...column([columns, ...rows], index)));
  const line = (cells: string[]) =>
    cells
      .map((cell, index) => pad(cell, widths[index] ?? 0, index === 0))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  return [title, '', line(columns), rule, ...rows.map(line)].join('\n');
}

/** Renders a table as Markdown. */
export function renderMarkdown({ title, columns, rows }: Table): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const rule = columns.map((_, index) => (index === 0 ? '---' : '---:'));
  return [`**${title}**`, '', ...[columns, rule, ...rows].map(line)].join('\n');
}

function column(lines: string[][], index: number): number[] {
  return lines.map((cells) => cells[index]?.length ?? 0);
}

function pad(cell: string, width: number, left: boolean): string {
  return left ? cell.padEnd(width) : cell.padStart(width);
}

/** A table of figures, ready for rendering. */
export interface Table {
  title: string;
  columns: string[];
  rows: string[][];
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

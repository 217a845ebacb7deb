import type { Goal, Report } from './report.ts';
import { renderMarkdown, renderText, type Table } from './table.ts';

/** Renders a report for a terminal. */
export function renderReport(report: Report, verbose: boolean): string {
  const parts = [...report.tables, ...goalTable(report.goals)].map(renderText);
  const notes = report.notes.map((note) => `- ${note}`).join('\n');
  const raw = verbose && report.raw.length > 0 ? [`Each run:\n${report.raw.join('\n')}`] : [];
  return [...parts, notes, ...raw].join('\n\n');
}

/** Renders a report as Markdown. */
export function reportMarkdown(report: Report): string {
  const parts = [...report.tables, ...goalTable(report.goals)].map(renderMarkdown);
  return [...parts, report.notes.map((note) => `- ${note}`).join('\n')].join('\n\n');
}

function goalTable(goals: Goal[]): Table[] {
  if (goals.length === 0) return [];
  const rows = goals.map(({ what, goal, found, met }) => [what, goal, found, met ? 'yes' : 'NO']);
  return [{ title: 'Goals', columns: ['figure', 'goal', 'found', 'met'], rows }];
}

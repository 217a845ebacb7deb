import type { Logger } from '../../src/base/index.ts';

export interface LoggedLine {
  level: keyof Logger;
  fields: Record<string, unknown>;
  text: string;
}

/**
 * Returns a logger that keeps its lines, including those of Slack's own packages, which have no
 * fields.
 */
export function createListLogger(): { logger: Logger; lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const keep =
    (level: keyof Logger) =>
    (...[first, text]: unknown[]) =>
      void lines.push({
        level,
        fields: typeof first === 'object' ? { ...first } : {},
        text: String(typeof first === 'object' ? text : first),
      });
  const [debug, info, warn, error] = [keep('debug'), keep('info'), keep('warn'), keep('error')];
  return { logger: { debug, info, warn, error }, lines };
}

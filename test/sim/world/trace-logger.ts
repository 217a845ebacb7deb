import type { Logger } from '../../../src/base/index.ts';
import type { Trace } from './trace.ts';

const LONGEST = 160;

/** Returns a logger for the app that adds warnings and errors to the trace. */
export function traceLogger(trace: Trace, name: string): Logger {
  const say = (level: string) => (first: unknown, second?: unknown) => {
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second];
    trace.add(`${name} ${level}: ${message}${shownFields(fields)}`);
  };
  const quiet = () => undefined;
  return { debug: quiet, info: quiet, warn: say('warns'), error: say('complains') };
}

function shownFields(fields: unknown): string {
  if (typeof fields !== 'object' || fields === null) return '';
  const shown = Object.entries(fields).map(([key, value]) => `${key}=${shownValue(value)}`);
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

function shownValue(value: unknown): string {
  const code = value instanceof Error && 'code' in value ? `${value.code} ` : '';
  const text = value instanceof Error ? `${code}${value.message}` : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

import * as blocks from '../../src/blocks/index.ts';
import { sourceFiles } from './source-files.ts';

/** Returns the names of all functions that build what people read. */
export function viewMakers(): string[] {
  const sources = sourceFiles().filter(({ room }) => room === 'blocks');
  const functions = sources.flatMap(({ text }) => text.split(/^export function /m).slice(1));
  const makers = functions.filter((text) =>
    / View \{$/m.test(text.slice(0, text.indexOf('\n}\n'))),
  );
  const names = makers.map((text) => /^\w+/.exec(text)?.[0] ?? '');
  return names.filter((name) => name in blocks);
}

/** Returns all views that are always the same, by their names. */
export function constantViews(): Record<string, blocks.View> {
  const views = Object.entries(blocks).flatMap(([name, one]) =>
    typeof one === 'object' && 'blocks' in one ? [[name, one] as const] : [],
  );
  return Object.fromEntries(views);
}

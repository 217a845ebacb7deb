import type { types } from '@slack/bolt';
import { buttonRow } from './layout.ts';
import { fallbackText, type Line, prose } from './prose.ts';
import type { View } from './view.ts';

/** A view of a few lines. */
export function say(...lines: Line[]): View {
  return { text: fallbackText(...lines), blocks: [prose(...lines)] };
}

/** A view of a few lines with buttons under them. */
export function ask(lines: readonly Line[], buttons: readonly types.Button[]): View {
  const view = say(...lines);
  return { ...view, blocks: [...view.blocks, ...buttonRow(buttons)] };
}

import { expect } from 'vitest';
import type { View } from '../../src/blocks/index.ts';
import { blockKitProblems } from './block-kit-limits.ts';
import { shownView } from './shown-view.ts';

/** A view as a person sees it, when Slack would take it. */
export function shown(view: View): string {
  expect(blockKitProblems(view)).toEqual([]);
  return shownView(view);
}

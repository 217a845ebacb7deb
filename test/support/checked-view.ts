import { expect } from 'vitest';
import type { View } from '../../src/blocks/index.ts';
import { blockKitProblems } from './block-kit-limits.ts';
import { shownView } from './shown-view.ts';

/** Returns a view as a person sees it; throws if Slack would refuse the view. */
export function shown(view: View): string {
  expect(blockKitProblems(view)).toEqual([]);
  return shownView(view);
}

import { readFileSync } from 'node:fs';
import * as blocks from '../../src/blocks/index.ts';

const HELPERS =
  /Value$|Line$|Options$|^(pageOf|canRetry|reactionFor|sharePhase|isInHand|operatorMember|(link|save)Refusal|formErrors|projectChoice|readPlace|topFolder|filesToSave|folderPick|folderNotMade)$/;

/**
 * Returns the names of all functions that build what people read, as the views' index exports them.
 */
export function viewMakers(): string[] {
  const index = readFileSync(new URL('../../src/blocks/index.ts', import.meta.url), 'utf8');
  const values = index.replaceAll(/export type \{[^}]*\}|type \w+/g, '');
  const made = [...values.matchAll(/^ {2}?([a-z]\w+),?$|\{ ([a-z]\w+(?:, [a-z]\w+)*) \}/gm)];
  const names = made.flatMap(([, one, some]) => (one ?? some ?? '').split(', '));
  return names.filter((name) => !HELPERS.test(name));
}

/** Returns all views that are always the same, by their names. */
export function constantViews(): Record<string, blocks.View> {
  const views = Object.entries(blocks).flatMap(([name, one]) =>
    typeof one === 'object' && 'blocks' in one ? [[name, one] as const] : [],
  );
  return Object.fromEntries(views);
}

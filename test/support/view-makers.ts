import * as blocks from '../../src/blocks/index.ts';

const HELPERS =
  /Line$|Options$|^(pageOf|canRetry|reactionFor|sharePhase|isInHand|operatorMember|chosenValue|(link|save)Refusal|formErrors|projectChoice|readPlace|topFolder|filesToSave|folderPick|folderNotMade|missingScopes|withoutScopes)$/;

/** Returns the names of all functions that build what people read. */
export function viewMakers(): string[] {
  const made = Object.entries(blocks).filter(([, one]) => typeof one === 'function');
  return made.map(([name]) => name).filter((name) => !HELPERS.test(name));
}

/** Returns all views that are always the same, by their names. */
export function constantViews(): Record<string, blocks.View> {
  const views = Object.entries(blocks).flatMap(([name, one]) =>
    typeof one === 'object' && 'blocks' in one ? [[name, one] as const] : [],
  );
  return Object.fromEntries(views);
}
